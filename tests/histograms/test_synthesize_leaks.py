"""`synthesize run` tells nothing but noisy counts, and whatever stops it leaves nothing of it."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from safetab_sql.histograms.public.tree_plan import TreeBudget, tree_plan
from safetab_sql.histograms.synthesize import synthesize
from safetab_sql.kit.database import Resources
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from tests.audit.compensation import Recording, noise_bits
from tests.cli.command import Result, call
from tests.histograms.synthesis import written

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


def test_one_row_changes_and_the_release_is_the_same_to_the_byte(compensated):
    (before, one), (after, other) = compensated
    assert before == after
    assert [one.left, other.left] == [b"", b""]


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


def test_neither_the_number_of_rows_nor_the_file_is_told(logged_run):
    """The log has both kinds of canary, so that their absence elsewhere means something."""
    folder, done = logged_run
    files = [file.read_bytes().decode("latin-1") for file in (folder / "release").rglob("*") if file.is_file()]
    told = "\n".join([done.stdout, done.stderr, *files])
    assert (done.code, f"{ROWS:,} rows" in (folder / "log").read_text()) == (0, True)
    assert re.findall(rf"\b({ROWS}|{ROWS:,})\b", told) == []
    assert DATA.removesuffix(".parquet") not in told


def test_a_run_that_is_stopped_on_the_way_leaves_nothing(tmp_path, monkeypatch):
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("safetab_sql.published.new_release.write_manifest", stopped)
    (tmp_path / "scratch").mkdir()
    resources = Resources(threads=1, scratch=tmp_path / "scratch")
    with pytest.raises(KeyboardInterrupt):
        synthesize(written(tmp_path, SPEC, BEFORE), tmp_path / "out", resources=resources)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["scratch", "spec.toml", "table.parquet"]


def test_a_release_that_stands_is_replaced_only_if_asked(tmp_path):
    inputs = written(tmp_path, FEW, {"A": [1]})
    options = ("--spec", inputs.spec, "--data", inputs.data, "--out", tmp_path / "out", "--quiet")
    codes = [call("synthesize", "run", *options, *more).code for more in ((), (), ("--overwrite",))]
    assert codes == [0, 2, 0]
