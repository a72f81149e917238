"""row_hash: whether two files hold the same rows."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def row_hash(run_sql, tmp_path):
    def of(rows, **options):
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(pa.table(rows), file, **options)
        ((found,),) = run_sql("row_hash", compared_files=[str(file)], compared_columns=["A", "B"])
        return found

    return of


def test_the_same_rows_in_another_order_type_and_compression_have_one_hash(row_hash):
    one = row_hash({"A": ["1", "2", None], "B": [7, 8, 9]})
    assert one == row_hash({"B": ["9", "7", "8"], "A": [None, 1, 2]}, compression="gzip")


def test_values_that_change_places_change_the_hash(row_hash):
    assert row_hash({"A": [1, 2], "B": [3, 4]}) != row_hash({"A": [1, 2], "B": [4, 3]})
    assert row_hash({"A": [1], "B": [2]}) != row_hash({"A": [2], "B": [1]})
