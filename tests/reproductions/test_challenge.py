"""The challenge's files as a specification, and its three scores beside plain loops over the rows."""

import json
from itertools import combinations
from math import log, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docs.reproductions import challenge
from safetab_sql.histograms.public.domains import Domain, domains_of
from safetab_sql.histograms.public.synthesis_spec import MOST_VALUES, SynthesisFile
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.settings.reading import read_as, read_toml
from tests.conftest import REPOSITORY

BOOK = """Description: 1940 extract
  Variable               Columns        Len    1940
  SEX                P  73              1      X

 SEX\t\tSex
1\t\tMale
2\t\tFemale

 METRO\t\tMetropolitan status
0\t\tNot identifiable
\t\tIn metro area:
02\t\tIn metro area, central city

 AGE\t\tAge
"""
NIST = {"SEX": {"type": "enum", "maxval": 2}, "METRO": {"maxval": 4}, "WAGE": {"type": "integer", "min": 0, "max": 99}}
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
    return challenge.challenge_scores(files[0], [files[1], files[0]], files[2])


def rows_of(path: Path) -> list[tuple[int, ...]]:
    return list(zip(*pq.read_table(path).to_pydict().values(), strict=True))


def bucket(name: str, value: int) -> int:
    spec = SPECS[name]
    if spec["type"] == "enum":
        return value
    return int((value - spec["min"]) / (1.0001 * (spec["max"] - spec["min"]) / 100))


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
    assert scores[0].marginals == pytest.approx(1e6 * (1 - np.mean(expected) / 2))


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


def test_the_third_score_is_that_of_gini_indices_and_ranks_by_pay_gap(files, scores):
    exact, ours = income(files[0]), income(files[1])
    ranked = [sorted(one, key=lambda city, one=one: -one[city][1]) for one in (exact, ours)]
    ranks = [{city: rank for rank, city in enumerate(one)} for one in ranked]
    gini = [(1 - abs(exact[city][0] - ours[city][0])) ** 2 for city in exact]
    rank = [(1 - abs(ranks[0][city] - ranks[1][city]) / 3) ** 2 for city in exact]
    assert scores[0].income == pytest.approx(5e5 * (sqrt(np.mean(gini)) + sqrt(np.mean(rank))))


def test_exact_rows_have_all_points_and_a_rule_twice_as_often_costs_its_logarithm(scores):
    one, itself = scores
    assert [itself.marginals, itself.conjunctions, itself.income] == pytest.approx([1e6] * 3)
    assert one.mean == pytest.approx((one.marginals + one.conjunctions + one.income) / 3)
    assert challenge.conjunction_score([(0.1, 0.2), (0.2, 0.4)]) == pytest.approx(1e6 * (1 - log(2) / log(1000)))
    assert challenge.conjunction_score([(1e-5, 0.0)]) == pytest.approx(1e6 * (1 - log(10) / log(1000)))
    assert challenge.conjunction_score([(0.1, 0.0)]) == 0


def test_the_command_prints_three_scores_and_their_mean(files, capsys):
    assert challenge.main(["score", f"--data={files[0]}", f"--synthetic={files[1]}", f"--specs={files[2]}"]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split("  ")[0] == "3-way marginals"
    assert printed.splitlines()[2].endswith(str(files[1]))


def written(folder: Path, specs: object, book: str = BOOK) -> tuple[Path, Path]:
    (folder / "specs.json").write_text(specs if isinstance(specs, str) else json.dumps(specs), encoding="utf-8")
    (folder / "codebook.cbk").write_text(book, encoding="utf-8")
    return folder / "specs.json", folder / "codebook.cbk"


def domains(folder: Path, text: str) -> list[Domain]:
    """The domains of a specification that is laid over these fields."""
    (folder / "fields.toml").write_text(text, encoding="utf-8")
    (folder / "spec.toml").write_text('epsilon = 1\nbase = "fields.toml"\n', encoding="utf-8")
    document = read_toml(folder / "spec.toml")
    problems: list[Problem] = []
    found, _ = domains_of(document, read_as(SynthesisFile, document).found.domains, problems)
    assert problems == []
    return list(found)


def test_a_variable_of_a_code_book_has_the_codes_below_its_name(tmp_path):
    assert challenge.code_book(written(tmp_path, {})[1]) == {"SEX": (1, 2), "METRO": (0, 2)}


@pytest.mark.parametrize("text", [None, "nothing of the kind\n"], ids=["absent", "no book"])
def test_what_is_no_code_book_is_refused(tmp_path, text):
    book = tmp_path / "absent.cbk" if text is None else written(tmp_path, {}, text)[1]
    with pytest.raises(InputError, match="code book of an IPUMS extract"):
        challenge.code_book(book)


def test_fields_that_the_book_lists_have_its_codes_and_others_run_to_their_maximum(tmp_path):
    found = domains(tmp_path, challenge.challenge_domains(*written(tmp_path, NIST)))
    values = [domain.values or (domain.minimum, domain.maximum) for domain in found]
    assert values == [((1,), (2,)), ((0,), (2,)), (0, 99)]


@pytest.mark.parametrize("largest", [99_999, 100_000, 100_001, 100_002, 999_999, 10**6, 10**6 + 1, 10**6 + 2, 10**12])
def test_bins_of_any_field_hold_every_number_once(largest):
    intervals = list(challenge.nist_bins(largest)) or [(0, largest)]
    assert (len(intervals) == 1) == (largest < 100_000)
    assert all(low <= end for low, end in intervals)
    assert [end + 1 for _, end in intervals] == [*(low for low, _ in intervals[1:]), largest + 1]
    assert len(intervals) < 1200


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *(("{", "cannot be read as JSON"), ("[]", "holds no fields")),
        ('{"SEX": {"count": 2}}', r"\[SEX\]: maxval is None"),
        ('{"SEX": {"maxval": "2"}}', r"\[SEX\]: maxval is '2'"),
        ('{"SEX": {"maxval": -1}}', r"\[SEX\]: maxval is -1"),
    ],
)
def test_specs_that_are_not_nists_are_refused(tmp_path, capsys, text, problem):
    specs, _ = written(tmp_path, text)
    with pytest.raises(InputError, match=problem):
        challenge.challenge_domains(specs)
    assert challenge.main(["domains", str(specs)]) == 2
    assert capsys.readouterr().err


def test_the_page_says_how_many_bins_there_are():
    page = (REPOSITORY / "docs" / "reproductions" / "challenge.md").read_text(encoding="utf-8")
    assert f"more than {MOST_VALUES:,} numbers" in page
    assert f"INCWAGE has {len(challenge.nist_bins(999_999))} bins" in page
