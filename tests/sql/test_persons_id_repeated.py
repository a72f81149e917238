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
