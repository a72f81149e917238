"""What `safetab-sql` says by itself: what to do first, and the commands by what they are for."""

import re
import subprocess
import sys

import pytest

from docs.generate import commands
from safetab_sql.cli import GROUPS, parser
from safetab_sql.cluster.spark import TASK_MEMORY
from safetab_sql.histograms.evaluation.curve import EPSILONS
from safetab_sql.jobs.schema import SCHEMAS
from safetab_sql.statistics.wanted import KINDS
from tests.cli.command import call, refusal

COMMANDS = sorted({path.split()[1] for path, _ in commands(parser())})


def test_without_a_command_it_says_what_to_do_first() -> None:
    said = call()
    named = re.findall(r"^  safetab-sql (\S+)", said.stdout, re.MULTILINE)
    assert (said.code, said.stderr, named[0], set(named) <= set(COMMANDS)) == (0, "", "example", True)
    assert len(said.stdout.splitlines()) <= 12


def test_every_command_is_listed_once_with_what_it_does() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == COMMANDS
    listed = re.findall(r"^  (\S+) {2,}\S", call("--help").stdout.partition("begin:")[2], re.MULTILINE)
    assert listed == [name for names in GROUPS.values() for name in names]


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_is_told_what_completes_a_command_line(shell: str) -> None:
    said = call("--print-completion", shell)
    assert (said.code, said.stderr, "ground-truth" in said.stdout) == (0, "", True)


def test_bash_completes_commands_and_options(tmp_path) -> None:
    (tmp_path / "completion").write_text(call("--print-completion", "bash").stdout, encoding="utf-8")
    for words, wanted in (
        (["safetab-sql", "vali"], "validate"),
        (["safetab-sql", "run", "--memory"], "--memory-limit"),
    ):
        line = " ".join(f"'{word}'" for word in words)
        script = (
            f"source {tmp_path}/completion; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
            "$(complete -p safetab-sql | sed 's/.*-F \\([^ ]*\\).*/\\1/') safetab-sql; echo ${COMPREPLY[@]}"
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [wanted], done.stderr


def test_without_the_library_the_option_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "shtab", None)
    assert "pip install 'safetab-sql[completion]'" in refusal("--print-completion", "bash")


def test_the_help_of_a_command_loads_no_engine() -> None:
    line = "import sys; from safetab_sql.cli import _exit_code; _exit_code(['run', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert {"duckdb", "numpy", "pyarrow", "pydantic"} & {*done.stdout.split()} == set()


def test_help_is_the_same_where_python_leaves_docstrings_out() -> None:
    shown = [
        subprocess.run(
            [sys.executable, *flags, "-m", "safetab_sql", "run", "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flags in ((), ("-OO",))
    ]
    assert shown[0] == shown[1]


WORDS = {
    "statistics": KINDS,
    "bottom-up curve": [f"{float(epsilon):g}" for epsilon in EPSILONS],
    "run": [f"default: {TASK_MEMORY}"],
    "schema": SCHEMAS,
}


@pytest.mark.parametrize("command", WORDS)
def test_what_a_help_text_lists_is_what_the_command_knows(command: str) -> None:
    said = " ".join(call(*command.split(), "--help").stdout.split())
    assert [word for word in WORDS[command] if word not in said] == []
