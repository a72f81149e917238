"""The gate that every public input passes: records, copies of them, exact counts and changed releases stay outside."""

import json
import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import mark_image, marked_columns, marked_json, marked_table, sha256_of
from safetab_sql.public.gate import public_file, public_source, records_at

ROWS = pa.table({"PLACE": ["a", "b", "b", None], "SEX": ["1", "2", "1", "2"], "AGE": [3, 40, None, 80]})
OTHERS = ROWS.slice(0, 3)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    (tmp_path / "records").mkdir()
    pq.write_table(ROWS, tmp_path / "records" / "one.parquet")
    pq.write_table(pa.concat_tables([ROWS, ROWS]), tmp_path / "records" / "two.parquet")
    return tmp_path / "records"


def refusal(given: str | Path, records: Path, *, is_file: bool = False) -> str:
    opened = public_file if is_file else public_source
    try:
        opened("reference", given, records_at(records))
    except InputError as error:
        return str(error)
    return ""


def _folder(place: Path, file: Path) -> Path:
    folder = place.with_suffix("")
    folder.mkdir()
    pq.write_table(ROWS.slice(0, 1), folder / "a.parquet")
    shutil.copy(file, folder / "b.parquet")
    return folder


WAYS = {
    "itself": lambda _, file: file,
    "symbolic link": lambda place, file: place.symlink_to(file) or place,
    "hard link": lambda place, file: place.hardlink_to(file) or place,
    "copy": lambda place, file: Path(shutil.copy(file, place)),
    "in a folder": _folder,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_records_are_no_public_input_under_another_name(way, records, tmp_path):
    said = refusal(way(tmp_path / "public.parquet", records / "one.parquet"), records)
    assert "of the records" in said
    assert "a reference lists every value that a record may have, whether any has it" in said


def test_records_of_text_are_no_specification(tmp_path):
    csv.write_csv(ROWS, tmp_path / "records.csv")
    spec = Path(shutil.copy(tmp_path / "records.csv", tmp_path / "spec.toml"))
    assert "same bytes" in refusal(spec, tmp_path / "records.csv", is_file=True)


def test_what_is_no_copy_of_the_records_passes(records, tmp_path):
    pq.write_table(pa.table({"PLACE": ["a", "b"]}), tmp_path / "public.parquet")
    assert refusal(tmp_path / "public.parquet", records) == ""


def test_another_table_of_the_database_of_the_records_passes(tmp_path):
    with duckdb.connect(tmp_path / "all.duckdb") as connection:
        connection.from_arrow(ROWS).create("persons")
        connection.from_arrow(pa.table({"PLACE": ["a", "b"]})).create("places")
    records = f"{tmp_path}/all.duckdb::persons"
    assert refusal(f"{tmp_path}/all.duckdb::places", records) == ""
    assert "is a file of the records" in refusal(records, records)


MARKED = {
    "a.parquet": lambda file: pq.write_table(marked_table(OTHERS), file),
    "a.csv": lambda file: csv.write_csv(marked_columns(OTHERS), file),
    "a.json": lambda file: file.write_text(json.dumps({"b": 1} | marked_json({"a": 1}))),
    "a.svg": lambda file: (file.write_text("<svg>x</svg>"), mark_image(file)),
    "a.log": lambda file: file.write_text("2020 started; confidential: made from exact counts\n"),
}


@pytest.mark.parametrize("name", MARKED)
def test_what_says_that_it_was_made_from_exact_counts_is_refused(name, records, tmp_path):
    MARKED[name](tmp_path / name)
    assert "made from exact counts" in refusal(tmp_path / name, records, is_file=True)


def test_a_file_of_a_release_passes_only_as_the_release_has_it(records, tmp_path):
    (file := tmp_path / "t1" / "t1.parquet").parent.mkdir()
    pq.write_table(ROWS.slice(0, 2), file)
    said = {"files": [{"file": "t1/t1.parquet", "sha256": sha256_of(file)}]}
    (tmp_path / "manifest.json").write_text(json.dumps(said))
    assert refusal(file, records) == ""
    more = Path(shutil.copy(file, tmp_path / "t1" / "more.parquet"))
    assert "whose manifest does not name it" in refusal(more, records)
    pq.write_table(ROWS.slice(0, 2), file, compression="gzip")
    assert "has another SHA-256 than" in refusal(file, records)


def test_all_inputs_that_may_not_pass_are_named_at_once(records, tmp_path):
    for name in ("a", "b"):
        pq.write_table(marked_table(OTHERS), tmp_path / f"{name}.parquet")
    assert refusal(tmp_path / "*.parquet", records).count("says of itself") == 2
