"""Parquet that is cut off, empty or changed is refused or read aright; never a traceback, never a crash."""

from pathlib import Path

import pytest

from tests.cli.command import call, inputs
from tests.trust.corruption import KINDS, Case, spoilt_cases

FILES = (
    *("persons/persons.parquet", "geography.parquet", "code-lists/race-and-ethnicity-codes.parquet"),
    "code-lists/race-characteristic-iterations.parquet",
)


@pytest.mark.parametrize("size", [0, 4, -1], ids=lambda size: f"{size} bytes")
@pytest.mark.parametrize("file", FILES[:2])
@pytest.mark.each_time("persons.parquet--1")
def test_a_file_of_few_bytes_or_without_its_last_is_refused_by_name(nation, file, size):
    content = (nation / file).read_bytes()
    (nation / file).write_bytes(content[:size])
    refused = call("validate", *inputs(nation), "--quiet")
    words = (f"{Path(file).name}: not a readable Parquet file", "write it again, or leave it out")
    assert (refused.code, [word in refused.stderr for word in words]) == (2, [True, True]), refused.stderr


@pytest.mark.parametrize("file", FILES[:3])
@pytest.mark.each_time("persons")
def test_text_that_is_no_text_is_refused(nation, file):
    """In a name of a column, which no reader of the file's own metadata may choke on, and so in values."""
    content = (nation / file).read_bytes()
    for name in (b"TABBLKST", b"RACE_ETH_CODE", b"ITERATION_CODE"):
        content = content.replace(name, b"\xff\xfe" + name[2:])
    (nation / file).write_bytes(content)
    refused = call("validate", *inputs(nation), "--quiet")
    assert (refused.code, "Traceback" in refused.stderr) == (2, False), refused.stderr


@pytest.mark.long
@pytest.mark.slow
def test_files_spoilt_at_random_are_refused_or_read_aright(nation):
    found = spoilt_cases(nation, cases=150, seed=3)
    assert [case for case in found if case.verdict not in ("accepted", "refused", "fault of the machine")] == []
    assert {case.kind for case in found} == set(KINDS)


def test_a_crash_and_a_traceback_are_told_from_a_refusal():
    verdicts = [Case("f", "k", code, said).verdict for code, said in ((-11, ""), (1, "Traceback (most"), (2, "x: y"))]
    assert verdicts == ["killed by signal 11", "traceback", "refused"]
