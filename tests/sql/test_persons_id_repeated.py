"""persons_id_repeated: records without an id, and those whose id another record has."""

RECORDS = """
    person_file | person_row | PERSON_ID
    ------------+------------+----------
    a.parquet   |          1 | 7
    a.parquet   |          2 | 8
    b.parquet   |          1 | 7
    b.parquet   |          2 | NULL
"""


def found(run_sql, records, *, has_person_id=True):
    return sorted(run_sql("persons_id_repeated", given={"person_records": records}, has_person_id=has_person_id))


def test_every_record_of_an_id_that_two_files_share_is_returned_and_so_is_one_without(run_sql):
    assert found(run_sql, RECORDS) == [("a.parquet", 1, "7"), ("b.parquet", 1, "7"), ("b.parquet", 2, None)]


def test_ids_that_stand_once_are_fine(run_sql):
    alone = "person_file | person_row | PERSON_ID\n-\na.parquet | 1 | 7\na.parquet | 2 | 07"
    assert found(run_sql, alone) == []


def test_without_a_column_of_ids_everything_is_fine(run_sql):
    assert found(run_sql, RECORDS, has_person_id=False) == []
