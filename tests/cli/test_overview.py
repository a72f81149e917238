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
from tests.cli.command import call

COMMANDS = sorted({path.split()[1] for path, _ in commands(parser())})


def test_without_a_command_it_says_what_to_do_first():
    said = call()
    named = re.findall(r"^  safetab-sql (\S+)", said.stdout, re.MULTILINE)
    assert (said.code, said.stderr, named[0], set(named) <= set(COMMANDS)) == (0, "", "example", True)
    assert len(said.stdout.splitlines()) <= 12


def test_every_command_is_listed_once_with_what_it_does():
    assert sorted(name for names in GROUPS.values() for name in names) == COMMANDS
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
