"""Manifests and ledgers of somebody who means harm: refused soon, whatever they ask for."""

import os
from pathlib import Path

import pytest

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.kit.errors import InputError
from safetab_sql.release.facts import release_facts
from safetab_sql.release.folder import read_manifest
from tests.hostile.seeds import LEDGER, MANIFEST


def facts(folder: Path, content: bytes) -> object:
    (folder / "manifest.json").write_bytes(content)
    return release_facts(read_manifest(folder / "manifest.json"))


@pytest.mark.parametrize("budget", ["1e999999999", "1e-999999999", "nan", "-1", "1/0", "9" * 400, "0.1"])
def test_a_budget_that_no_manifest_states_is_refused_at_once(tmp_path, budget):
    with pytest.raises(InputError, match="not the manifest of a release"):
        facts(tmp_path, MANIFEST.replace(b"1/1000", budget.encode()))


def test_a_manifest_of_lists_in_lists_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        facts(tmp_path, b"[" * 100_000)


def test_a_manifest_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(InputError, match="not a file"):
        read_manifest(tmp_path / "manifest.json")


def test_a_manifest_without_end_is_not_read_to_its_end(tmp_path):
    with (tmp_path / "manifest.json").open("wb") as stream:
        stream.truncate(2**40)  # takes no space on the disk
    with pytest.raises(InputError, match="larger than any manifest"):
        read_manifest(tmp_path / "manifest.json")


ONE = b'"one_record": "1.5"'
HOSTILE_LINES = {
    "a limit without end": (b'"limit": "9.5"', b'"limit": "1e999999999"', "limit is not of the form"),
    "a limit of a record that steers a terminal": (b'"record": null', b'"record": "\\u001b[2J"', "record is not"),
    "a key twice": (ONE, ONE + b', "one_record": "0"', "line 2: is not JSON"),
    "a name that steers a terminal": (b'"out": "release"', b'"out": "\\u001b[2J"', "out is not of the form"),
    "a name that turns the direction of writing": (b'"out": "release"', b'"out": "\\u202e"', "out is not of the form"),
    "a loss without end": (ONE, b'"one_record": "1e999999999"', "parts is not of the form"),
    "a loss below 0": (ONE, b'"one_record": "-1.5"', "parts is not of the form"),
    "a loss by nothing": (ONE, b'"one_record": "1/0"', "parts is not of the form"),
}


@pytest.mark.parametrize(("old", "new", "what"), HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_a_hostile_line_of_a_ledger_is_refused(tmp_path, old, new, what):
    (tmp_path / "ledger").write_bytes(LEDGER.replace(old, new, 1))
    with pytest.raises(InputError, match=what):
        read_ledger(tmp_path / "ledger")
