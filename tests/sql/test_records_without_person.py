"""records_without_person: rows of a private table that name nobody."""

import pyarrow as pa
import pyarrow.parquet as pq


def test_each_row_whose_person_is_missing_is_found(run_sql, tmp_path):
    pq.write_table(pa.table({"ID": ["p1", None, "", None], "AGE": [None, 1, 2, 3]}), tmp_path / "stays.parquet")
    files = [str(tmp_path / "stays.parquet")]
    assert run_sql("records_without_person", view_files=files, person_column="ID") == [(True,), (True,)]
