"""The k-marginal score: what it measures, and what it refuses."""

from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.score import marginal_scores
from safetab_sql.histograms.published.sampling import generator, random_sets
from safetab_sql.kit.errors import InputError
from tests.cli.command import call

FIELDS = "ABCD"


def table(path: Path, columns: dict[str, object]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Exact rows in which B is A, and synthetic ones in which fields are drawn by themselves."""
    folder, stream = tmp_path_factory.mktemp("scored"), np.random.default_rng(1)
    a, c, d = stream.integers(0, 4, (3, 2000))
    exact = table(folder / "exact.parquet", {"A": a, "B": a, "C": c, "D": d})
    rows = stream.integers(0, 4, (4, 3000))
    return exact, table(folder / "synthetic.parquet", dict(zip(FIELDS, rows, strict=True)))


def density(path: Path, fields: tuple[str, ...]) -> dict[tuple[int, ...], float]:
    """The normalised marginal, counted without the package."""
    rows = list(zip(*(pq.read_table(path)[name].to_pylist() for name in fields), strict=True))
    return {cell: rows.count(cell) / len(rows) for cell in product(range(4), repeat=len(fields))}


@pytest.mark.parametrize("ways", [1, 2, 3])
@pytest.mark.each_time("[2]")
def test_the_score_is_the_mean_over_all_sets_where_all_are_looked_at(tables, ways):
    distances = []
    for places in random_sets(4, ways, 100, generator(0)):
        one, other = (density(path, tuple(FIELDS[place] for place in places)) for path in tables)
        distances.append(sum(abs(one[cell] - other[cell]) for cell in one))
    assert len(distances) == comb(4, ways)
    (found,) = marginal_scores(tables[0], [tables[1]], [ways], 100)
    assert found.score == pytest.approx(1e6 * (1 - np.mean(distances) / 2))


def test_a_table_scores_a_million_against_itself_and_0_where_nothing_is_common(tables, tmp_path):
    (found,) = marginal_scores(tables[0], [tables[0]], [2], 4)
    assert found.score == 1_000_000
    other = table(tmp_path / "other.parquet", {name: [9] for name in FIELDS})
    assert marginal_scores(tables[0], [other], [1], 4)[0].score == 0


@pytest.mark.parametrize(
    ("ways", "sets", "problem"),
    [([5], 3, "5 of 4 fields"), ([0], 3, "0 of 4 fields"), ([2, 2], 3, "2 stands twice"), ([2], 0, "at least 1")],
)
def test_sets_that_cannot_be_are_refused(tables, ways, sets, problem):
    with pytest.raises(InputError, match=problem):
        marginal_scores(tables[0], [tables[1]], ways, sets)


def test_tables_of_other_fields_are_refused(tables, tmp_path):
    other = table(tmp_path / "other.parquet", {"A": [1], "E": [2]})
    with pytest.raises(InputError, match=r"exact.parquet: lacks E"):
        marginal_scores(tables[0], [other], [1], 3)


def test_the_command_says_that_it_saw_exact_rows(tables):
    options = ("--data", tables[0], "--synthetic", tables[1], "--ways", "2", "--sets", "5")
    done = call("synthesize", "score", *options)
    assert (done.code, "EXACT" in done.stderr, "EXACT" in done.stdout) == (0, True, False)


def test_rows_that_stand_twice_are_refused(tables, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.parquet").write_bytes(tables[0].read_bytes())
    for data, synthetic in ((tmp_path, tables[1]), (tables[0], tmp_path)):
        with pytest.raises(InputError, match=r"b\.parquet: holds the same bytes as .*a\.parquet"):
            marginal_scores(data, [synthetic], [1], 10)
