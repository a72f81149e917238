"""What a release says, and what it must not say, seen from outside: OUT/t1 and OUT/t2."""

from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.jobs.export import export
from safetab_sql.laws.noise import DiscreteGaussian
from tests import oracle
from tests.nations import NO_NOISE, oracle_inputs
from tests.published.conftest import cell, cells_of_groups, group, manifest, rows
from tests.statistics import pmf, support

NATION_LIKE = ("USA", "STATE", "PR-STATE")
TOTAL_ONLY = ("2130", "2230")  # iterations of the nation marked DETAILED_ONLY
LEAST = 7  # a count that small totals have to reach


def test_cells_stand_in_the_order_of_region_type_region_iteration_age_and_sex(release):
    """Ages as numbers: 5 before 18. A group's marginals stand before its cells."""

    def place(row):
        return (*group(row), -1 if row["AGESTART"] == "*" else int(row["AGESTART"]), row["SEX"])

    places = [place(row) for row in rows(release(), "t2")]
    assert places == sorted(places)


def sums_of_cells(out: Path, column: str) -> dict[tuple[str, ...], float]:
    """A column, added up over the cells of each group with a table, and of each sex of it."""
    sums: dict[tuple[str, ...], float] = {}
    for key, cells in cells_of_groups(out).items():
        sums[key] = sum(row[column] for row in cells)
        for sex in "12":
            sums[*key, "*", "*", sex] = sum(row[column] for row in cells if row["SEX"] == sex)
    return sums


SUMS = {"negative counts": ("COUNT", True), "no negative counts": ("COUNT", False), "variances": ("VARIANCE", True)}


@pytest.mark.parametrize(("column", "allowed"), SUMS.values(), ids=SUMS)
@pytest.mark.each_time("no negative", "variances")
def test_a_total_and_the_marginal_of_a_sex_are_the_sums_of_the_published_cells(release, column, allowed):
    out = release(allow_negative_counts=allowed)
    sums = sums_of_cells(out, column)
    found = {group(row): row[column] for row in rows(out, "t1") if group(row) in sums}
    found |= {cell(row): row[column] for row in rows(out, "t2") if row["AGESTART"] == "*"}
    assert found == pytest.approx(sums, rel=1e-12 if column == "VARIANCE" else 0)


@pytest.mark.parametrize(("is_total_only", "share"), [(True, Fraction(1, 4)), (False, Fraction(9, 10 * 3))])
def test_the_variance_of_a_total_is_that_of_its_noise(release, is_total_only, share):
    """Budget 1, gamma 0.1; stability 4 at the nation and the states, where totals alone are, and 3 elsewhere."""
    law = DiscreteGaussian(share)
    tabled = cells_of_groups(release())
    totals = [row for row in rows(release(), "t1") if group(row) not in tabled and row["ITERATION_CODE"][0] == "2"]
    found = [row["VARIANCE"] for row in totals if (row["ITERATION_CODE"] in TOTAL_ONLY) == is_total_only]
    assert set(found) == {found[0]}
    assert found[0] == pytest.approx(float(pmf(law) @ support(law).astype(float) ** 2), rel=1e-9)


def suppression(out: Path) -> dict[str, int | None]:
    """By level, the total up to which none is published."""
    return {level["level"]: level["suppression_threshold"] for level in manifest(out)["ledger"]["levels"]}


def _totals(out: Path) -> dict[tuple[str, str, str], int]:
    """The published totals of groups without a table."""
    tabled = cells_of_groups(out)
    return {group(row): row["COUNT"] for row in rows(out, "t1") if group(row) not in tabled}


def test_the_suppression_threshold_is_the_quantile_of_the_noise(release):
    """The smallest t with P(noise <= t) >= 0.9, of the noise of a total: rho 0.9 / stability."""
    stated, wanted = manifest(release()), {}
    for level in stated["ledger"]["levels"]:
        law = DiscreteGaussian(Fraction(9, 10 * level["stability"]))
        smallest = int(support(law)[(pmf(law).cumsum() >= 0.9).argmax()])
        wanted[level["level"]] = None if level["level"].rpartition("-")[0] in NATION_LIKE else smallest
    assert suppression(release()) == wanted


def test_totals_that_equal_the_threshold_are_suppressed_and_those_one_above_are_not(nation, release):
    """Without noise the threshold is 0, and groups with nobody have totals of 0."""
    levels = {name: {**level, "budget": NO_NOISE} for name, level in nation.parameters["levels"].items()}
    out, exact_t1 = release(levels=levels), oracle.exact_tables(oracle_inputs(nation))[0]
    assert set(suppression(out).values()) == {0, None}
    assert {0, 1} <= {count for key, count in exact_t1.items() if key[0] not in NATION_LIKE}
    wanted = {key for key, count in exact_t1.items() if key[0] in NATION_LIKE or count > 0}
    assert {group(row) for row in rows(out, "t1")} == wanted


def test_a_total_below_the_least_is_suppressed_where_the_noise_alone_would_publish_it(release):
    """Where the quantile of the noise is larger, it decides."""
    by_noise, out = suppression(release()), release(suppress_below=LEAST)
    assert min(each for each in by_noise.values() if each is not None) < LEAST - 1
    wanted = {name: None if each is None else max(each, LEAST - 1) for name, each in by_noise.items()}
    assert suppression(out) == wanted
    totals = {key: count for key, count in _totals(out).items() if key[0] not in NATION_LIKE}
    assert min(totals.values()) >= LEAST
    assert {row["SUPPRESSED_UP_TO"] for row in rows(out, "suppressed")} == {*wanted.values()} - {None}
    assert manifest(out)["parameters"]["suppress_below"] == LEAST


@pytest.fixture(scope="module")
def census(release, tmp_path_factory):
    """The release in production's text."""
    return export(release(), tmp_path_factory.mktemp("census") / "out", format="census").out


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("t1", ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT"]),
        ("t2", ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "AGESTART", "AGEEND", "SEX", "COUNT"]),
    ],
)
def test_census_format_has_the_columns_of_production_and_the_same_rows(release, census, table, columns):
    (file,) = (census / table).iterdir()
    wanted = ["|".join(str(row[name]) for name in columns) for row in rows(release(), table)]
    assert file.read_text().splitlines() == ["|".join(columns), *wanted]
