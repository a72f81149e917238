"""mapping_iteration_unknown: iteration codes in the mapping that neither iteration list has."""

KNOWN = "iteration_code\n-\n0101"


def test_a_row_with_an_unknown_iteration_is_returned(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0102 | 1010
    """
    given = {"code_iteration_rows": mapping, "iteration_rows": KNOWN}
    assert run_sql("mapping_iteration_unknown", given=given) == [("0102", "1010")]


def test_a_row_without_its_iteration_is_returned(run_sql):
    mapping = "iteration_code | code\n-\nNULL | 1010"
    given = {"code_iteration_rows": mapping, "iteration_rows": KNOWN}
    assert run_sql("mapping_iteration_unknown", given=given) == [(None, "1010")]


def test_rows_whose_iteration_is_listed_are_fine(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1010
    """
    given = {"code_iteration_rows": mapping, "iteration_rows": KNOWN}
    assert run_sql("mapping_iteration_unknown", given=given) == []
