"""mapping_code_unknown: codes in the mapping that the code list lacks."""

KNOWN = "code\n-\n1010"


def test_a_row_with_an_unknown_code_is_returned(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1020
    """
    given = {"code_iteration_rows": mapping, "codes": KNOWN}
    assert run_sql("mapping_code_unknown", given=given) == [("0101", "1020")]


def test_a_row_without_its_code_is_returned(run_sql):
    mapping = "iteration_code | code\n-\n0101 | NULL"
    given = {"code_iteration_rows": mapping, "codes": KNOWN}
    assert run_sql("mapping_code_unknown", given=given) == [("0101", None)]


def test_rows_whose_code_is_listed_are_fine(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1010
    """
    given = {"code_iteration_rows": mapping, "codes": KNOWN}
    assert run_sql("mapping_code_unknown", given=given) == []
