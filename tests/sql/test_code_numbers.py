"""code_numbers: the number of each detailed code."""

import pytest

CODES = "code\n-\n0050\n1010\n1010\nNULL"


def test_a_code_of_four_digits_is_the_number_that_they_spell(run_sql):
    assert run_sql("code_numbers", given={"codes": CODES}) == [("0050", 50), ("1010", 1010)]


@pytest.mark.parametrize("codes", ["B1\nA2\nA1", "A1\nB1\nA2\nA1"])
def test_other_codes_are_numbered_from_one_in_their_order(run_sql, codes):
    rows = run_sql("code_numbers", given={"codes": f"code\n-\n{codes}"}, codes_are_numbers=False)
    assert rows == [("A1", 1), ("A2", 2), ("B1", 3)]
