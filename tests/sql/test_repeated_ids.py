"""repeated_ids: the records without an id, and those whose id another record has."""

RECORDS = """
    record_file | record_row | record_id
    ------------+------------+----------
    a.parquet   |          1 | 7
    a.parquet   |          2 | 8
    b.parquet   |          1 | 7
    b.parquet   |          2 | NULL
"""


def test_records_of_a_shared_id_and_those_without_one_are_returned(run_sql):
    found = run_sql("repeated_ids", given={"table_values": RECORDS})
    assert sorted(found) == [("a.parquet", 1, "7"), ("b.parquet", 1, "7"), ("b.parquet", 2, None)]
