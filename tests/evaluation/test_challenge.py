"""The three scores of the challenge, beside plain loops over the rows."""

import json
from itertools import combinations
from math import log, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.histograms.evaluation.challenge import challenge_scores, conjunction_score, income_score
from safetab_sql.kit.errors import InputError
from tests.cli.command import call

SPECS = {
    "CITY": {"type": "enum", "count": 4, "maxval": 3},
    "SEX": {"type": "enum", "count": 2, "maxval": 2},
    "INCWAGE": {"type": "integer", "min": 0, "max": 999999},
    "AGE": {"type": "integer", "min": 0, "max": 115},
}
FIELDS = list(SPECS)


def made(path: Path, seed: int, size: int) -> Path:
    stream = np.random.default_rng(seed)
    wage = np.where(stream.random(size) < 0.3, 999998, stream.integers(0, 3_000, size))
    columns = [stream.integers(0, 4, size), stream.integers(1, 3, size), wage, stream.integers(0, 100, size)]
    pq.write_table(pa.table(dict(zip(FIELDS, columns, strict=True))), path)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("challenge")
    (folder / "specs.json").write_text(json.dumps(SPECS), encoding="utf-8")
    return made(folder / "exact.parquet", 1, 700), made(folder / "rows.parquet", 2, 900), folder / "specs.json"


@pytest.fixture(scope="module")
def scores(files):
    return challenge_scores(files[0], [files[1], files[0]], files[2], with_baseline=True)


def rows_of(path: Path) -> list[tuple[int, ...]]:
    return list(zip(*pq.read_table(path).to_pydict().values(), strict=True))


def bucket(name: str, value: int) -> int:
    spec = SPECS[name]
    if spec["type"] == "enum":
        return value
    return int((value - spec["min"]) / (1.0001 * (spec["max"] - spec["min"]) / 100))


@pytest.mark.slow
def test_the_first_score_is_that_of_marginals_of_hundred_buckets(files, scores):
    """Four fields have four sets of three, all of which are looked at."""
    expected = []
    for places in combinations(range(4), 3):
        shares = []
        for path in files[:2]:
            found: dict[tuple[int, ...], float] = {}
            rows = rows_of(path)
            for row in rows:
                key = tuple(bucket(FIELDS[place], row[place]) for place in places)
                found[key] = found.get(key, 0) + 1 / len(rows)
            shares.append(found)
        expected.append(sum(abs(shares[0].get(key, 0) - shares[1].get(key, 0)) for key in {*shares[0], *shares[1]}))
    assert scores[0].marginals.score == pytest.approx(1e6 * (1 - np.mean(expected) / 2))
    assert scores[0].marginals.half_width == 0


def income(path: Path) -> dict[int, tuple[float, float]]:
    """Gini index and pay gap of each city, person by person."""
    found = {}
    for city in range(4):
        people = sorted((wage, sex) for its, sex, wage, _ in rows_of(path) if its == city and wage < 999998)
        total, so_far, area = sum(wage for wage, _ in people), 0, 0.0
        for wage, _ in people:
            so_far += wage
            area += so_far / len(people) / total
        means = [np.mean([wage for wage, sex in people if sex == one]) for one in (1, 2)]
        found[city] = (1 - 2 * area, means[0] - means[1])
    return found


@pytest.mark.slow
def test_the_third_score_is_that_of_gini_indices_and_ranks_by_pay_gap(files, scores):
    exact, ours = income(files[0]), income(files[1])
    ranked = [sorted(one, key=lambda city, one=one: -one[city][1]) for one in (exact, ours)]
    ranks = [{city: rank for rank, city in enumerate(one)} for one in ranked]
    gini = [(1 - abs(exact[city][0] - ours[city][0])) ** 2 for city in exact]
    rank = [(1 - abs(ranks[0][city] - ranks[1][city]) / 3) ** 2 for city in exact]
    assert scores[0].income.score == pytest.approx(5e5 * (sqrt(np.mean(gini)) + sqrt(np.mean(rank))))


@pytest.mark.slow
def test_exact_rows_have_all_points_and_the_mean_is_that_of_three(scores):
    one, itself, baseline = scores
    assert [part.score for part in (itself.marginals, itself.conjunctions, itself.income)] == pytest.approx([1e6] * 3)
    assert one.mean.score == pytest.approx((one.marginals.score + one.conjunctions.score + one.income.score) / 3)
    # these fields were drawn independently, so independent columns come near
    assert (baseline.name, baseline.conjunctions.score > 9e5) == ("independent columns, no noise", True)


def test_a_rule_twice_as_often_costs_its_logarithm():
    assert conjunction_score([(0.1, 0.2), (0.2, 0.4)]).score == pytest.approx(1e6 * (1 - log(2) / log(1000)))
    assert conjunction_score([(1e-5, 0.0)]).score == pytest.approx(1e6 * (1 - log(10) / log(1000)))
    assert conjunction_score([(0.1, 0.0)]).score == 0


def test_a_city_without_synthetic_wages_has_no_points():
    row = {"city": 1, "gini": 0.5, "pay_gap": 3.0}
    other = {"city": 2, "gini": 0.5, "pay_gap": 1.0}
    found = income_score([{**row, "is_exact": True}, {**other, "is_exact": True}, {**row, "is_exact": False}])
    assert found.score == pytest.approx(1e6 * sqrt(0.5))


@pytest.mark.slow
def test_the_command_prints_three_scores_their_mean_and_their_intervals(files):
    result = call("synthesize", "score", "--data", files[0], "--synthetic", files[1], "--challenge", files[2])
    assert result.code == 0
    assert result.stdout.splitlines()[1].split("  ")[0] == "3-way marginals"
    assert result.stdout.count("±") == 4


def test_specs_without_a_wage_are_refused(files, tmp_path):
    (tmp_path / "specs.json").write_text(json.dumps({"CITY": SPECS["CITY"]}), encoding="utf-8")
    with pytest.raises(InputError, match="has no SEX, INCWAGE"):
        challenge_scores(files[0], [files[1]], tmp_path / "specs.json")
