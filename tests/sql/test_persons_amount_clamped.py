"""persons_amount_clamped: people whose amount is smaller or larger than what a record adds to a sum."""

import pytest

from safetab_sql.settings.ladders import Amount

AMOUNT = Amount("amount_2", "DAYS", "days", 1, 30)


def found(run_sql, amount):
    records = f"person_file | person_row | amount_2:integer\n-\np.parquet | 7 | {amount}"
    return run_sql("persons_amount_clamped", given={"person_records": records}, amount=AMOUNT)


@pytest.mark.parametrize("amount", ["0", "31", "-4", "2147483647"])
def test_an_amount_past_both_ends_is_returned_with_its_row_and_no_value(run_sql, amount):
    assert found(run_sql, amount) == [("p.parquet", 7)]


@pytest.mark.parametrize("amount", ["1", "30", "NULL"])
def test_an_amount_between_the_ends_is_fine_and_so_is_none(run_sql, amount):
    assert found(run_sql, amount) == []
