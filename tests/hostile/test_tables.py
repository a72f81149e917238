"""Tables of somebody who means harm: files that unpack to more than they seem, odd names, endless headers."""

import gzip
import os
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.sources import find_source, stored_types
from safetab_sql.public.text_files import text_header
from tests.cli.command import call, inputs
from tests.nations import sample_nation
from tests.trust.corruption import parquet_nation


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny nation in Parquet, but for its list of codes."""
    folder, of = tmp_path_factory.mktemp("hostile"), sample_nation(60)
    levels = {name: of.parameters["levels"][name] for name in ("STATE-1", "STATE-2", "COUNTY-1")}
    nation = parquet_nation(folder, of.with_parameters(run_pr=False, levels=levels))
    (nation / "code-lists" / "race-and-ethnicity-codes.parquet").unlink()
    shutil.copy(folder / "text" / "race-and-ethnicity-codes.txt", nation / "code-lists")
    return nation


@pytest.fixture
def spoilt(nation: Path, tmp_path: Path) -> Path:
    shutil.copytree(nation, tmp_path / "nation")
    return tmp_path / "nation"


def refused(given: Path) -> str:
    with pytest.raises(InputError) as refusal:
        find_source(given)
    return str(refusal.value)


@pytest.mark.parametrize("name", ["persons.txt.gz", "persons.csv.zst", "persons.zip", "persons.parquet.gz"])
def test_packed_text_is_not_read(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"QAGE|QSEX\n" + b"0" * 10**6))
    assert "is compressed" in refused(tmp_path / name)


def test_text_that_is_packed_under_a_plain_name_is_no_table_and_hostile_column_names_are_echoed_harmlessly(spoilt):
    pq.write_table(pa.table({"\x1b[2J{{ 7 }}'\"$x": ["1"]}), spoilt / "geography.parquet")
    codes = spoilt / "code-lists" / "race-and-ethnicity-codes.txt"
    codes.write_bytes(gzip.compress(codes.read_bytes()))
    refusal = call("validate", *inputs(spoilt), "--quiet")
    said = (str(codes), "found \\x1b[2J{{ 7 }}'\"$x")
    assert (refusal.code, [each in refusal.stderr for each in said]) == (2, [True, True]), refusal.stderr
    assert refusal.stderr.replace("\n", "").isprintable()


def test_a_header_of_60_000_pipes_is_refused_at_once(tmp_path):
    (tmp_path / "p.txt").write_bytes(b"|" * 60_000 + b"\n")
    start = time.monotonic()
    with pytest.raises(InputError, match="has no header row"):
        text_header(tmp_path / "p.txt")
    assert time.monotonic() - start < 5  # it took minutes to compare every name with every other


@pytest.mark.parametrize(
    ("header", "delimiter", "quote"),
    [("a,b", ",", '"'), ("a;b,c;d", ";", '"'), ("a\tb", "\t", '"'), ("a;b|c", "|", ""), ("a", "|", '"')],
)
def test_the_header_says_what_separates_fields(tmp_path, header, delimiter, quote):
    (tmp_path / "p.txt").write_text(header + "\n")
    found = text_header(tmp_path / "p.txt")
    assert (found.delimiter, found.quotation_mark) == (delimiter, quote)


ODD_NAMES = (
    *("it's; drop table persons; --", "{{ 7 * 7 }}{% for x in y %}", "new\nline", "\u202etxt", "реrsons", "$persons"),
    *("a{b,c}", 'a"b', "%2e%2e", "~", "QAGE=5", "-", "--persons"),
)


@pytest.mark.slow
def test_odd_names_of_inputs_and_outputs_are_names_and_nothing_else(nation, tmp_path):
    folder = tmp_path
    for name in ODD_NAMES:
        folder = folder / name
    shutil.copytree(nation, folder)
    done = call("run", *inputs(folder), "--out", folder / ODD_NAMES[0], "--scratch", folder, "--quiet")
    assert (done.code, done.stderr) == (0, "")
    assert sorted(path.name for path in (folder / ODD_NAMES[0]).iterdir()) == [
        "codes",
        "csv-metadata.json",
        "group_index",
        "manifest.json",
        "suppressed",
        "t1",
        "t2",
    ]


@pytest.mark.parametrize("name", ["a[1].parquet", "a?.parquet", "a*.parquet"])
def test_a_file_whose_name_stands_for_others_is_refused_before_they_are_read(tmp_path, name):
    for file in (name, "a1.parquet"):
        pq.write_table(pa.table({"n": [1]}), tmp_path / file)
    source = find_source(tmp_path / name)
    with pytest.raises(InputError, match=r"read as a pattern, its path stands for .*a1\.parquet as well"):
        stored_types(source, source.files)


def test_a_file_whose_name_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / os.fsdecode(b"bad\xff.parquet")).touch()
    assert "bad\\udcff.parquet: its path is not UTF-8" in refused(tmp_path)


def test_hostile_values_are_echoed_harmlessly(spoilt):
    with (spoilt / "code-lists" / "race-and-ethnicity-codes.txt").open("a") as stream:
        stream.write("\x1b[2J|'; drop table codes; -- <script>{{ 7 }}\n")
    refusal = call("validate", *inputs(spoilt), "--quiet")
    assert (refusal.code, "code=\\x1b[2J" in refusal.stderr) == (2, True)
