"""persons_number_out_of_range: people with a number that is missing, or outside the range of its attribute."""

import pytest

from safetab_sql.settings.attributes import Attribute

ATTRIBUTE = Attribute("AGE", column="age", minimum=0, maximum=115)


def found(run_sql, age, given):
    records = f"person_file | person_row | AGE_number | AGE_given\n-\np.parquet | 7 | {age} | {given}"
    return run_sql("persons_number_out_of_range", given={"person_records": records}, attribute=ATTRIBUTE)


@pytest.mark.parametrize("age", ["116", "-1", "999"])
def test_a_number_past_both_ends_is_returned_with_its_row(run_sql, age):
    assert found(run_sql, age, age) == [("p.parquet", 7, "age", age)]


def test_a_missing_number_is_returned_with_its_row(run_sql):
    assert found(run_sql, "NULL", "NULL") == [("p.parquet", 7, "age", None)]


def test_what_is_no_number_is_returned_as_it_stands_in_the_file(run_sql):
    assert found(run_sql, "NULL", "forty") == [("p.parquet", 7, "age", "forty")]


@pytest.mark.parametrize("age", ["0", "1", "114", "115"])
def test_numbers_of_the_range_are_fine(run_sql, age):
    assert found(run_sql, age, age) == []
