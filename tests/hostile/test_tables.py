"""Tables of somebody who means harm: files that unpack to more than they seem, odd names, endless headers."""

import gzip
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.as_parquet import text_values
from safetab_sql.public.sources import find_code_lists, find_source, stored_types
from tests.census import list_files
from tests.cli.command import call, inputs
from tests.cli.nations import simulate_few_states


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "nation"
    simulate_few_states(folder, people=7_500)
    return folder


@pytest.fixture
def spoilt(nation: Path, tmp_path: Path) -> Path:
    shutil.copytree(nation, tmp_path / "nation")
    return tmp_path / "nation"


def refused(given: Path) -> str:
    with pytest.raises(InputError) as refusal:
        find_source(given)
    return str(refusal.value)


@pytest.mark.parametrize("name", ["persons.txt.gz", "persons.csv.zst", "persons.zip", "persons.parquet.gz"])
def test_packed_text_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"QAGE|QSEX\n" + b"0" * 10**6))
    assert "neither Parquet nor text" in refused(tmp_path / name)


@pytest.mark.parametrize("name", ["persons.txt", "persons.parquet"])
def test_packed_text_is_not_read_through_a_link_of_another_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"0" * 10**6))
    (tmp_path / name).symlink_to(tmp_path / "bomb.csv.gz")
    assert "neither Parquet nor text" in refused(tmp_path / name)


@pytest.mark.slow
def test_a_packed_code_list_is_not_read_through_a_link(spoilt: Path) -> None:
    lists = spoilt / "code-lists"
    codes = lists / "race-and-ethnicity-codes.txt"
    codes.rename(lists / "codes.gz")
    codes.symlink_to(lists / "codes.gz")
    with pytest.raises(InputError, match=r"race-and-ethnicity-codes\.txt \(or \.csv, or \.parquet\) is not there"):
        find_code_lists(lists, list_files())


def test_text_that_is_packed_under_a_plain_name_is_no_table(spoilt: Path) -> None:
    codes = spoilt / "code-lists" / "race-and-ethnicity-codes.txt"
    codes.write_bytes(gzip.compress(codes.read_bytes()))
    refusal = call("validate", *inputs(spoilt), "--quiet")
    assert (refusal.code, str(codes) in refusal.stderr) == (2, True)
    assert refusal.stderr.replace("\n", "").isprintable()


def bomb(path: Path, megabytes: int) -> Path:
    """A person file with a race code that is one text of so many megabytes: 40 bytes in the file for each of them."""
    codes = pa.array(["0" * (megabytes * 2**20)])
    small = {name: pa.array(["1"]) for name in ("QSEX", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "QSPAN")}
    races = {f"QRACE{number}": pa.array(["Null"]) for number in range(2, 9)}
    table = pa.table({"QAGE": pa.array([1]), **small, "QRACE1": codes, **races})
    pq.write_table(table, path, compression="zstd", write_statistics=False)
    return path


@pytest.mark.slow
def test_a_page_that_unpacks_to_a_thousand_times_its_size_stays_within_the_memory_limit(spoilt: Path) -> None:
    for file in (spoilt / "persons").glob("*.parquet"):
        file.unlink()
    file = bomb(spoilt / "persons" / "bomb.parquet", 150)
    assert file.stat().st_size < 2**20
    words = ("validate", *inputs(spoilt), "--quiet", "--memory-limit", "100MB", "--threads", "1")
    done = subprocess.run(
        [sys.executable, "-m", "safetab_sql", *map(str, words)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30)),
        check=False,
        timeout=120,
    )
    assert (done.returncode in (1, 2), "Traceback" in done.stderr) == (True, False), done.stderr[:2000]
    assert "memory" in done.stderr or "corrupt" in done.stderr, done.stderr[:2000]
    assert len(done.stderr) < 20_000


def test_a_header_of_60_000_pipes_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_bytes(b"|" * 60_000 + b"\n")
    start = time.monotonic()
    found = text_values(tmp_path / "p.txt")
    assert isinstance(found, Problem)
    assert time.monotonic() - start < 5  # it took minutes to compare every name with every other


@pytest.mark.parametrize(
    ("header", "delimiter", "quote"),
    [("a,b", ",", '"'), ("a;b,c;d", ";", '"'), ("a\tb", "\t", '"'), ("a;b|c", "|", ""), ("a", "|", "")],
)
def test_the_header_says_what_separates_fields(tmp_path: Path, header: str, delimiter: str, quote: str) -> None:
    (tmp_path / "p.txt").write_text(header + "\n")
    found = text_values(tmp_path / "p.txt")
    assert isinstance(found, dict)
    assert (found["delimiter"], found["quotation_mark"]) == (delimiter, quote)


def test_a_header_that_never_ends_is_not_read_to_its_end(tmp_path: Path, spoilt: Path) -> None:
    (spoilt / "code-lists" / "race-and-ethnicity-codes.txt").write_bytes(b"x" * 10**7)
    refusal = call("validate", *inputs(spoilt), "--quiet")
    assert (refusal.code, len(refusal.stderr) < 10_000) == (2, True)


ODD_NAMES = (
    *("it's; drop table persons; --", "{{ 7 * 7 }}{% for x in y %}", "new\nline", "\u202etxt", "реrsons", "$persons"),
    *("a{b,c}", 'a"b', "%2e%2e", "~", "QAGE=5", "-", "--persons"),
)


@pytest.mark.slow
def test_odd_names_of_inputs_and_outputs_are_names_and_nothing_else(nation: Path, tmp_path: Path) -> None:
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


@pytest.mark.slow
def test_a_backslash_is_refused_in_the_scratch_folder_and_fine_elsewhere(nation: Path, tmp_path: Path) -> None:
    folder = tmp_path / "back\\slash"
    shutil.copytree(nation, folder)
    assert call("run", *inputs(folder), "--out", tmp_path / "o\\ut", "--quiet").code == 0
    refusal = call("validate", *inputs(folder), "--scratch", folder, "--quiet")
    assert (refusal.code, "--scratch: a \\ in its path" in refusal.stderr) == (2, True)


@pytest.mark.parametrize("name", ["a[1].parquet", "a?.parquet", "a*.parquet"])
def test_a_file_whose_name_stands_for_others_is_refused_before_they_are_read(tmp_path: Path, name: str) -> None:
    for file in (name, "a1.parquet"):
        pq.write_table(pa.table({"n": [1]}), tmp_path / file)
    source = find_source(tmp_path / name)
    with pytest.raises(InputError, match=r"read as a pattern, its path stands for .*a1\.parquet as well"):
        stored_types(source, source.files)


def test_a_file_whose_name_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.parquet")).touch()
    assert "bad\\udcff.parquet: its path is not UTF-8" in refused(tmp_path)


def test_hostile_column_names_are_echoed_harmlessly(spoilt: Path) -> None:
    pq.write_table(pa.table({"\x1b[2J{{ 7 }}'\"$x": ["1"]}), spoilt / "geography.parquet")
    refusal = call("validate", *inputs(spoilt), "--quiet")
    assert (refusal.code, "found \\x1b[2J{{ 7 }}'\"$x" in refusal.stderr) == (2, True)


def test_hostile_values_are_echoed_harmlessly(spoilt: Path) -> None:
    with (spoilt / "code-lists" / "race-and-ethnicity-codes.txt").open("a") as stream:
        stream.write("\x1b[2J|'; drop table codes; -- <script>{{ 7 }}\n")
    refusal = call("validate", *inputs(spoilt), "--quiet")
    assert (refusal.code, "code=\\x1b[2J" in refusal.stderr) == (2, True)


@pytest.mark.slow
def test_hostile_names_of_iterations_change_nothing(spoilt: Path, nation: Path, tmp_path: Path) -> None:
    races = spoilt / "code-lists" / "race-characteristic-iterations.txt"
    header, *lines = races.read_text(encoding="utf-8").splitlines()
    name = header.split("|").index("ITERATION_NAME")
    hostile = "'; drop table persons; --<script>alert(1)</script>{{ 7 * 7 }}{% for x in y %}\u202e\x1b[2J"
    rows = [line.split("|") for line in lines]
    races.write_text("\n".join([header, *("|".join([*r[:name], hostile, *r[name + 1 :]]) for r in rows)]) + "\n")
    plans = [
        call("plan", *inputs(folder)[:2], *inputs(folder)[-2:], "--geography", folder / "geography.parquet")
        for folder in (nation, spoilt)
    ]
    assert plans[0] == plans[1]
    assert plans[0].code == 0
