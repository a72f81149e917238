"""iterations_flags_contradict: iterations that would be tabulated nowhere."""


def test_an_iteration_with_both_flags_is_returned(run_sql):
    rows = """
        iteration_code | is_detailed_only | is_coarse_only
        ---------------+------------------+---------------
                  0101 |             true |           true
                  0102 |             true |          false
    """
    assert run_sql("iterations_flags_contradict", given={"iteration_rows": rows}) == [("0101",)]


def test_one_flag_or_none_is_fine(run_sql):
    rows = """
        iteration_code | is_detailed_only | is_coarse_only
        ---------------+------------------+---------------
                  0101 |             true |          false
                  0102 |            false |           true
                  0103 |            false |          false
                  0104 |             NULL |           NULL
    """
    assert run_sql("iterations_flags_contradict", given={"iteration_rows": rows}) == []
