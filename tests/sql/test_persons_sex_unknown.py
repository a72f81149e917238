"""persons_sex_unknown: people whose sex is neither of the two codes."""

import pytest


@pytest.mark.parametrize("sex", ["0", "3", "M", "01", None])
def test_a_sex_of_another_code_or_none_is_returned(run_sql, sex):
    records = f"person_file | person_row | QSEX | QSEX_GIVEN\n-\np.parquet | 7 | {sex or 'NULL'} | given"
    assert run_sql("persons_sex_unknown", given={"person_records": records}, sex_column="sex") == [
        ("p.parquet", 7, "sex", "given")
    ]


@pytest.mark.parametrize("sex", ["1", "2"], ids=["male", "female"])
def test_male_and_female_are_fine(run_sql, sex):
    records = f"person_file | person_row | QSEX | QSEX_GIVEN\n-\np.parquet | 7 | {sex} | given"
    assert run_sql("persons_sex_unknown", given={"person_records": records}, sex_column="sex") == []
