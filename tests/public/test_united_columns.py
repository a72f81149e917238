"""A value is read as if no other file were there, whatever types the files have; and ids that differ stay apart."""

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import literal, macro_files
from safetab_sql.public.columns import ANSWER, PERSON, PLAIN, WHOLE, Kind, code_of, column_expressions
from safetab_sql.public.sources import Source, stored_types

NOON = datetime(2020, 1, 31, 12, tzinfo=UTC)
STORED = {
    "int64": pa.array([7, 2**53, 2**53 + 1]),
    "int32": pa.array([7, 2**24, 2**24 + 1], pa.int32()),
    "uint64": pa.array([7, 2**63], pa.uint64()),
    "double": pa.array([7.0, 0.1, 2.0**53 + 2]),
    "float": pa.array([7.0, 0.1], pa.float32()),
    "half": pa.array(np.array([7.0, 0.5], np.float16)),
    "decimal of 2": pa.array([Decimal("1.50"), Decimal("7.00")], pa.decimal128(5, 2)),
    "wider decimal of 2": pa.array([Decimal("1.50")], pa.decimal128(9, 2)),
    "decimal of 3": pa.array([Decimal("1.500")], pa.decimal128(8, 3)),
    "whole decimal": pa.array([Decimal(7), Decimal(2**53 + 1)], pa.decimal128(20, 0)),
    "widest decimal": pa.array([Decimal(10**37 + 1)], pa.decimal128(38, 0)),
    "too wide a decimal": pa.array([Decimal(10**50), Decimal(10**50 + 1)], pa.decimal256(60, 0)),
    "text": pa.array(["7", "07", "1.50", "true", "2020-01-31", str(uuid.UUID(int=7))]),
    "categories": pa.array(["7", "07"]).dictionary_encode(),
    "numbered categories": pa.array([7, 2**53 + 1]).dictionary_encode(),
    "boolean": pa.array([True, False]),
    "date": pa.array([date(2020, 1, 31)]),
    "time": pa.array([NOON.replace(tzinfo=None)], pa.timestamp("us")),
    "finer time": pa.array([NOON.replace(tzinfo=None)], pa.timestamp("ns")),
    "moment": pa.array([NOON], pa.timestamp("us", "UTC")),
    "bytes": pa.array([b"7"]),
    "list": pa.array([["7"]]),
    "nothing": pa.nulls(1),
}
KINDS = {"person": PERSON, "plain": PLAIN, "answer": ANSWER, "code": code_of(4), "whole": WHOLE}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("united")
    found = {name: folder / f"{name}.parquet" for name in [*STORED, "uuid", "json"]}
    for name, values in STORED.items():
        pq.write_table(pa.table({"c": values}), found[name])
    for name, value in {"uuid": f"'{uuid.UUID(int=7)}'::uuid", "json": "'7'::json"}.items():
        duckdb.sql(f"select {value} as c").write_parquet(str(found[name]))
    return found


def read(kind: Kind, *stored: Path) -> list[object] | None:
    """What is read of the files together, in their order; None where they are refused."""
    try:
        call = column_expressions("given", stored_types(Source("given", stored, is_text=False), stored), {"c": kind})
    except InputError:
        return None
    rows = f"read_parquet({literal(list(map(str, stored)))}, union_by_name = true)"
    return [value for (value,) in _macros().execute(f"select {call['c']} from {rows}").fetchall()]


@cache
def _macros() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for macro in macro_files().values():
        connection.execute(macro.body)
    return connection


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.each_time("person", "code")
def test_a_value_is_read_as_if_no_other_file_were_there(kind, files):
    """Or as a fraction, which is no code: a double of 2^53 and more may have been any of several numbers."""
    alone = {name: read(kind, file) for name, file in files.items()}
    for one, other in combinations([name for name, values in alone.items() if values is not None], 2):
        expected = [*(alone[one] or ()), *(alone[other] or ())]
        for value, wanted in zip(read(kind, files[one], files[other]) or expected, expected, strict=True):
            is_fraction = kind is not PERSON and str(wanted).isdecimal() and "." in str(value)
            assert value == wanted or is_fraction, (one, other)


def test_ids_are_text_or_whole_numbers_of_one_type_and_others_are_named_with_their_files(files):
    alone = {name: read(PERSON, file) for name, file in files.items()}
    whole = {"int64", "int32", "uint64", "whole decimal", "widest decimal", "numbered categories"}
    texts = {"text", "categories"}
    assert {name for name, values in alone.items() if values is not None} == whole | texts | {"uuid", "nothing"}
    assert all(len(set(values)) == len(values) for values in alone.values() if values is not None)
    for one, other in combinations([*whole, *texts, "uuid"], 2):
        is_read = read(PERSON, files[one], files[other]) is not None
        assert is_read == ({one, other} <= whole or {one, other} <= texts), (one, other)
    stored = (files["decimal of 2"], files["decimal of 3"])
    with pytest.raises(InputError, match=r"stored as decimal128\(5, 2\) \(decimal of 2.parquet\), decimal128\(8, 3\)"):
        column_expressions("given", stored_types(Source("given", stored, is_text=False), stored), {"c": PLAIN})
