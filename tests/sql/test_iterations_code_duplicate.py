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
