"""`--json`: what a command prints is one JSON document, with keys that stay."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import call, inputs
from tests.cli.nations import ROWS, copied, keep_levels, simulate_few_states
from tests.conftest import REPOSITORY
from tests.rules.test_completeness import COMMANDS

WANTED = "KIND,REGION_TYPE,REGION_ID,ITERATION_CODE\ncount,USA,1,9001\n"
# By command: its arguments, where {nation}, {release} and the like are folders, and keys of its answer.
ANSWERS = {
    "validate": ("{inputs}", ["errors"]),
    "plan": (
        "{parameters} --geography {nation}/geography.parquet --people 1000",
        ["levels", "ledger", "scratch_bytes", "memory_bytes"],
    ),
    "targets": ("--privacy-definition zcdp --moe USA-2=6 --out {out}.toml", ["out", "privacy_definition", "levels"]),
    "describe": ("{release}", ["title", "date", "releasable", "reconciled", "totals", "levels", "files"]),
    "moe": ("{release} --sum TABLE='T1'", ["estimate", "variance", "moe95", "method", "atoms", "selections"]),
    "statistics": ("{release} --wanted {wanted} --out {out}.csv", ["out", "statistics", "intervals"]),
    "semantics": ("--rho 1", ["title", "budget", "powers", "beliefs"]),
    "strategy": ("--spec {configs}/strategy.toml", ["privacy_definition", "queries", "strategies"]),
    "sql list": ("", []),
    "account": ("{parameters}", ["stability_from", "totals", "levels"]),
    "run": ("{inputs} --quiet --out {out}", ["out", "releasable", "totals", "files"]),
    "reconcile": ("{release} --quiet --out {out}", ["out", "divisions", "types", "orders", "nested"]),
    "export": ("{release} --format csv --quiet --out {out}", ["out", "format", "files"]),
    "evaluate": ("{inputs} --quiet --runs 2 --out {out}", ["out", "by_level", "by_statistic"]),
    "epl": ("--table {table} --noisy noisy --exact exact --epsilon 1", ["audits", "tests_with_too_few_residuals"]),
    "bottom-up run": ("{cells} --quiet --out {out}", ["out", "ledger", "left_out"]),
    "bottom-up curve": ("{cells} --quiet --replicates 2 --epsilon 1 --out {out}", ["out", "curve"]),
    "synthesize run": ("{rows} --data {persons} --quiet --out {out}", ["out", "ledger", "rows"]),
    "synthesize score": ("--data {persons} --synthetic {persons} --ways 2 --sets 3 --quiet", []),
}
# They name what they made, or print what is for no program.
WITHOUT = {*("example", "new", "simulate", "ground-truth", "report", "sql show", "schema")}


@pytest.fixture(scope="module")
def small(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small nation with two levels, for the commands that take long."""
    folder = tmp_path_factory.mktemp("json")
    found = copied(nation, folder / "nation")
    keep_levels(found, "USA-1", "STATE-1")
    assert call("run", *inputs(found), "--out", folder / "release", "--quiet").code == 0
    (folder / "wanted.csv").write_text(WANTED)
    return folder


@pytest.fixture(scope="module")
def large(small: Path) -> Path:
    """What the other methods read, and a table of counts."""
    simulate_few_states(small / "other", people=1_000)
    (small / "rows.toml").write_text(ROWS)
    pq.write_table(pa.table({"noisy": [0, 1, 2, -1] * 2_500, "exact": [0] * 10_000}), small / "table.parquet")
    return small


def arguments(text: str, folder: Path, out: Path) -> list[str]:
    cells = f"--spec {folder}/other/bottom-up.toml --data {folder}/other/persons"
    texts = {
        "inputs": " ".join(map(str, inputs(folder / "nation"))),
        "parameters": " ".join(map(str, (*inputs(folder / "nation")[:2], *inputs(folder / "nation")[6:]))),
        "configs": REPOSITORY / "configs",
        **{name: folder / name for name in ("nation", "release", "other")},
        "wanted": folder / "wanted.csv",
        "table": folder / "table.parquet",
        "cells": cells,
        "rows": f"--spec {folder}/rows.toml",
        "persons": folder / "other" / "persons",
        "out": out / "out",
    }
    return text.format_map(texts).split()


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.each_time(*(f"[{name}]" for name in list(ANSWERS)[:10]))
def test_what_is_printed_is_one_json_document(command, small, tmp_path, request):
    text, keys = ANSWERS[command]
    if any(word in text for word in ("{cells}", "{rows}", "{persons}", "{table}", "{other}")):
        request.getfixturevalue("large")
    done = call(*command.split(), *arguments(text, small, tmp_path), "--json")
    assert done.code in (0, 1), done.stderr  # 1: an audit that fails
    answer = json.loads(done.stdout)
    assert [key for key in keys if key not in answer] == []
    assert answer


def test_every_command_prints_json_or_is_known_to_print_nothing_for_programs():
    names = {name.removeprefix("safetab-sql "): command for name, command in COMMANDS.items()}
    with_json = {name for name, command in names.items() if "--json" in command._option_string_actions}
    assert (with_json, names.keys() - with_json) == (ANSWERS.keys(), WITHOUT)
