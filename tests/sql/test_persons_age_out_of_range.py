"""persons_age_out_of_range: people whose age is missing or impossible."""

import pytest


@pytest.mark.parametrize("age", [116, -1, 999, None])
def test_an_age_past_both_ends_or_missing_is_returned_with_its_row(run_sql, age):
    records = f"person_file | person_row | QAGE\n-\np.parquet | 7 | {'NULL' if age is None else age}"
    assert run_sql("persons_age_out_of_range", given={"person_records": records}) == [("p.parquet", 7, age)]


@pytest.mark.parametrize("age", [0, 1, 114, 115])
def test_ages_from_0_to_115_are_fine(run_sql, age):
    records = f"person_file | person_row | QAGE\n-\np.parquet | 7 | {age}"
    assert run_sql("persons_age_out_of_range", given={"person_records": records}) == []
