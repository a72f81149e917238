"""persons_amount_malformed: people with an amount that is missing, no whole number, or too large."""

import pytest

from safetab_sql.settings.ladders import Amount

AMOUNT = Amount("amount_2", "DAYS", "days", 0, 30)


def found(run_sql, amount, given):
    records = (
        f"person_file | person_row | amount_2:integer | amount_2_given:varchar\n-\np.parquet | 7 | {amount} | {given}"
    )
    return run_sql("persons_amount_malformed", given={"person_records": records}, amount=AMOUNT)


def test_a_missing_amount_is_returned_with_its_row(run_sql):
    assert found(run_sql, "NULL", "NULL") == [("p.parquet", 7, "days", None)]


def test_what_is_no_number_is_returned_as_it_stands_in_the_file(run_sql):
    assert found(run_sql, "NULL", "2.5") == [("p.parquet", 7, "days", "2.5")]


@pytest.mark.parametrize("amount", ["0", "30", "31", "-4"])
def test_a_number_is_fine_inside_the_clamp_and_outside(run_sql, amount):
    assert found(run_sql, amount, amount) == []
