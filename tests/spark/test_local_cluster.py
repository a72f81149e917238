"""People counted by executors that are processes of their own, and that are killed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safetab_sql.accounting.ledger_file import read_ledger
from tests.cli.command import execute, inputs
from tests.cluster.nations import contents
from tests.spark.clusters import files_with, kill, running, spark_home

pytestmark = pytest.mark.spark
MASTER = "local-cluster[2,1,1024]"
PROGRAM = (sys.executable, "-m", "tests.spark.driver")


def command(nation: Path, folder: Path, *options: str) -> list[str]:
    named = {"--nation": nation, "--out": folder / "release", "--ledger": folder / "ledger", "--log": folder / "log"}
    return [*PROGRAM, *(str(word) for pair in named.items() for word in pair), "--master", MASTER, *options]


def test_executors_that_are_killed_between_the_passes_change_and_leave_nothing(nation_folder, expected, tmp_path):
    """No scratch and no blocks; of workers their logs alone, which tell no secret and nothing of a record."""
    home = spark_home(tmp_path / "spark")
    environment = {**os.environ, **home.environment}
    killing = command(nation_folder, tmp_path, "--kill")
    done = subprocess.run(killing, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["killed"] == 2
    assert any("CoarseGrainedExecutorBackend" in line for line in told["commands"])
    assert contents(tmp_path / "release") == expected
    assert [charge.state for charge in read_ledger(tmp_path / "ledger").charges] == ["released"]
    assert list(home.local.iterdir()) == []
    work = home.folder / "home" / "work"
    assert {path.name for path in work.rglob("*") if path.is_file()} <= {"stdout", "stderr"}
    needles = [b"exact_count", b"QRACE1", b".parquet row", b"estimated size", b" bytes result"]
    assert files_with([home.secret.encode(), *needles], [work, home.folder / "events"]) == []
    assert [line for line in [*told["commands"], done.stderr] if home.secret in line] == []


@pytest.mark.parametrize(
    ("master", "setting", "told"),
    [
        (MASTER, ("spark.authenticate.secret", None), "Spark did not start: .*spark.authenticate.secret"),
        ("local[1]", ("spark.driver.supervise", "true"), "spark.driver.supervise: is true: a driver that is started"),
    ],
)
def test_what_the_settings_file_of_a_cluster_lacks_or_says_is_refused(nation_folder, tmp_path, master, setting, told):
    home, (name, value) = spark_home(tmp_path / "spark"), setting
    file = home.folder / "conf" / "spark-defaults.conf"
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith(f"{name} ")]
    file.write_text("\n".join([*lines, *([] if value is None else [f"{name} {value}"])]), encoding="utf-8")
    asked = ("--out", tmp_path / "release", "--ledger", tmp_path / "ledger", "--engine", "spark", "--master", master)
    done = execute("run", *inputs(nation_folder), *asked, environment=home.environment)
    assert (done.code, done.stdout) == (2, "")
    assert re.search(told, done.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spark"]


@pytest.mark.slow
def test_a_driver_that_is_killed_is_in_the_ledger_and_publishes_nothing(nation_folder, tmp_path, wait_until):
    home, waits = spark_home(tmp_path / "spark"), tmp_path / "wait"
    waits.touch()
    environment = {**os.environ, **home.environment}
    waiting = command(nation_folder, tmp_path, "--wait", str(waits))
    process = subprocess.Popen(waiting, env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: (tmp_path / "ledger").exists() and "counting tables" in (tmp_path / "log").read_text())
    java = running(b"java")
    kill([process.pid])
    process.wait()
    wait_until(lambda: not [each for each in java if Path(f"/proc/{each}").exists()])
    assert [charge.state for charge in read_ledger(tmp_path / "ledger").charges] == ["reserved"]
    assert not (tmp_path / "release").exists()
    waits.unlink()
    again = subprocess.run(command(nation_folder, tmp_path), env=environment, check=False)
    assert again.returncode == 0
    assert [charge.state for charge in read_ledger(tmp_path / "ledger").charges] == ["reserved", "released"]
    assert list(home.local.iterdir()) == []


def of_table(nation: Path, table: str) -> list[str | Path]:
    """The options that name the inputs of a nation, with a table of Spark for the persons."""
    words = list(inputs(nation))
    words[words.index("--persons") : words.index("--persons") + 2] = ["--persons-table", table]
    return [*words, "--engine", "spark", "--master", "local[2]"]


def test_a_table_that_spark_does_not_know_ends_the_command_without_what_java_says(nation_folder, tmp_path):
    home = spark_home(tmp_path / "spark", **{"spark.sql.warehouse.dir": str(tmp_path / "spark" / "warehouse")})
    out = ("--out", tmp_path / "release", "--ledger", tmp_path / "ledger")
    done = execute("run", *of_table(nation_folder, "census.persons"), *out, environment=home.environment)
    assert (done.code, done.stdout) == (2, "")
    said = "Spark table census.persons: cannot be read by Spark: TABLE_OR_VIEW_NOT_FOUND\n    name a table"
    assert said in done.stderr
    assert [word for word in ("Traceback", "Exception", "\tat ") if word in done.stderr] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spark"]
