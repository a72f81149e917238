"""A clock that jumps, back or far ahead, spoils nothing: it is told as it was, and nothing is decided by it."""

import json
import sys
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from itertools import chain, repeat
from pathlib import Path

import pytest
import tqdm.std

from safetab_sql import Resources, run
from safetab_sql.accounting.ledger_file import LedgerFile, read_charges
from safetab_sql.kit import progress
from tests.cli.nations import paths
from tests.hostile.seeds import ledger_with
from tests.trust.processes import state_of_out, states_of_ledger

JUMPS = (
    [datetime(2026, 11, 21, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)],
    [datetime(1970, 1, 1, tzinfo=UTC), datetime(2106, 2, 7, 6, 28, 16, tzinfo=UTC)],
)


def clock_of(times: list[datetime]) -> type[datetime]:
    """A clock that tells `times` one after the other, and then the last."""
    told = chain(times, repeat(times[-1]))

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return next(told)

    return Clock


@pytest.mark.parametrize("times", [JUMPS[0], pytest.param(JUMPS[1], marks=pytest.mark.slow)], ids=["back", "ahead"])
@pytest.mark.slow
def test_a_run_whose_clock_jumps_ends_well_and_tells_the_day_it_began(
    tiny_nation: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, times: list[datetime]
) -> None:
    clock = clock_of(times)
    for module in ("kit.whole_folders", "accounting.ledger_file", "kit.confidential_log"):
        monkeypatch.setattr(import_module(f"safetab_sql.{module}"), "datetime", clock)
    kept = LedgerFile(folder / "ledger.jsonl")
    resources = Resources(threads=1, confidential_log=folder / "log")
    run(paths(tiny_nation), folder / "out", ledger_file=kept, resources=resources)
    told = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))["date"]
    changed = {path.stat().st_mtime for path in [folder / "out", *(folder / "out").rglob("*")]}
    assert (told, changed) == (times[0].date().isoformat(), {times[0].timestamp()})
    assert (state_of_out(folder / "out"), states_of_ledger(kept.path)) == ("whole", ["released"])


def test_a_later_line_of_a_ledger_counts_whatever_time_it_names(tmp_path: Path) -> None:
    entry = {"run": 32 * "a", "state": "reserved", "when": "2026-11-21T00:00:00Z", "out": "release"}
    entry |= {"parameters_sha256": 64 * "b", "privacy_definition": "zcdp", "record": "person"}
    entry |= {"parts": {"all": {"one_record": "1", "one_person": "1"}}}
    earlier = {**entry, "state": "released", "when": "1970-01-01T00:00:00Z"}
    (tmp_path / "ledger").write_bytes(ledger_with(entry, earlier))
    (entered,) = read_charges(tmp_path / "ledger")
    assert (entered.state, entered.when) == ("released", "1970-01-01T00:00:00Z")


def test_a_progress_bar_outlives_a_clock_that_goes_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = chain([2e9, 1e9, 0.0], repeat(-1.0))
    monkeypatch.setattr(tqdm.std, "time", lambda: next(times))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.reported_progress(is_quiet=False) as told:
        for name in ("persons", "several_tallies", "group_cells"):
            told.step(name, 1)
            told.stage(name)
    assert "| " in capsys.readouterr().err
