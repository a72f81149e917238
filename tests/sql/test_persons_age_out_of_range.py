"""persons_age_out_of_range: people whose age is missing or impossible."""

import pytest


def found(run_sql, age, given):
    records = f"person_file | person_row | QAGE | QAGE_GIVEN\n-\np.parquet | 7 | {age} | {given}"
    return run_sql("persons_age_out_of_range", given={"person_records": records}, age_column="age")


@pytest.mark.parametrize("age", ["116", "-1", "999"])
def test_an_age_past_both_ends_is_returned_with_its_row(run_sql, age):
    assert found(run_sql, age, age) == [("p.parquet", 7, "age", age)]


def test_a_missing_age_is_returned_with_its_row(run_sql):
    assert found(run_sql, "NULL", "NULL") == [("p.parquet", 7, "age", None)]


def test_an_age_that_is_no_number_is_returned_as_it_stands_in_the_file(run_sql):
    assert found(run_sql, "NULL", "forty") == [("p.parquet", 7, "age", "forty")]


@pytest.mark.parametrize("age", ["0", "1", "114", "115"])
def test_ages_from_0_to_115_are_fine(run_sql, age):
    assert found(run_sql, age, age) == []
