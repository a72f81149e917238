"""code_numbers: the number of each detailed code."""

import pytest

CODES = "question_name | code\n-\n | 0050\n | 1010\n | 1010\n | NULL"


def test_a_code_of_four_digits_is_the_number_that_they_spell(run_sql):
    assert run_sql("code_numbers", given={"codes": CODES}) == [("", "0050", 50), ("", "1010", 1010)]


@pytest.mark.parametrize("codes", [["B1", "A2", "A1"], ["A1", "B1", "A2", "A1"]], ids=len)
def test_other_codes_are_numbered_from_one_in_their_order(run_sql, codes):
    listed = "\n".join(["question_name | code", "-", *(f" | {code}" for code in codes)])
    rows = run_sql("code_numbers", given={"codes": listed}, codes_are_numbers=False)
    assert rows == [("", "A1", 1), ("", "A2", 2), ("", "B1", 3)]


def test_a_code_that_two_questions_share_has_one_number_and_everybody_the_last(run_sql):
    listed = "question_name | code\n-\n | A1\nlanguage | A1\nlanguage | B1\neverybody | ALL"
    rows = run_sql("code_numbers", given={"codes": listed}, codes_are_numbers=False)
    assert rows == [("", "A1", 1), ("everybody", "ALL", 65_535), ("language", "A1", 1), ("language", "B1", 3)]
