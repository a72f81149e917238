"""Command lines that are refused: exit code 2, a message on stderr, nothing written."""

import shutil
import sys
from pathlib import Path

import pytest

from safetab_sql.public.inputs import default_code_lists
from tests.cli.command import Result, call, inputs, refusal

pytestmark = pytest.mark.usefixtures("here")
MISSPELT = {
    "no command": ("--quiet", "required: COMMAND"),
    "unknown command": ("tabulate", "invalid choice: 'tabulate'"),
    "unknown option": ("simulate --people 1000 --out x --colour", "--colour"),
    "abbreviated option": ("simulate --peop 1000 --out x", "required: --people"),
    "no size": ("simulate --out x", "required: --people"),
    "people in words": ("simulate --people many --out x", "invalid int value: 'many'"),
    "no inputs": ("validate", "--parameters, --geography"),
    "unknown action": ("sql run", "invalid choice: 'run'"),
    "no action": ("sql", "required: ACTION"),
}
MEANT = {
    "a command": ("rnu", "did you mean 'run'?"),
    "a release alone": ("semantics release", "a release is given as --manifest release"),
    "an action": ("sql shwo", "did you mean 'show'?"),
    "a choice": ("export --format census2", "did you mean 'census'?"),
    "an option that is needed": ("run --prameters x", "--prameters: did you mean --parameters?"),
    "an option with its value": ("run --prameters=x", "--prameters: did you mean --parameters?"),
    "an option that is not": ("semantics --rho 1 --levle 0.1", "--levle: did you mean --level?"),
    "a word of an option": ("evaluate --truth x", "--truth: did you mean --ground-truth?"),
    "the beginning of an option": ("new --geo x", "--geo: did you mean --geography?"),
    "an option of another command": (
        "report out --out page.html --region-names x",
        "--region-names is an option of validate, run",
    ),
    "a pattern": (
        "describe --json --ledger 01.parquet release 06.parquet",
        "--ledger takes one value: quote the pattern",
    ),
    "a pattern of persons": (
        "validate --parameters p --geography g --persons 01.parquet 02.parquet 04.parquet",
        "--persons takes one value: quote the pattern, or the shell puts many file names in its place",
    ),
}
RESOURCES = {
    "no threads": (["--threads", "0"], "--threads: 0 is not", "at least 1"),
    "no memory": (["--memory-limit", "0.00GB"], "--memory-limit: '0.00GB' is not a size", "8GB"),
    "memory without a unit": (["--memory-limit", "8"], "--memory-limit: '8' is not a size", "8GB"),
    "scratch not there": (["--scratch", "nowhere"], "--scratch: nowhere is not a folder", "make it first"),
    "log in no folder": (["--confidential-log", "nowhere/log"], "nowhere/log: No such file", "another log file"),
    "log is a folder": (["--confidential-log", "."], ".: Is a directory", "another log file"),
}


@pytest.mark.parametrize(("arguments", "words"), MISSPELT.values(), ids=MISSPELT)
def test_a_misspelt_command_line_shows_the_usage(arguments, words, tmp_path):
    refused = call(*arguments.split())
    assert (refused.code, refused.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert (refused.stderr.startswith("usage: safetab-sql"), words in refused.stderr) == (True, True)


def test_the_persons_are_named_once():
    words = ("validate", "--parameters", "p", "--geography", "g")
    assert refusal(*words).startswith("--persons: is missing\n")
    assert "not allowed with --persons-table" in refusal(*words, "--persons", "p", "--persons-table", "p")


@pytest.mark.parametrize(("arguments", "words"), MEANT.values(), ids=MEANT)
def test_what_was_meant_is_guessed(arguments, words):
    said = refusal(*arguments.split())
    assert said.splitlines()[-1].strip().startswith(words)


def test_a_guess_is_nothing_that_a_terminal_obeys():
    assert "\x1b" not in refusal("run", "--prameters\x1b[2J", "x")


@pytest.mark.parametrize(("arguments", "found", "fix"), RESOURCES.values(), ids=RESOURCES)
def test_impossible_resources_are_refused(nation, arguments, found, fix, tmp_path):
    refused = call("run", *inputs(nation), "--out", "release", *arguments)
    assert (refused.code, refused.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert (found in refused.stderr, fix in refused.stderr) == (True, True), refused.stderr


def test_problems_of_several_options_are_named_together(tmp_path):
    given = ("--threads", "0", "--ledger-limit", "2", "--engine", "spark", "--parts", "0")
    refused = call("run", *inputs(tmp_path), "--out", "release", *given)
    assert (refused.code, refused.stderr.splitlines()[-1]) == (2, "3 problems; nothing was written.")


NEVER_WRITING = {
    "validate": "--parameters none.toml --persons none --geography none",
    "plan": "--parameters none.toml",
    "account": "--parameters none.toml",
    "account of a ledger": "--ledger none",
    "moe": "none --sum true",
    "semantics": "--manifest none",
    "sql show": "nothing",
    "epl": "none",
    "synthesize score": "--data none --synthetic none",
}
WRITING = {
    "run": "--parameters none.toml --persons none --geography none --out out",
    "reconcile": "none --out out",
    "report": "none --out out.html",
    "targets": "--privacy-definition zcdp --moe USA-2=0 --out out.toml",
    "semantics": "--rho -1 --figures out",
    "bottom-up run": "--spec none.toml --data none --out out",
}


@pytest.mark.parametrize(("command", "options"), NEVER_WRITING.items(), ids=NEVER_WRITING)
def test_a_command_that_writes_nothing_says_nothing_of_it(command, options):
    refused = call(*command.removesuffix(" of a ledger").split(), *options.split())
    assert (refused.code, "written" in refused.stderr) == (2, False), refused.stderr
    assert refused.stderr.splitlines()[-1].rstrip("s.").endswith("problem"), refused.stderr


@pytest.mark.parametrize(("command", "options"), WRITING.items(), ids=WRITING)
def test_a_command_that_writes_says_when_it_has_not(command, options, tmp_path):
    refused = call(*command.split(), *options.split())
    assert (refused.code, list(tmp_path.iterdir())) == (2, [])
    assert refused.stderr.endswith("; nothing was written.\n")


def test_code_lists_have_to_be_named_unless_they_stand_beside_the_parameters(nation, tmp_path):
    parameters, *others = inputs(nation)[1:-2]
    shutil.copy(parameters, tmp_path)
    refused = call("validate", "--parameters", tmp_path / Path(parameters).name, *others)
    assert default_code_lists(Path(parameters)) == nation / "code-lists"
    assert (refused.code, "give their folder as --code-lists" in refused.stderr) == (2, True)


OUT_COMMANDS = ("run", "ground-truth", "simulate", "example")


def makes(command: str, nation: Path, *options: str | Path) -> Result:
    needed = {"simulate": ("--people", "1000"), "example": ("--quiet",)}.get(command, (*inputs(nation), "--quiet"))
    return call(command, *needed, "--out", "out", *options)


@pytest.mark.parametrize("command", OUT_COMMANDS)
def test_a_folder_that_holds_something_else_is_never_overwritten(nation, tmp_path, command):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    refused = makes(command, nation, "--overwrite")
    assert (refused.code, "holds thesis.tex" in refused.stderr) == (2, True)
    assert (tmp_path / "out" / "thesis.tex").read_text() == "years of work"


_RUNS = "evaluate --runs 1 --parameters p --persons f --geography g --out o"
_RELEASES = "evaluate --out-dirs r --ground-truth t --code-lists d --out o"
_VALIDATE = "validate --parameters p --persons f --geography g"
_TABLE = "epl --table f --noisy a --exact b --epsilon 1"
IDLE = {
    "the code lists of a ledger": ("account --ledger l --code-lists d", "--code-lists", "--parameters"),
    "code lists of a number": ("semantics --rho 1 --code-lists d", "--code-lists", "--parameters"),
    "nothing to overwrite": ("semantics --rho 1 --overwrite", "--overwrite", "--figures"),
    "an epsilon of releases": ("epl r --ground-truth t --code-lists d --epsilon 1", "--epsilon", "--table"),
    "the truth of a table": (f"{_TABLE} --ground-truth t", "--ground-truth", "command lines without --table"),
    "the truth of runs": (f"{_RUNS} --ground-truth t", "--ground-truth", "--out-dirs"),
    "a share of 0": ("targets --parameters p --moe USA-2=6 --gamma 0", "--gamma", "command lines without --parameters"),
    "the people of releases": (f"{_RELEASES} --persons f", "--persons", "--runs"),
    "the master of one machine": (f"{_VALIDATE} --master yarn", "--master", "--engine spark"),
    "the parts of one machine": (f"{_VALIDATE} --parts 3", "--parts", "--engine spark"),
    "no parts of one machine": (f"{_VALIDATE} --parts 0", "--parts", "--engine spark"),
    "the tasks of one machine": (f"{_VALIDATE} --task-memory 1GB", "--task-memory", "--engine spark"),
    "the log of releases": (f"{_RELEASES} --confidential-log f", "--confidential-log", "--runs"),
}


@pytest.mark.parametrize(("line", "option", "needed"), IDLE.values(), ids=IDLE)
def test_an_option_that_would_say_nothing_is_refused_with_the_one_it_belongs_to(line, option, needed):
    assert f"{option}: has no effect here: it belongs to {needed}" in refusal(*line.split())


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_table_of_spark_is_read_by_spark_alone(command, tmp_path):
    out = ["--out", tmp_path / "release"] if command == "run" else []
    words = ["--persons-table" if word == "--persons" else word for word in inputs(tmp_path)]
    assert "--persons-table: has no effect here: it belongs to --engine spark" in refusal(command, *words, *out)


def test_spark_and_java_that_are_missing_are_named_with_other_problems(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    said = refusal("validate", *inputs(tmp_path), "--engine", "spark", "--accept-spark-setting", "spark.ui")
    assert "pip install 'safetab-sql[spark]'" in said
    assert "needs Java, which is not installed" in said
    assert "spark.ui is no setting that is checked" in said
