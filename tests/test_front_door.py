"""The package as Python sees it: every path may be text, and one condition need not stand in a list."""

import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import safetab_sql
from safetab_sql import InputError, InputPaths, LedgerFile, Resources
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.statistics.sums import wanted_rows
from tests.conftest import REPOSITORY
from tests.nations import sample_nation, write_nation

USA = "REGION_TYPE = 'USA' and TABLE = 'T1' and ITERATION_CODE = '2110'"
STATES = "REGION_TYPE = 'STATE' and TABLE = 'T1' and ITERATION_CODE = '2110'"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    nation = sample_nation(60)
    levels = {name: nation.parameters["levels"][name] for name in ("USA-1", "USA-2", "STATE-2")}
    small = nation.with_parameters(levels=levels, run_pr=False)
    return write_nation(small, tmp_path_factory.mktemp("front") / "nation")


@pytest.fixture(scope="module")
def texts(named: InputPaths) -> InputPaths:
    return InputPaths(str(named.parameters), str(named.persons), str(named.geography), str(named.code_lists))


@pytest.fixture(scope="module")
def release(texts: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A release, its ledger, log and scratch folder named by text."""
    folder = str(tmp_path_factory.mktemp("front"))
    resources = Resources(threads=1, scratch=folder, confidential_log=f"{folder}/log")
    made = safetab_sql.run(texts, f"{folder}/out", ledger_file=LedgerFile(f"{folder}/ledger"), resources=resources)
    assert made.tables == safetab_sql.open_release(made.out).tables
    return f"{folder}/out"


def test_a_run_takes_text_for_every_path_and_a_production_directory_its_own_code_lists(release, named, tmp_path):
    folder = Path(release).parent
    assert sorted(path.name for path in folder.iterdir()) == ["ledger", "log", "out"]
    assert [each.state for each in read_ledger(f"{folder}/ledger").charges] == ["released"]
    with pytest.raises(InputError) as refused:
        safetab_sql.validate(InputPaths(str(tmp_path), str(named.persons), str(named.geography)))
    assert [problem.where for problem in refused.value.problems] == [f"{tmp_path}/config.json", str(tmp_path)]


@pytest.mark.parametrize("place", ["out", "out/ledger"])
def test_what_stays_with_the_custodian_is_kept_out_of_the_release_when_named_by_text(
    texts: InputPaths, tmp_path: Path, place: str
) -> None:
    kept = LedgerFile(f"{tmp_path}/{place}")
    resources = Resources(confidential_log=f"{tmp_path}/{place}")
    with pytest.raises(InputError) as refused:
        safetab_sql.run(texts, f"{tmp_path}/out", ledger_file=kept, resources=resources)
    assert [problem.what for problem in refused.value.problems] == [f"lies in --out {tmp_path}/out"] * 2


def test_one_condition_is_one_condition_and_not_its_letters(release: str) -> None:
    assert wanted_rows(STATES, (USA,)) == {"sum": [STATES], "minus": (USA,), "of": ()}
    alone = safetab_sql.sum_of_release(release, plus=STATES)
    assert [part.predicate for part in alone.selections] == [STATES]


def modules_after(statement: str) -> set[str]:
    """What of the package a process has imported after a statement that had nothing of it: a copy of this one."""
    reader, writer = os.pipe()
    if (copy := os.fork()) == 0:
        try:
            for name in [name for name in sys.modules if name.partition(".")[0] == "safetab_sql"]:
                del sys.modules[name]
            exec(statement)
            os.write(writer, " ".join(name for name in sys.modules if name.startswith("safetab_sql")).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        found = said.read().split()
    os.waitpid(copy, 0)
    return set(found)


def test_what_is_imported_brings_in_nothing_else_and_every_name_is_documented():
    assert modules_after("import safetab_sql") == {"safetab_sql"}
    loaded = modules_after("import safetab_sql; safetab_sql.run")
    later = {"report", "semantics", "reconciliation"}
    assert {name for name in loaded if {*name.split(".")} & later or "statistics" in name} == set()
    line = "import sys; from safetab_sql.cli import _exit_code; _exit_code(['--version'])"
    loaded = modules_after(line)
    assert len(loaded) < 60
    assert not loaded & {"safetab_sql.commands.make", "safetab_sql.kit.database"}
    rooms = {each.split(".")[1] for each in modules_after("import safetab_sql.cluster.tasks") if "." in each}
    assert {"confidential", "cluster"} <= rooms
    assert rooms & {"mechanisms", "published", "histograms", "run", "jobs"} == set()
    found = {name: getattr(safetab_sql, name) for name in safetab_sql.__all__}
    assert [name for name, thing in found.items() if not inspect.getdoc(thing)] == []
    assert set(found) <= set(dir(safetab_sql))
    page = (REPOSITORY / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    run = "".join(
        re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    )  # by tests/docs/test_examples.py
    assert [name for name in found if not re.search(rf"\bst\.{name}\b|import .*\b{name}\b", run)] == []
    assert len(found) <= 40


def test_a_name_that_the_package_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tabulate'"):
        _ = safetab_sql.tabulate


@pytest.mark.parametrize("name", ["report", "semantics"])
def test_a_job_stays_a_function_when_the_module_of_its_name_is_imported(name: str) -> None:
    import_module(f"safetab_sql.{name}")
    assert inspect.isfunction(getattr(safetab_sql, name))


def test_every_command_is_a_function_of_its_name() -> None:
    from safetab_sql.cli import parser
    from tests.rules.test_completeness import commands

    names = {path.split()[1].replace("-", "_") for path, _ in commands(parser())}
    assert names - set(safetab_sql.__all__) == {"epl", "sql"}  # it only prints; of several steps


def test_no_command_loads_pandas() -> None:
    """pyarrow would, where it is installed, as it is here: `from pyarrow import dataset` asks it about a scalar."""
    program = "import sys; sys.argv = ['safetab-sql']; import safetab_sql.cli as cli; cli.stops.end = print\n"
    program += "cli.entry_point(); from pyarrow import dataset; sys.stderr.write(str('pandas' in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stderr == "False"
