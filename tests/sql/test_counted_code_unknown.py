"""counted_code_unknown: codes that answers count as and that the code list lacks."""

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
