"""simulate --parameters: made-up records for any shape; those of configs/ pass every check."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from safetab_sql.public.gate import NOTHING_CONFIDENTIAL
from safetab_sql.public.lists import read_groups, write_lists
from tests.cli.command import call
from tests.conftest import REPOSITORY

CONFIGS = REPOSITORY / "configs"
SHAPES = {"norland": CONFIGS / "norland" / "parameters.toml", "hospitals": CONFIGS / "hospitals.toml"}


def inputs(folder: Path) -> tuple[str | Path, ...]:
    files = {"--parameters": "parameters.toml", "--persons": "persons.parquet", "--geography": "geography.parquet"}
    return tuple(word for option, name in files.items() for word in (option, folder / name))


def test_made_up_records_have_the_persons_that_the_parameters_bound(tmp_path):
    """Some have more records than are counted, nobody more than 36, and the columns that order them are there."""
    unit = 'many = "stays"\nperson = "PATIENT"\nmost_records = 3\nkeep = { order = ["DATE desc"] }\n'
    text = SHAPES["hospitals"].read_text(encoding="utf-8").replace('many = "stays"\n', unit)
    (tmp_path / "parameters.toml").write_text(text, encoding="utf-8")
    options = ("--parameters", tmp_path / "parameters.toml", "--people", "2000", "--quiet")
    assert call("simulate", *options, "--out", tmp_path / "made").code == 0
    assert call("validate", *inputs(tmp_path / "made"), "--quiet", "--threads", "1").code == 0
    made = pq.read_table(tmp_path / "made" / "persons.parquet")
    records = Counter(made["PATIENT"].to_pylist())
    assert 3 < max(records.values()) <= 36
    assert 300 < len(records) < 1_000
    assert all(re.fullmatch(r"2020-\d\d-\d\d", day) for day in made["DATE"].to_pylist())


def test_made_up_records_have_values_that_count_as_others_and_the_labels_lie_beside_them(tmp_path):
    text = SHAPES["hospitals"].read_text(encoding="utf-8")
    age = 'AGE = { column = "AGE", map = { "110+" = 110, NS = "not stated" }, null = "not stated" }'
    answers = 'column = "MDC"\nmap = { x = "01" }\nnull = "NA"\nother = "NA"'
    text = text.replace('AGE = { column = "AGE" }', age).replace('column = "MDC"', answers)
    text += '[labels]\ndiagnosis = "names.csv"\n'
    (tmp_path / "parameters.toml").write_text(text, encoding="utf-8")
    (tmp_path / "names.csv").write_text("CODE,MEANING\n01,Nerves\n", encoding="utf-8")
    options = ("--parameters", tmp_path / "parameters.toml", "--people", "2000", "--quiet")
    made = call("simulate", *options, "--out", tmp_path / "made")
    assert (made.code, made.stderr) == (0, "")
    records = pq.read_table(tmp_path / "made" / "persons.parquet")
    assert {"x", "01", None} <= set(records["MDC"].to_pylist())
    assert {"110+", "NS", None} <= set(records["AGE"].to_pylist())
    assert call("validate", *inputs(tmp_path / "made"), "--quiet", "--threads", "1").code == 0


def test_the_lists_of_norland_are_those_of_its_table_of_groups(tmp_path):
    write_lists(read_groups(CONFIGS / "norland" / "groups.csv", NOTHING_CONFIDENTIAL), tmp_path, several=True)
    stored = {file.name: file.read_bytes() for file in (CONFIGS / "norland" / "code-lists").iterdir()}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == stored


def test_places_of_several_parts_and_columns_differ(tmp_path):
    text = SHAPES["norland"].read_text(encoding="utf-8")
    text = text.replace('{ MUNICIPALITY = "text" }', "{ MUNICIPALITY = 3, WARD = 2 }")
    shutil.copytree(SHAPES["norland"].parent / "code-lists", tmp_path / "code-lists")
    (tmp_path / "parameters.toml").write_text(text, encoding="utf-8")
    options = ("--parameters", tmp_path / "parameters.toml", "--people", "20000")
    made = call("simulate", *options, "--out", tmp_path / "made")
    assert made.code == 0, made.stderr
    rows = pq.read_table(tmp_path / "made" / "geography.parquet").to_pylist()
    assert len({(row["MUNICIPALITY"], row["WARD"]) for row in rows}) == len(rows) == 80
    assert {row["TERRITORY"] for row in rows} == {"M", "I"}
