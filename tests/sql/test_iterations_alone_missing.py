"""iterations_alone_missing: race iterations that are neither alone nor in combination."""


def test_an_iteration_of_no_kind_is_returned(run_sql):
    rows = """
        iteration_code | iteration_kind
        ---------------+---------------
                  0101 |           NULL
                  0102 |          alone
    """
    assert run_sql("iterations_alone_missing", given={"iteration_rows": rows}) == [("0101",)]


def test_each_of_the_three_kinds_is_fine(run_sql):
    rows = """
        iteration_code | iteration_kind
        ---------------+---------------
                  0101 |          alone
                  0102 |    combination
                  3001 |      ethnicity
    """
    assert run_sql("iterations_alone_missing", given={"iteration_rows": rows}) == []
