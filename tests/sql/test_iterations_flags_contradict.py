"""iterations_flags_contradict: iterations that would be tabulated nowhere."""


def test_an_iteration_with_both_flags_is_returned(run_sql):
    rows = """
        iteration_code | flags
        ---------------+------------------
                  0101 |             {DETAILED_ONLY=true, COARSE_ONLY=true}
                  0102 |             {DETAILED_ONLY=true, COARSE_ONLY=false}
    """
    assert run_sql(
        "iterations_flags_contradict", given={"iteration_rows": rows}, withouts=["COARSE_ONLY", "DETAILED_ONLY"]
    ) == [("0101",)]


def test_one_flag_or_none_is_fine(run_sql):
    rows = """
        iteration_code | flags
        ---------------+------------------
                  0101 |             {DETAILED_ONLY=true, COARSE_ONLY=false}
                  0102 |            {DETAILED_ONLY=false, COARSE_ONLY=true}
                  0103 |            {DETAILED_ONLY=false, COARSE_ONLY=false}
                  0104 |             {DETAILED_ONLY=NULL, COARSE_ONLY=NULL}
    """
    assert (
        run_sql(
            "iterations_flags_contradict", given={"iteration_rows": rows}, withouts=["COARSE_ONLY", "DETAILED_ONLY"]
        )
        == []
    )


def test_an_iteration_with_all_flags_is_fine_where_a_region_type_leaves_nothing_out(run_sql):
    rows = """
        iteration_code | flags
        ---------------+------------------
                  0101 | {URBAN_ONLY=true}
    """
    assert run_sql("iterations_flags_contradict", given={"iteration_rows": rows}, withouts=["", "URBAN_ONLY"]) == []
