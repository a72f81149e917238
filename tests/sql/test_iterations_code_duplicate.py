"""iterations_code_duplicate: iteration codes that stand more than once, in one list or across both."""


def test_a_code_of_a_race_and_of_an_ethnicity_is_returned(run_sql):
    rows = """
        iteration_code | iteration_kind
        ---------------+---------------
                  0101 |          alone
                  0101 |      ethnicity
                  0102 |    combination
    """
    assert run_sql("iterations_code_duplicate", given={"iteration_rows": rows}) == [("0101", 2)]


def test_a_level_zero_code_counts_as_well(run_sql):
    rows = """
        iteration_code | iteration_level
        ---------------+----------------
                  0101 |               0
                  0101 |               2
    """
    assert run_sql("iterations_code_duplicate", given={"iteration_rows": rows}) == [("0101", 2)]


def test_codes_that_stand_once_are_fine(run_sql):
    rows = """
        iteration_code
        --------------
                  0101
                  0102
    """
    assert run_sql("iterations_code_duplicate", given={"iteration_rows": rows}) == []


def test_missing_codes_are_left_to_another_check(run_sql):
    rows = """
        iteration_code
        --------------
                  NULL
                  NULL
    """
    assert run_sql("iterations_code_duplicate", given={"iteration_rows": rows}) == []
