"""A canary scan: what the custodian's files hold and are is nowhere in what a run leaves or says.

The canaries: the number of people, every exact count of 1,000 and more, texts and a number in columns of the records
that are not read, the names of these, and of the person file its name, folder, size, inode, time and digests. The noise
of these runs is so wide (standard deviation near 10^12) that a noisy count is an exact one with a chance below 10^-6.
"""

import hashlib
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from safetab_sql import Resources, run
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.kit.progress import Progress
from tests.cli.command import Result, call, inputs
from tests.cli.nations import paths
from tests.nations import Tables, exact, sample_nation
from tests.trust.corruption import parquet_nation
from tests.trust.processes import names

WIDE = "1e-23"  # rho of a level: noise with a standard deviation of nearly 10^12, the widest there is
TEXTS = ("Zebulon Quarrington", "kestrel-heron-7", "INTERVIEWER_REMARK", "LINKAGE_KEY")
LINKAGE_KEY = 918_273_645_546
PEOPLE = 6_037
PERSON_FILE = "extract-of-the-14th-v3.parquet"
PERSON_FOLDER = "vault-nine"


@dataclass(frozen=True, slots=True)
class Scan:
    """A run of the canaries: the exact counts, where its person file was, what it said, and the folders it used."""

    counts: Tables
    person_file: Path
    done: Result
    folder: Path


@pytest.fixture(scope="module")
def told(scan: "Scan") -> str:
    """What the run said, every name and every byte of OUT, and every value and note of its tables."""
    texts = [scan.done.stdout, scan.done.stderr]
    for file in sorted((scan.folder / "out").rglob("*")):
        texts.append(str(file.relative_to(scan.folder)))
        if file.suffix == ".parquet":
            metadata = pq.read_metadata(file)
            texts += [str(metadata.schema), str(metadata.metadata), str(pq.read_table(file).to_pydict())]
        elif file.is_file():
            texts.append(file.read_text(encoding="utf-8"))
    return "\n".join(texts)


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    """A run of the command line at its default verbosity, in an empty folder, with its own folder for scratch."""
    folder = tmp_path_factory.mktemp("leaks")
    names_of_levels = [f"{region_type}-{level}" for region_type in ("USA", "STATE", "COUNTY") for level in (1, 2)]
    levels = {name: {"budget": 1, "thresholds": [471, 971, 6971]} for name in names_of_levels}
    nation = sample_nation(PEOPLE).with_parameters(levels=levels, run_pr=False, gamma=0.5)
    counts = exact(nation, folder / "exact")
    wide = {name: {**level, "budget": "wide"} for name, level in levels.items() if name.endswith("-1")}
    parquet = parquet_nation(folder, nation.with_parameters(levels=wide))
    parameters = parquet / "parameters.toml"
    parameters.write_text(parameters.read_text(encoding="utf-8").replace('"wide"', WIDE))
    original, person_file = (parquet / PERSON_FOLDER / name for name in ("persons.parquet", PERSON_FILE))
    (parquet / "persons").rename(parquet / PERSON_FOLDER)
    extra = f"'{TEXTS[0]}' as {TEXTS[2]}, {LINKAGE_KEY} + row_number() over () as {TEXTS[3]}, '{TEXTS[1]}' as note"
    duckdb.sql(f"copy (select *, {extra} from '{original}') to '{person_file}' (format parquet)")
    original.unlink()
    (folder / "temporary").mkdir()
    arguments = [str(word) for word in inputs(parquet)]
    arguments[arguments.index(str(parquet / "persons"))] = str(parquet / PERSON_FOLDER)
    (folder / "here").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder / "temporary"))
        patch.setattr(tempfile, "tempdir", None)  # it is looked for again
        patch.chdir(folder / "here")
        done = call("run", *arguments, "--out", folder / "out")
    return Scan(counts, person_file, done, folder)


def numbers(scan: Scan) -> set[int]:
    """The numbers among the canaries; no code of a list, nor a year, is one."""
    found = scan.person_file.stat()
    counts = {count for count in (*scan.counts.t1.values(), *scan.counts.t2.values()) if count >= 1_000}
    codes = numbers_in("\n".join(path.read_text() for path in (scan.folder / "text").glob("*iteration*.txt")))
    canaries = {PEOPLE, LINKAGE_KEY + 1, LINKAGE_KEY + PEOPLE, found.st_size, found.st_ino, found.st_mtime_ns}
    return (counts - codes - {datetime.now(UTC).year}) | canaries | {int(found.st_mtime)}


def numbers_in(text: str) -> set[int]:
    """The whole numbers that stand in a text, with separators or without."""
    found = re.findall(r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d+)(?![\w.])", text)
    return {int(number.replace(",", "")) for number in found}


def test_no_number_and_no_text_of_the_canaries_is_told_in_words_or_bytes_and_one_would_be_found(scan, told):
    assert numbers(scan) & numbers_in(told) == set()
    assert len(numbers(scan)) > 40
    # As eight bytes, which is how counts are stored; only those that fill enough of them to mean something.
    content = b"".join(file.read_bytes() for file in scan.folder.glob("out/*/*.parquet"))
    wide = [number for number in numbers(scan) if number >= 2**24]
    assert (len(wide) >= 3, [number for number in wide if number.to_bytes(8, "little") in content]) == (True, [])
    everything = [told, *(file.read_bytes().decode("latin-1") for file in scan.folder.glob("out/*/*.parquet"))]
    digests = [hashlib.new(kind, scan.person_file.read_bytes()).hexdigest() for kind in ("sha256", "md5", "sha1")]
    stems = [PERSON_FILE.removesuffix(".parquet"), PERSON_FOLDER]
    assert [text for text in (*TEXTS, *digests, *stems) if any(text in one for one in everything)] == []
    # A count of the release, the name of a public file: these are found where canaries are not.
    count = pq.read_table(scan.folder / "out" / "t1" / "t1.parquet")["COUNT"][0].as_py()
    assert (abs(count) in numbers_in(told), "geography.parquet" in told) == (True, True)


def test_nothing_is_left_in_the_folder_for_temporary_files_or_where_the_command_was_given(scan):
    assert (names(scan.folder / "temporary"), names(scan.folder / "here")) == ([], [])


def test_what_the_console_says_does_not_depend_on_the_people(scan):
    """These lines, whoever is counted."""
    stages = ("checking the inputs", "counting population groups", "adding noise to totals", "counting tables")
    wanted = [f"{stage} ..." for stage in (*stages, "adding noise to tables", "writing tables")]
    assert scan.done.stderr.splitlines() == wanted


# --- modes ---


@pytest.mark.parametrize("mask", [0o027, pytest.param(0o077, marks=pytest.mark.slow), 0o000], ids=oct)
@pytest.mark.each_time("0o27")
@pytest.mark.slow
def test_a_release_has_the_modes_that_the_umask_gives_and_all_else_is_its_owners_alone(tiny_nation, folder, mask):
    seen: dict[str, int] = {}

    def look(stage: str) -> None:
        (scratch,) = folder.glob("safetab-sql-scratch-*")
        seen[stage] = stat.S_IMODE(scratch.stat().st_mode)

    before = os.umask(mask)
    try:
        run(
            paths(tiny_nation),
            folder / "out",
            ledger_file=LedgerFile(folder / "ledger"),
            resources=Resources(threads=1, scratch=folder, confidential_log=folder / "log"),
            progress=Progress(stage=look),
        )
    finally:
        os.umask(before)
    modes = {path.is_dir(): set[int]() for path in (folder, folder / "log")}
    for path in [folder / "out", *(folder / "out").rglob("*")]:
        modes[path.is_dir()].add(stat.S_IMODE(path.stat().st_mode))
    assert modes == {True: {0o777 & ~mask}, False: {0o666 & ~mask}}
    private = {name: stat.S_IMODE((folder / name).stat().st_mode) for name in ("ledger", "log")}
    assert (private, set(seen.values())) == ({"ledger": 0o600, "log": 0o600}, {0o700})
