"""Spark on this machine: what it needs around it, who runs in it, and how these are killed."""

import os
import secrets
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from safetab_sql import InputPaths, LedgerFile, Resources, run
from safetab_sql.cluster.spark import Spark
from safetab_sql.kit.progress import SILENT, Progress
from tests.cli.nations import paths, replace_in_first_row, simulate_few_states
from tests.cluster.nations import ONE_THREAD, contents
from tests.conftest import REPOSITORY
from tests.statistics import recorded_bits

EXECUTOR = b"CoarseGrainedExecutorBackend"
# What a worker would log, and must not.
_LOG = """rootLogger.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n%ex
"""


@dataclass(frozen=True)
class Home:
    """Folders of a Spark that is alone on this machine. local: of its blocks. events: of logs that nobody writes."""

    folder: Path
    secret: str
    environment: dict[str, str]

    @property
    def local(self) -> Path:
        return self.folder / "local"


def spark_home(folder: Path, **settings: str) -> Home:
    """Folders and environment for a session; its settings are in a file, as a custodian would write them."""
    pyspark = Path(pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark").__file__).parent
    for name in ("conf", "local", "events", "home"):
        (folder / name).mkdir(parents=True)
    for part in pyspark.iterdir():  # `work`, which it makes in its home, is to be ours
        if part.name != "work":
            (folder / "home" / part.name).symlink_to(part)
    secret = secrets.token_hex(16)
    (folder / "conf" / "log4j2.properties").write_text(_LOG, encoding="utf-8")
    said = {
        "spark.authenticate.secret": secret,
        "spark.eventLog.dir": str(folder / "events"),
        "spark.task.maxFailures": "100",
        **settings,
    }
    lines = [f"{name} {value}\n" for name, value in said.items()]
    (folder / "conf" / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")
    (folder / "conf" / "spark-defaults.conf").chmod(0o600)
    environment = {
        "SPARK_HOME": str(folder / "home"),
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    return Home(folder, secret, environment)


@contextmanager
def at_home(home: Home) -> Iterator[Home]:
    """Sessions are of this home, and workers find the modules of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in home.environment.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", f"{REPOSITORY}:{os.environ.get('PYTHONPATH', '')}")
        yield home


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(process: int) -> Iterator[int]:
    """The processes that a process started, and that these started."""
    try:
        children = [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
        children += [
            int(child)
            for thread in Path(f"/proc/{process}/task").iterdir()
            if thread.name != str(process)
            for child in (thread / "children").read_text().split()
        ]
    except OSError:
        return
    for child in children:
        yield child
        yield from descendants(child)


def running(kind: bytes, process: int | None = None) -> list[int]:
    """The executors, or the Python workers, below a process: this one."""
    return [each for each in descendants(process or os.getpid()) if kind in command_line(each)]


def kill(processes: Iterable[int]) -> int:
    """Kill them without warning; how many there were."""
    number = 0
    for each in processes:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            continue
        number += 1
    return number


def files_with(needles: Iterable[bytes], folders: Iterable[Path]) -> list[tuple[str, bytes]]:
    """Each file below the folders that holds one of the needles."""
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                found += [(str(path), needle) for needle in needles if needle in content]
    return found


def released(
    inputs: InputPaths, folder: Path, spark: Spark, *, resources: Resources = ONE_THREAD, progress: Progress = SILENT
) -> dict[str, bytes]:
    """The release, in a folder of that name, of people whom Spark counts; a ledger lies beside it."""
    ledger, bits = LedgerFile(folder / "ledger"), recorded_bits("spark")
    how = {"ledger_file": ledger, "resources": resources, "progress": progress, "bits": bits}
    return contents(run(inputs, folder / "release", spark=spark, **how).out)


def of_one_machine(inputs: InputPaths, folder: Path) -> dict[str, bytes]:
    ledger, bits = LedgerFile(folder / "ledger-of-one"), recorded_bits("spark")
    return contents(run(inputs, folder / "release", ledger_file=ledger, resources=ONE_THREAD, bits=bits).out)


@dataclass(frozen=True)
class Made:
    """A release that Spark counted, and what lay on disks and command lines between its passes."""

    folder: Path
    files: dict[str, bytes]
    commands: list[bytes]


def made_by(spark: Spark, inputs: InputPaths, home: Home, folder: Path) -> Made:
    made = Made(folder, {}, [])

    def stage(name: str) -> None:
        if name == "counting tables":
            made.files.update(contents(home.local) | contents(home.folder / "events"))
            made.commands.extend(command_line(each) for each in descendants(os.getpid()))

    logged = Resources(threads=1, confidential_log=folder / "log")
    released(inputs, folder, spark, resources=logged, progress=Progress(stage=stage))
    return made


def spoilt_nation(folder: Path) -> InputPaths:
    """A nation in two of whose files the first person is none that can be counted."""
    simulate_few_states(folder, people=2_000)
    for name in ("01", "56"):
        replace_in_first_row(folder / "persons" / f"{name}.parquet", QRACE1="'9999'", QAGE="'130'")
    return paths(folder)
