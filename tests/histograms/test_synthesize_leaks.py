"""`synthesize run` tells nothing but noisy counts, and whatever stops it leaves nothing of it."""

import re
import signal
import subprocess
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from safetab_sql.histograms.public.tree_plan import TreeBudget, tree_plan
from safetab_sql.histograms.synthesize import synthesize
from safetab_sql.kit.database import Resources
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from tests.audit.compensation import Recording, noise_bits
from tests.cli.command import PROGRAM, Result, call, finished, wait_for
from tests.cli.test_faults import is_tidy
from tests.histograms.synthesis import written
from tests.statistics import recorded_bits

CLOCK = re.compile(rb'("date": )"[^"]*"')
SPEC = """
epsilon = 1
cut = 0
[domains]
A = { minimum = 0, maximum = 4 }
B = { minimum = 0, maximum = 2 }
C = { values = ["x", "y"] }
[[groups]]
fields = ["A", "C"]
"""
BEFORE = {"A": [0, 1, 2, 2] * 20, "B": [0, 0, 1, 2] * 20, "C": ["x", "y", "y", "y"] * 20}


def with_one_row_changed(columns: dict[str, list]) -> dict[str, list]:
    return {"A": [4, *columns["A"][1:]], "B": [1, *columns["B"][1:]], "C": ["y", *columns["C"][1:]]}


TREE = """
epsilon = 4
rows = 20
[domains]
A = { minimum = 0, maximum = 4 }
B = { minimum = 0, maximum = 2 }
C = { values = ["x", "y"] }
"""


def release(folder: Path, columns: dict[str, list], bits, spec: str = SPEC) -> dict[str, bytes]:
    """Every file of OUT, the manifest without its clock."""
    synthesize(written(folder, spec, columns), folder / "out", bits=bits, resources=Resources(threads=1))
    files = {str(path.relative_to(folder / "out")): path for path in (folder / "out").rglob("*") if path.is_file()}
    return {name: CLOCK.sub(rb"\1", path.read_bytes()) for name, path in files.items()}


def counts(columns: dict[str, list], names: str) -> np.ndarray:
    """Exact counts of every cell of a histogram of these fields, counted without the package."""
    cells = np.zeros([{"A": 5, "B": 3, "C": 2}[name] for name in names], dtype=np.int64)
    coded = {**columns, "C": [["x", "y"].index(value) for value in columns["C"]]}
    np.add.at(cells, tuple(np.array(coded[name]) for name in names), 1)
    return cells.ravel()


PLAN = tree_plan(TreeBudget("puredp", Fraction(4)), [5, 3, 2], 20)
# Specification; histograms in the order in which they get noise, and the epsilon of each; the largest noise.
COMPENSATED = {
    "groups": (SPEC, ("AC", "B"), [Fraction(1, 2)] * 2, 6),
    "tree": (TREE, ("A", "B", "C"), PLAN.fields, 1),  # too few rows for pairs: tests/audit has their tables
}


@pytest.fixture(scope="module", params=COMPENSATED)
def compensated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[dict[str, bytes], Recording]]:
    """Two releases of tables that differ in one row, each with its recorded bits after it."""
    spec, parts, budgets, most = COMPENSATED[request.param]
    stream, folder = np.random.default_rng(1), tmp_path_factory.mktemp("compensated")
    tables = BEFORE, with_one_row_changed(BEFORE)
    exact = [[counts(columns, names) for names in parts] for columns in tables]
    noise = [stream.integers(-most, most + 1, one.size) for one in exact[0]]
    releases = []
    for number, (columns, its) in enumerate(zip(tables, exact, strict=True)):
        wanted = [drawn + before - own for drawn, before, own in zip(noise, exact[0], its, strict=True)]
        drawn = [noise_bits(TwoSidedGeometric(part), one) for part, one in zip(budgets, wanted, strict=True)]
        bits = Recording(b"".join(drawn))
        releases.append((release(folder / str(number), columns, bits, spec), bits))
    return releases


def test_one_row_changes_and_the_release_is_the_same_to_the_byte(compensated) -> None:
    (before, _), (after, _) = compensated
    assert before == after


def test_the_recorded_bits_are_read_to_the_last(compensated) -> None:
    assert [bits.left for _, bits in compensated] == [b"", b""]


def test_the_same_bits_give_another_release_where_they_do_not_compensate(tmp_path: Path) -> None:
    tables = BEFORE, with_one_row_changed(BEFORE)
    one, other = (release(tmp_path / str(i), table, recorded_bits("same")) for i, table in enumerate(tables))
    assert one != other


ROWS = 1_237
DATA = "kc7-extract-of-march.parquet"
FEW = "epsilon = 0.01\ncut = 0\nrows = 500\n[domains]\nA = { minimum = 0, maximum = 4 }\n"


@pytest.fixture(scope="module")
def logged_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A run of an unusual number of rows from an unusual file, with progress and log: its folder, what it said."""
    folder = tmp_path_factory.mktemp("confidentiality")
    inputs = written(folder, FEW, {"A": [1] * ROWS})
    (folder / "table.parquet").rename(folder / DATA)
    options = ("--spec", inputs.spec, "--data", folder / DATA, "--out", folder / "release")
    return folder, call("synthesize", "run", *options, "--confidential-log", folder / "log")


def test_neither_the_number_of_rows_nor_the_file_is_told(logged_run: tuple[Path, Result]) -> None:
    """The log has both kinds of canary, so that their absence elsewhere means something."""
    folder, done = logged_run
    files = [file.read_bytes().decode("latin-1") for file in (folder / "release").rglob("*") if file.is_file()]
    told = "\n".join([done.stdout, done.stderr, *files])
    assert (done.code, f"{ROWS:,} rows" in (folder / "log").read_text()) == (0, True)
    assert re.findall(rf"\b({ROWS}|{ROWS:,})\b", told) == []
    assert DATA.removesuffix(".parquet") not in told


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough rows that a run takes a second or more."""
    folder = tmp_path_factory.mktemp("larger")
    domains = "\n".join(f"F{number} = {{ minimum = 0, maximum = 999 }}" for number in range(8))
    (folder / "spec.toml").write_text(f"epsilon = 8\ncut = 2\n[domains]\n{domains}\n", encoding="utf-8")
    columns = ", ".join(f"(range * {number + 3}) % 1000 as F{number}" for number in range(8))
    duckdb.sql(f"copy (select {columns} from range(300000)) to '{folder / 'table.parquet'}' (format parquet)")
    return folder


def start(larger: Path, tmp_path: Path, *options: str | Path, largest_file: int | None = None):
    """A run into `tmp_path`/out in a process of its own."""
    (tmp_path / "scratch").mkdir()

    def limit() -> None:
        import resource

        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    places = ("--spec", larger / "spec.toml", "--data", larger / "table.parquet", "--out", tmp_path / "out")
    arguments = ["synthesize", "run", *places, "--scratch", tmp_path / "scratch", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*PROGRAM, *map(str, arguments)], **pipes, preexec_fn=limit)  # noqa: PLW1509


SHORT_STAGES = ["counting the groups of fields", "drawing rows"]  # what is left may end before the signal


@pytest.mark.parametrize(
    "stage", ["reading the table", *(pytest.param(stage, marks=pytest.mark.slow) for stage in SHORT_STAGES)]
)
@pytest.mark.slow
def test_a_run_that_is_told_to_stop_tidies_up(larger: Path, tmp_path: Path, stage: str) -> None:
    process = start(larger, tmp_path)
    wait_for(process, stage)
    process.send_signal(signal.SIGTERM)
    stopped = finished(process)
    if stage in SHORT_STAGES and stopped.code == 0:
        pytest.skip("the run had ended before the signal came")
    assert (stopped.code, stopped.stdout) == (130, ""), stopped.stderr
    assert ("Traceback" in stopped.stderr, is_tidy(tmp_path)) == (False, True)


@pytest.mark.slow
def test_a_full_disk_says_what_to_do_and_leaves_nothing(larger: Path, tmp_path: Path) -> None:
    stopped = finished(start(larger, tmp_path, "--quiet", largest_file=2**16))
    assert (stopped.code, stopped.stdout, is_tidy(tmp_path)) == (1, "", True), stopped.stderr
    assert "Traceback" not in stopped.stderr


def test_a_release_that_stands_is_replaced_only_if_asked(tmp_path: Path) -> None:
    inputs = written(tmp_path, FEW, {"A": [1]})
    options = ("--spec", inputs.spec, "--data", inputs.data, "--out", tmp_path / "out", "--quiet")
    codes = [call("synthesize", "run", *options, *more).code for more in ((), (), ("--overwrite",))]
    assert codes == [0, 2, 0]
