"""counted_code_unknown: codes that answers count as and that the code list lacks."""

import pytest

CODES = """
    question_name | code
    --------------+-----
                  | 1010
                  | NS
         language | pt
"""


def test_a_code_that_the_list_lacks_is_returned_with_what_says_it(run_sql):
    values = {
        "counted_lists": ["", "", "", "language", "language"],
        "counted_by": ["map 1", "null", "null", "null", "other"],
        "counted_codes": ["1010", "NS", "none", "pt", "NS"],
    }
    rows = run_sql("counted_code_unknown", {"codes": CODES}, **values)
    assert rows == [("null", "none"), ("other", "NS")]


@pytest.mark.parametrize("said", [[], ["NS"]])
def test_listed_codes_are_fine(run_sql, said):
    values = {"counted_by": ["null"] * len(said), "counted_codes": said}
    values["counted_lists"] = [""] * len(said)
    assert run_sql("counted_code_unknown", {"codes": CODES}, **values) == []
