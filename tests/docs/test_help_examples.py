"""The example in the help of every command runs, in one folder that has the files that examples name."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import safetab_sql.jobs.example
from docs.generate import commands
from safetab_sql.cli import parser
from tests.cli.command import call
from tests.cli.nations import ROWS, simulate_few_states
from tests.cli.test_readme import few_people, in_this_process
from tests.conftest import REPOSITORY

EXAMPLES = {name: (command.epilog or "").removeprefix("example: ") for name, command in commands(parser())}
TEXTS = {
    "rows.toml": ROWS,
    "people.csv": "area,district,sex,age,group_1\n1000,1,M,33,1\n1001,2,F,,2\n",
    "places.csv": "area,district,province\n1000,1,1\n1001,2,1\n1002,3,2\n",
    "groups.csv": "code,name,family\n1,One,Low\n2,Two,Low\n3,Three,High\n",
    "wanted.csv": "KIND,REGION_TYPE,REGION_ID,ITERATION_CODE\ncount,USA,1,6004\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small nation as `sim` and as that of `demo`, a release, its exact tables and a histogram of it."""
    made = tmp_path_factory.mktemp("help")
    simulate_few_states(made / "sim", people=20_000)
    shutil.copytree(made / "sim", made / "demo" / "nation")
    shutil.copytree(REPOSITORY / "configs", made / "configs")
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    with few_people(made), pytest.MonkeyPatch.context() as patch:
        patch.setattr(safetab_sql.jobs.example, "PEOPLE", 20_000)
        for command in ("run", "ground-truth", "bottom-up run", "synthesize run"):
            done = call(*EXAMPLES[f"safetab-sql {command}"].split()[1:], "--quiet")
            assert done.code == 0, done.stderr
        shutil.copytree("release", "demo/release")
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("command", EXAMPLES)
def test_the_example_in_the_help_of_a_command_runs(command, folder):
    """What it makes goes elsewhere: other examples need the files that it would replace."""
    line = EXAMPLES[command]
    target = "--out made-by-" + command.replace(" ", "-")
    before, option, after = line.partition("--out ")
    suffix = Path(after).suffix
    code, output = in_this_process(f"{before}{target}{suffix}" if option else line, folder)
    is_false_alarm = command == "safetab-sql epl" and "the residuals show a loss" in output
    assert code == is_false_alarm, output
