"""sql/run.sql is the run of the example, and runs by itself; sql/README.md is the map of a run."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from tests.conftest import REPOSITORY
from tests.rules import sql_readme, sql_script


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pa.Table]]:
    """A run of the example with recorded bits: its folder, and the tables that Python filled in it."""
    out = tmp_path_factory.mktemp("example") / "out"
    return out, sql_script.recorded_run(out)


def test_the_script_is_current(release):
    """If it is not: `python -m tests.rules.sql_script`."""
    assert sql_script.PATH.read_text(encoding="utf-8") == sql_script.script(release[1])


SHELL = Path(sys.executable).parent / "duckdb"


@pytest.mark.skipif(not SHELL.is_file(), reason="the DuckDB shell is not installed: pip install duckdb-cli")
def test_the_script_runs_in_the_shell_of_an_older_duckdb(release):
    """An older one than the package needs: the newest shell that a package registry has may be older than that."""
    asked = "copy (select count(*), sum(COUNT) from t1) to '/dev/stdout' (header false);"
    text = f"{sql_script.PATH.read_text(encoding='utf-8')}\n{asked}\n"
    ran = subprocess.run(
        [SHELL, "-init", os.devnull],
        input=text,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        timeout=60,
        check=False,
    )
    published = duckdb.sql(f"select count(*), sum(COUNT) from '{release[0]}/t1/t1.parquet'").fetchall()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == ",".join(map(str, published[0]))


def test_the_script_makes_the_tables_that_the_run_publishes(release, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    with duckdb.connect() as connection:
        connection.execute(sql_script.PATH.read_text(encoding="utf-8"))
        for table in ("t1", "t2"):
            published = connection.execute(f"from read_parquet('{release[0] / table / table}.parquet')").fetchall()
            assert connection.execute(f"from {table}").fetchall() == published != []


def test_the_map_is_current_in_lines_of_a_terminal_and_a_half():
    """If it is not: `python -m tests.rules.sql_readme`."""
    assert sql_readme.PATH.read_text(encoding="utf-8") == sql_readme.readme()
    prose = [line for line in sql_readme.readme().splitlines() if not line.startswith("|")]
    assert max(map(len, prose)) <= 120
