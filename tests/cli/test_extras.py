"""Commands that need an optional library say so before they read anything; commands that take a while can be quiet."""

import re
import shlex
import sys

import pytest

from docs.generate import commands
from safetab_sql.cli import parser
from safetab_sql.histograms.evaluation.curve import bottom_up_curve
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.extras import DRAWING, SHAPES
from tests.cli.command import refusal
from tests.conftest import REPOSITORY

COMMANDS = dict(commands(parser()))
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
        ("import absent_part", "absent_part"),
        ("%", "Syntax"),
    ],
)
def test_a_library_that_is_there_and_fails_is_told_as_one(extra, source, reason, tmp_path, monkeypatch):
    (tmp_path / f"{extra.module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == extra.module]:
        monkeypatch.delitem(sys.modules, name)
    (problem,) = extra.problems
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
    draws = {
        name for name, text in texts.items() if re.search(r"\bwrite_figures\(|^ *import shapely", text, re.MULTILINE)
    }
    assert draws - {"kit/figures.py"} == {
        name for name in draws if "refuse" in texts[name] and "missing_extras(" in texts[name]
    } - {"kit/figures.py"}
    assert len(draws) >= 5


def test_every_command_that_takes_a_while_can_be_quiet():
    options = {name: {action.dest for action in command._actions} for name, command in COMMANDS.items()}
    assert {name for name, own in options.items() if "quiet" not in own} == {f"safetab-sql {name}" for name in AT_ONCE}
