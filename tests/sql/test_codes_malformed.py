"""codes_malformed: codes of the code list that are not four digits."""

import pytest


@pytest.mark.parametrize("code", ["101", "10100", "10a0", "-101", "0000", " 1010 x"])
def test_a_code_that_is_not_four_digits_above_zero_is_returned(run_sql, code):
    assert run_sql("codes_malformed", given={"codes": f"question_name | code\n-\n | {code}"}) == [(code.strip(),)]


def test_a_missing_code_is_returned(run_sql):
    assert run_sql("codes_malformed", given={"codes": "question_name | code\n-\n | NULL"}) == [(None,)]


@pytest.mark.parametrize("code", ["1010", "0001", "9999"])
def test_four_digits_are_fine(run_sql, code):
    assert run_sql("codes_malformed", given={"codes": f"question_name | code\n-\n | {code}"}) == []


def test_values_of_a_question_may_be_any_text(run_sql):
    assert run_sql("codes_malformed", given={"codes": "question_name | code\n-\nlanguage | pt"}) == []
