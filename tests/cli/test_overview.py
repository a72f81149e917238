"""What the command line says of itself: help, what was taken out, missing libraries, and answers as JSON."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docs.generate import commands
from safetab_sql.cli import COMMANDS as LISTED
from safetab_sql.cli import GROUPS, explained_refusal, meant_parser, parser
from safetab_sql.cluster.spark import TASK_MEMORY
from safetab_sql.histograms.evaluation.curve import EPSILONS, bottom_up_curve
from safetab_sql.jobs.schema import SCHEMAS, schema
from safetab_sql.kit.errors import DRAWING, SHAPES, InputError, missing_extras
from safetab_sql.settings.reading import Document
from safetab_sql.statistics.wanted import KINDS
from tests.cli.command import call, inputs, refusal
from tests.cli.nations import ROWS, copied, keep_levels, simulate_few_states
from tests.conftest import REPOSITORY
from tests.rules.test_completeness import COMMANDS
from tests.rules.test_house import keys

NAMES = sorted({path.split()[1] for path, _ in commands(parser())})


def test_without_a_command_it_says_what_to_do_first_and_help_lists_every_command_once():
    said = call()
    named = re.findall(r"^  safetab-sql (\S+)", said.stdout, re.MULTILINE)
    assert (said.code, said.stderr, named[0], set(named) <= set(NAMES)) == (0, "", "example", True)
    assert len(said.stdout.splitlines()) <= 12
    assert sorted(name for names in GROUPS.values() for name in names) == NAMES
    listed = re.findall(r"^  (\S+) {2,}\S", call("--help").stdout.partition("begin:")[2], re.MULTILINE)
    assert listed == [name for names in GROUPS.values() for name in names]


def test_the_help_of_a_command_loads_no_engine():
    line = "import sys; from safetab_sql.cli import _exit_code; _exit_code(['run', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert {"duckdb", "numpy", "pyarrow", "pydantic"} & {*done.stdout.split()} == set()


WORDS = {
    "statistics": KINDS,
    "bottom-up curve": [f"{float(epsilon):g}" for epsilon in EPSILONS],
    "run": [f"default: {TASK_MEMORY}"],
    "schema": SCHEMAS,
}


@pytest.mark.parametrize("command", WORDS)
def test_what_a_help_text_lists_is_what_the_command_knows(command):
    said = " ".join(call(*command.split(), "--help").stdout.split())
    assert [word for word in WORDS[command] if word not in said] == []


ALWAYS = {"safetab-sql report": DRAWING, "safetab-sql bottom-up curve": DRAWING}  # they draw without being asked
OPTIONS = {"figures": DRAWING, "shapes": SHAPES}
NEEDY = [
    *((name, "", extra) for name, extra in ALWAYS.items()),
    *(
        (name, f"--{action.dest}", OPTIONS[action.dest])
        for name, command in COMMANDS.items()
        for action in command._actions
        if action.dest in OPTIONS
    ),
]
AT_ONCE = {  # these read no records and make none: they show no progress
    *("new", "plan", "epl", "describe", "moe", "account", "targets", "semantics"),
    *("strategy", "sql list", "sql show", "schema"),
}


@pytest.mark.parametrize(("name", "option", "extra"), NEEDY, ids=lambda part: part if isinstance(part, str) else "")
def test_a_missing_library_is_told_before_anything_is_read(name, option, extra, tmp_path, monkeypatch):
    """None of the files in the command's own example is there, and nobody gets as far as to say so."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, extra.module, None)
    example = shlex.split((COMMANDS[name].epilog or "").removeprefix("example: safetab-sql "))
    said = refusal(*example, *([option, "new"] if option else []))
    assert f"pip install 'safetab-sql[{extra.name}]'" in said
    assert not re.search("no such file|not found|cannot be read|no file", said, re.IGNORECASE), said


@pytest.mark.parametrize("extra", [DRAWING, SHAPES], ids=lambda extra: extra.name)
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError('no such machine')", "no such machine"),
        *(("import absent_part", "absent_part"), ("%", "Syntax")),
    ],
)
def test_a_library_that_is_there_and_fails_is_told_as_one(extra, source, reason, tmp_path, monkeypatch):
    (tmp_path / f"{extra.module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == extra.module]:
        monkeypatch.delitem(sys.modules, name)
    (problem,) = missing_extras(extra)
    assert reason in problem.what
    assert problem.fix == f"pip install --force-reinstall 'safetab-sql[{extra.name}]'"


def test_a_curve_is_not_counted_where_the_library_that_draws_it_fails(tmp_path, monkeypatch):
    """What it draws, it would draw after its noise."""
    (tmp_path / "vl_convert.py").write_text("raise ImportError('a part is missing')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "vl_convert", raising=False)
    with pytest.raises(InputError, match="cannot be imported: ImportError"):
        bottom_up_curve(tmp_path / "absent.toml", tmp_path, tmp_path / "out", drawn=lambda *_: pytest.fail("noise"))


def test_whoever_draws_or_reads_shapes_asks_for_the_library_first():
    files = [*(REPOSITORY / "safetab_sql").rglob("*.py")]
    texts = {file.relative_to(REPOSITORY / "safetab_sql").as_posix(): file.read_text() for file in files}
    of_shapes = re.compile(r"\bwrite_figures\(|^ *import shapely", re.MULTILINE)
    draws = {name for name, text in texts.items() if of_shapes.search(text)} - {"kit/figures.py"}
    assert [name for name in draws if not ("refuse" in texts[name] and "missing_extras(" in texts[name])] == []
    assert len(draws) >= 4


def test_every_command_that_takes_a_while_can_be_quiet():
    options = {name: {action.dest for action in command._actions} for name, command in COMMANDS.items()}
    assert {name for name, own in options.items() if "quiet" not in own} == {f"safetab-sql {name}" for name in AT_ONCE}


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
def small(nation: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small nation with two levels, for the commands that take long; and its release with all of them."""
    folder = tmp_path_factory.mktemp("json")
    keep_levels(copied(nation, folder / "nation"), "USA-1", "STATE-1")
    (folder / "release").symlink_to(release)
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
    other, given = folder / "other", [str(word) for word in inputs(folder / "nation")]
    texts = {"inputs": " ".join(given), "parameters": " ".join(given[:2] + given[6:])}
    texts |= {"cells": f"--spec {other}/bottom-up.toml --data {other}/persons", "rows": f"--spec {folder}/rows.toml"}
    paths = {name: folder / name for name in ("nation", "release", "other")} | {"configs": REPOSITORY / "configs"}
    paths |= {"wanted": folder / "wanted.csv", "table": folder / "table.parquet"}
    return text.format(**texts, **paths, persons=other / "persons", out=out / "out").split()


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.each_time(*(f"[{name}]" for name in list(ANSWERS)[2:9] if name != "moe"))
def test_what_is_printed_is_one_json_document(command, small, tmp_path, request):
    text, keys = ANSWERS[command]
    if any(word in text for word in ("{cells}", "{rows}", "{persons}", "{table}", "{other}")):
        request.getfixturevalue("large")
    done = call(*command.split(), *arguments(text, small, tmp_path), "--json")
    assert done.code in (0, 1), done.stderr  # 1: an audit that fails
    answer = json.loads(done.stdout)
    assert command != "validate" or answer == {"errors": 0}
    assert [key for key in keys if key not in answer] == []
    assert answer


def test_every_command_prints_json_or_is_known_to_print_nothing_for_programs():
    names = {name.removeprefix("safetab-sql "): command for name, command in COMMANDS.items()}
    with_json = {name for name, command in names.items() if "--json" in command._option_string_actions}
    assert (with_json, names.keys() - with_json) == (ANSWERS.keys(), WITHOUT)


TABLE = tomllib.loads((REPOSITORY / "safetab_sql/settings/removed.toml").read_text(encoding="utf-8"))
CHANGELOG = " ".join((REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", TABLE["commands"])
def test_a_command_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    assert name not in LISTED
    *_, word = words = name.split()
    assert f"{word}: taken out: {TABLE['commands'][name]}" in refusal(*words)


@pytest.mark.parametrize("name", TABLE["options"])
def test_an_option_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    *command, option = name.replace("*", "describe").split()
    of = meant_parser(parser(), command)
    assert option not in of._option_string_actions
    assert f"{option}: taken out: {TABLE['options'][name]}" in explained_refusal(of, [*command, option], "")[1]


KEYS = keys(schema("parameters"))


@pytest.mark.parametrize("name", TABLE["keys"])
def test_a_key_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    *table, key = name.replace("*", "T2").split(".")
    assert f"taken out: {TABLE['keys'][name]}" in str(Document(Path("p.toml"), {}).unknown_key(tuple(table), key, []))
    pattern = tuple(part for part in name.split(".") if part != "*")
    assert pattern not in KEYS


@pytest.mark.parametrize("words", [words for table in TABLE.values() for words in table.values()])
def test_the_changelog_says_the_same_words(words):
    assert words in CHANGELOG
