"""counted_code_unknown: codes that answers count as and that the code list lacks."""

import pytest

CODES = """
    code
    ----
    1010
    NS
"""


def test_a_code_that_the_list_lacks_is_returned_with_what_says_it(run_sql):
    values = {
        "counted_questions": ["race", "race", "ethnicity"],
        "counted_by": ["map 1", "null", "null"],
        "counted_codes": ["1010", "NS", "none"],
    }
    assert run_sql("counted_code_unknown", {"codes": CODES}, **values) == [("ethnicity", "null", "none")]


@pytest.mark.parametrize("said", [[], ["NS"]])
def test_listed_codes_are_fine(run_sql, said):
    values = {"counted_questions": ["race"] * len(said), "counted_by": ["null"] * len(said), "counted_codes": said}
    assert run_sql("counted_code_unknown", {"codes": CODES}, **values) == []
