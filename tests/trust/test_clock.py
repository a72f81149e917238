"""A clock that jumps, back or far ahead, spoils nothing: it is told as it was, and nothing is decided by it."""

import sys
from itertools import chain, repeat

import tqdm.std

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.kit import progress
from tests.hostile.seeds import ledger_with


def test_a_later_line_of_a_ledger_counts_whatever_time_it_names(tmp_path):
    entry = {"run": 32 * "a", "state": "reserved", "when": "2026-11-21T00:00:00Z", "out": "release"}
    entry |= {"parameters_sha256": 64 * "b", "privacy_definition": "zcdp", "record": "person"}
    entry |= {"parts": {"all": {"one_record": "1", "one_person": "1"}}}
    earlier = {**entry, "state": "released", "when": "1970-01-01T00:00:00Z"}
    (tmp_path / "ledger").write_bytes(ledger_with(entry, earlier))
    (entered,) = read_ledger(tmp_path / "ledger").charges
    assert (entered.state, entered.when) == ("released", "1970-01-01T00:00:00Z")


def test_a_progress_bar_outlives_a_clock_that_goes_back(monkeypatch, capsys):
    times = chain([2e9, 1e9, 0.0], repeat(-1.0))
    monkeypatch.setattr(tqdm.std, "time", lambda: next(times))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.reported_progress(is_quiet=False) as told:
        for name in ("persons", "several_tallies", "group_cells"):
            told.step(name, 1)
            told.stage(name)
    assert "| " in capsys.readouterr().err
