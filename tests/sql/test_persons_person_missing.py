"""persons_person_missing: records that do not say whose they are."""

import pytest

RECORDS = "person_file | person_row | person_key\n-\np.parquet | 7 | NULL\np.parquet | 8 | ann"


@pytest.fixture
def found(run_sql):
    def rows(texts, records=RECORDS):
        return run_sql("persons_person_missing", given={"person_records": records}, person_bounds=texts)

    return rows


def test_records_without_a_person_are_returned(found):
    assert found(["person_key"]) == [("p.parquet", 7, None)]


def test_where_no_column_names_the_person_all_records_are_fine(found):
    assert found([], "person_file | person_row\n-\np.parquet | 7") == []
