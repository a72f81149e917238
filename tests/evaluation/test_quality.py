"""Checks of quality: honest noise is hardly ever flagged, and each planted pattern is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from safetab_sql.evaluation.quality import QUESTIONS, Check, chance_of, quality_checks
from safetab_sql.kit.database import Database, Resources, open_database

GROUPS, CELLS, SD = 400, 8, 6.0
AGES = (("0", "17"), ("18", "19"), ("20", "20"), ("21", "21"))
KEYS = [(first, last, sex) for first, last in AGES for sex in ("1", "2")]
Counts = np.ndarray


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with open_database(tmp_path_factory.mktemp("quality"), [], [], Resources(threads=1)) as opened:
        yield opened


def checked(database: Database, cells: Counts, *, is_as_drawn: bool = True) -> dict[str, Check]:
    """The checks of counties with these cells, int[GROUPS, CELLS], and of the sums of all that follow from them."""
    rows = []
    for number, counts in enumerate(cells):
        where = {"REGION_ID": f"{44000 + number}", "REGION_TYPE": "COUNTY", "ITERATION_CODE": "2210"}
        for key, count in zip(KEYS, counts, strict=True):
            rows.append(where | dict(zip(("AGESTART", "AGEEND", "SEX"), key, strict=True)) | row(count, 1))
        for sex in (0, 1):
            rows.append(where | {"AGESTART": "*", "AGEEND": "*", "SEX": str(sex + 1)} | row(counts[sex::2].sum(), 4))
    database.hand_over("t2", pa.Table.from_pylist(rows))
    totals = [
        {"REGION_ID": f"{44000 + number}", "REGION_TYPE": "COUNTY", "ITERATION_CODE": "2210"} | row(counts.sum(), CELLS)
        for number, counts in enumerate(cells)
    ]
    state = {"REGION_ID": "44", "REGION_TYPE": "STATE", "ITERATION_CODE": "2210"} | row(cells.sum(), 1)
    nation = {"REGION_ID": "1", "REGION_TYPE": "USA", "ITERATION_CODE": "2210"} | row(cells.sum() + 3, 1)
    database.hand_over("t1", pa.Table.from_pylist([*totals, state, nation]))
    return {check.question.statement: check for check in quality_checks(database, is_as_drawn, True)}


def row(count: int, cells: int) -> dict[str, float]:
    return {"COUNT": int(count), "VARIANCE": SD**2 * cells, "MOE95": 1.96 * SD * cells**0.5}


def honest(seed: int, true: int = 0) -> Counts:
    return true + np.rint(np.random.default_rng(seed).normal(0, SD, (GROUPS, CELLS))).astype(int)


@pytest.mark.parametrize("true", [0, 5, 1000])
@pytest.mark.each_time("[0]")
def test_honest_noise_is_not_flagged_whatever_the_true_counts_are(database, true):
    """0 is the worst for zeros, equal sexes and repeated tables; multiples of five for round counts."""
    for seed in range(3):
        assert [name for name, check in checked(database, honest(seed, true)).items() if check.is_flagged] == []


def changed(cells: Counts, change: Callable[[Counts], None]) -> Counts:
    change(cells)
    return cells


PLANTED: dict[str, Callable[[Counts], None]] = {
    "quality_sexes": lambda cells: cells[:80].__setitem__((slice(None), slice(1, None, 2)), cells[:80, ::2]),
    "quality_zeros": lambda cells: np.maximum(cells, 0, out=cells),
    "quality_round_counts": lambda cells: np.copyto(cells, 5 * (cells // 5)),
    "quality_repeats": lambda cells: cells.__setitem__(slice(1, 12), cells[0]),
    "quality_negatives": lambda cells: cells.__setitem__(slice(0, 60), -30),
    "quality_ages": lambda cells: cells.__setitem__((slice(None), slice(4, 6)), cells[:, 4:6] + 20),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_pattern_is_flagged(database, name):
    assert checked(database, changed(honest(9), PLANTED[name]))[name].is_flagged


def test_counts_that_were_cut_off_are_counted_and_not_judged(database):
    found = checked(database, np.maximum(honest(9), 0), is_as_drawn=False)
    assert found["quality_zeros"].found > 1000
    assert {name for name, check in found.items() if check.expected is not None} == {"quality_sums"}
    assert not any(check.is_flagged for check in found.values())


def test_the_bound_on_the_chance_is_above_that_of_honest_counts():
    """400 cases of chance 0.1: 40 on average. The binomial chance of 70 or more is 3e-6."""
    draws = np.random.default_rng(1).binomial(400, 0.1, 100_000)
    for found in (45, 55, 65):
        assert chance_of(found, 40, is_independent=True) >= (draws >= found).mean()
    assert chance_of(70, 40, is_independent=True) < 1e-3
    assert chance_of(40, 40, is_independent=True) == 1
    assert chance_of(1, 0, is_independent=True) == 0
    assert chance_of(10, 1, is_independent=False) == 0.1


def test_every_statement_of_the_folder_is_asked():
    folder = Path(__file__).parents[2] / "sql" / "tools" / "quality"
    assert {question.statement for question in QUESTIONS} == {file.stem for file in folder.glob("*.sql")}
