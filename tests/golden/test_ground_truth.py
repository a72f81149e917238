"""The exact tables equal known answers, cell for cell, and bad input is refused."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.validate import validate
from safetab_sql.kit.errors import InputError

# A case, and the region types that are tabulated; all of them where none is named.
CASES = [
    pytest.param(("toy",), id="toy"),
    pytest.param(("pr_dev", "PR-STATE", "PR-PLACE"), id="pr_dev-some"),
    pytest.param(("us_small", "STATE", "AIANNH"), id="us_small-some"),
    pytest.param(("pr_dev",), id="pr_dev", marks=pytest.mark.slow),
    pytest.param(("us_small",), id="us_small", marks=pytest.mark.slow),
]


def _differences(expected: Path, found: Path, region_types: Sequence[str] = ()) -> list[tuple[object, ...]]:
    """Up to ten rows that stand more often in one of two Parquet files than in the other."""
    with duckdb.connect() as connection:
        connection.execute("set memory_limit = '3GB'")
        wanted, made = (connection.read_parquet(str(file)) for file in (expected, found))
        if region_types:
            wanted = wanted.filter(f"REGION_TYPE in {tuple(region_types)}")
        columns = ", ".join(wanted.columns)
        if set(made.columns) != set(wanted.columns):
            return [("columns", *made.columns)]
        # Rows alike in number and in the sum of their 64-bit hashes: no difference, but for a chance of 2^-60.
        fingerprint = f"count(*), sum(hash({columns})::hugeint), bit_xor(hash({columns}))"
        if wanted.aggregate(fingerprint).fetchall() == made.aggregate(fingerprint).fetchall():
            return []
        wanted, made = wanted.select(columns), made.select(columns)
        return [
            (which, *row)
            for which, rows in (("missing", wanted.except_(made)), ("extra", made.except_(wanted)))
            for row in rows.limit(5).fetchall()
        ]


@pytest.mark.parametrize("table", ["t1", "t2"])
@pytest.mark.parametrize("known", CASES)
@pytest.mark.each_time("toy")
def test_the_exact_tables_equal_the_known_answers_row_for_row(known, table, case, exact_tables):
    name, *region_types = known
    expected = case(name) / "expected" / f"{table}.parquet"
    assert _differences(expected, exact_tables(*known) / f"{table}.parquet", region_types) == []


@pytest.mark.parametrize(
    "change",
    [
        "select * replace (COUNT + (COUNT = 3)::int as COUNT) from '{file}'",
        "select * from '{file}' where not (COUNT = 0 and ITERATION_CODE = '3081')",
        "select * from '{file}' union all select * from '{file}' where COUNT = 3",
    ],
    ids=["wrong count", "row missing", "row twice"],
)
def test_the_comparison_with_known_answers_notices(change, case, tmp_path):
    expected = case("toy") / "expected" / "t1.parquet"
    duckdb.sql(change.format(file=expected)).write_parquet(str(tmp_path / "t1.parquet"))
    assert _differences(expected, tmp_path / "t1.parquet") != []


def test_a_code_after_a_null_is_refused_and_the_columns_are_named(case_inputs):
    with pytest.raises(
        InputError, match=r"person-records.txt \[QRACE1, .*\]: .*code\(s\) in a column after an empty one"
    ):
        validate(case_inputs("invalid_code_after_null"))
