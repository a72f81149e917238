"""csv-metadata.json and the code lists: they describe what stands in the tables, column by column and code by code."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.jobs.run import run
from safetab_sql.published import csvw
from tests.nations import sample_nation, write_nation


def described(out: Path) -> dict[str, dict[str, Any]]:
    """The tables that the metadata describe, by their places."""
    metadata = json.loads((out / "csv-metadata.json").read_text(encoding="utf-8"))
    return {table["url"]: table for table in metadata["tables"]}


def names(table: dict[str, Any]) -> list[str]:
    return [column["titles"] for column in table["tableSchema"]["columns"]]


def codes(out: Path, column: str) -> dict[str, str]:
    with (out / "codes" / f"{column}.csv").open(encoding="utf-8", newline="") as stream:
        return {row["CODE"]: row["MEANING"] for row in csv.DictReader(stream)}


def test_every_table_is_described_with_its_columns_in_their_order(release):
    found = {url: names(table) for url, table in described(release()).items() if url.endswith(".parquet")}
    files = [path.relative_to(release()).as_posix() for path in release().rglob("*.parquet")]
    assert found == {file: pq.read_schema(release() / file).names for file in files}


def test_what_cannot_be_described_costs_nothing(tmp_path, monkeypatch):
    """A type of a column without a word in the metadata was found out after all noise."""
    monkeypatch.setattr(csvw, "_TYPES", {})
    ledger = LedgerFile(tmp_path / "ledger")
    with pytest.raises(KeyError):
        run(write_nation(sample_nation(617), tmp_path), tmp_path / "out", ledger_file=ledger)
    assert not (tmp_path / "ledger").exists()


def test_every_code_list_is_described_and_named_by_a_foreign_key(release):
    tables = described(release())
    lists = {url for url in tables if url.startswith("codes/")}
    keys = [key["reference"] for table in tables.values() for key in table["tableSchema"].get("foreignKeys", [])]
    assert {(release() / url).is_file() for url in lists} == {True}
    assert {key["resource"] for key in keys} == lists


def test_a_code_has_its_meaning(release):
    out = release()
    assert (codes(out, "SEX")["2"], codes(out, "STATISTIC")["age4"]) == ("female", "SEX by AGE (4 groups)")
    types = codes(out, "REGION_TYPE")
    assert types["COUNTY"] == "a region for each value of TABBLKST || TABBLKCOU of the geography, in part US"
    assert types["USA"] == "one region, 1, in part US"


def test_a_primary_key_names_one_row(release):
    for url, table in described(release()).items():
        if url.endswith(".parquet"):
            key = pq.read_table(release() / url, columns=table["tableSchema"]["primaryKey"])
            assert key.group_by(key.column_names).aggregate([]).num_rows == key.num_rows
