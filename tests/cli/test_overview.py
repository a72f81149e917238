"""What `safetab-sql` says by itself: what to do first, and the commands by what they are for."""

import re
import subprocess

import pytest

from docs.generate import commands
from safetab_sql.cli import parser
from safetab_sql.commands.overview import GROUPS
from tests.cli.command import call

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
    refused = call("--print-completion", "bash")
    assert (refused.code, "pip install 'safetab-sql[completion]'" in refused.stderr) == (2, True)
