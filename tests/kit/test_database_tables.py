"""Tables of a database are copied with all that they hold."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.database import Resources
from safetab_sql.kit.database_tables import copy_table_of


@pytest.mark.parametrize("kind", ["hugeint", "uhugeint"])
@pytest.mark.parametrize("largest", [2**53 + 1, 10**38 - 1, 10**38], ids=["decimal", "38 digits", "39 digits"])
def test_numbers_of_128_bits_keep_their_digits(tmp_path: Path, kind: str, largest: int) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        rows = f"({largest}::{kind}, 'x'), ({largest - 1}::{kind}, 'y'), (null, 'z')"
        connection.execute(f'create table t as from (values {rows}) as rows("a.b ""c""", d)')
    copy_table_of(tmp_path / "a.duckdb", ("main", "t"), tmp_path / "t.parquet", Resources())
    (number, _), *_ = found = duckdb.read_parquet(str(tmp_path / "t.parquet")).fetchall()
    assert [(value if value is None else int(value), text) for value, text in found] == [
        *((largest, "x"), (largest - 1, "y")),
        (None, "z"),
    ]
    assert isinstance(number, str) == (largest >= 10**38)
