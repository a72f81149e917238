"""Trends over several releases: the slope of the line that fits their counts, with the noise of all of them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.series import smoothed_series
from safetab_sql.jobs.statistics import statistics
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.selection import largest_suppressed
from safetab_sql.statistics.adjusted import Comparing
from safetab_sql.statistics.wanted import slope_of
from tests.jobs.change_pairs import Count, trends_of
from tests.jobs.test_statistics import GROUP, asked
from tests.nations import Nation, published
from tests.published.conftest import group, rows
from tests.report.conftest import rewrite
from tests.statistics import FALSE_ALARM, recorded_bits

HEAD = ("KIND", "RELEASE", "OTHER_RELEASE", "TIMES", *GROUP, "SEX")
ENDS = ("ESTIMATE", "LOW", "HIGH", "P_VALUE")
Answers = Callable[..., list[dict[str, object]]]


@pytest.fixture(scope="module")
def years(nation: Nation, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Three releases of the same people."""
    folders = [tmp_path_factory.mktemp(str(year)) / "nation" for year in (2022, 2023, 2024)]
    for folder in folders:
        published(nation.with_parameters(title=folder.parent.name), folder, recorded_bits(folder.parent.name))
    return tuple(folder / "out" for folder in folders)


@pytest.fixture
def answers(years: tuple[Path, ...], tmp_path: Path) -> Answers:
    def made(*lines: tuple[str, ...], releases: tuple[Path, ...] = years, **options: object) -> list[dict]:
        wanted = asked(tmp_path / "wanted.csv", *lines, head=HEAD)
        return statistics(releases, wanted, tmp_path / "out.parquet", overwrite=True, **options).to_pylist()

    return made


def totals(folder: Path) -> dict[tuple[str, str, str], dict[str, object]]:
    return {group(row): row for row in rows(folder, "t1")}


@pytest.fixture(scope="module")
def lasting(years: tuple[Path, ...]) -> tuple[str, str, str]:
    return next(name for name in sorted(set.intersection(*(set(totals(year)) for year in years))) if name[0] == "USA")


# --- what it is ---


@given(times=st.lists(st.integers(-500, 3000), min_size=2, max_size=9).filter(lambda times: len(set(times)) > 1))
def test_the_slope_is_that_of_least_squares(times):
    found = slope_of(" ".join(map(str, times)), len(times))
    counts = np.random.default_rng(len(times)).integers(0, 1000, len(times))
    assert found is not None
    assert sum(found.times) == 0
    assert found.times[found.first] > 0
    made = np.dot(found.times, counts) / float(found.divisor)
    assert made == pytest.approx(np.polyfit(np.array(times) - np.mean(times), counts, 1)[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("text", ["1 2", "1 2 x", "5 5 5", "1 2 3 4", "0.137123456789 1.29 2.7"])
def test_times_are_one_of_each_release_and_have_few_digits(text):
    assert slope_of(text, 3) is None


def test_a_trend_of_two_releases_is_their_difference(answers, years, lasting):
    trend, difference = answers(
        ("trend", "", "", "", *lasting), ("difference", "2", "1", "", *lasting), releases=years[:2]
    )
    assert [trend[name] for name in ENDS] == [difference[name] for name in ENDS]


def test_a_trend_has_the_noise_of_all_its_releases(answers, years, lasting):
    steps, apart = answers(("trend", "", "", "", *lasting), ("trend", "", "", "2019 2020 2024", *lasting))
    counts = [totals(year)[lasting] for year in years]
    for found, times in ((steps, (1, 2, 3)), (apart, (2019, 2020, 2024))):
        own = np.array(times) - np.mean(times)
        weights = own / (own @ own)
        assert found["ESTIMATE"] == pytest.approx(weights @ [count["COUNT"] for count in counts])
        reach = 1.96 * np.sqrt(weights**2 @ [count["VARIANCE"] for count in counts])
        assert found["HIGH"] - found["ESTIMATE"] == pytest.approx(reach, abs=1)
        assert 0 <= found["P_VALUE"] <= 1


@pytest.mark.slow
def test_the_trend_of_reconciled_counts_adds_their_deviations(answers, years, lasting, tmp_path):
    folders = tuple(tmp_path / year.parent.parent.name for year in years)
    for year, folder in zip(years, folders, strict=True):
        reconcile(year, folder)
    (found,) = answers(("trend", "", "", "", *lasting), releases=folders)
    first, _, last = (totals(folder)[lasting] for folder in folders)
    assert found["ESTIMATE"] == pytest.approx((last["COUNT"] - first["COUNT"]) / 2)
    assert found["HIGH"] - found["ESTIMATE"] == pytest.approx((first["MOE95"] + last["MOE95"]) / 2, abs=1)


def test_a_suppressed_year_bounds_the_trend(answers, years):
    known = [totals(year) for year in years]
    regions = {name[:2] for name in known[0]}
    name = next(
        each
        for each in sorted(known[2])
        if each[0] == "COUNTY" and each not in known[0] and each[:2] in regions and each in known[1]
    )
    found, then, now = answers(
        ("trend", "", "", "", *name), ("count", "1", "", "", *name), ("difference", "3", "1", "", *name)
    )
    assert (found["ESTIMATE"], found["P_VALUE"]) == (None, None)
    assert [found["LOW"], found["HIGH"]] == [now["LOW"] / 2, now["HIGH"] / 2]
    assert found["NOTE"].startswith("a group without a row is too small")
    assert then["LOW"] == 0


def test_trends_are_among_the_comparisons_that_are_adjusted(answers, lasting):
    found = answers(
        ("trend", "", "", "", *lasting), ("difference", "2", "1", "", *lasting), comparing=Comparing(adjust="holm")
    )
    assert all(row["P_ADJUSTED"] >= row["P_VALUE"] for row in found)
    assert found[0]["LOW_ADJUSTED"] < found[0]["LOW"]


# --- what is refused ---


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (("trend", "2", "", ""), " RELEASE: 1 value cannot be used; row 1: '2'.*leave it empty"),
        (("trend", "", "1", ""), "OTHER_RELEASE: 1 value cannot be used; row 1: '1'.*leave it empty"),
        (("trend", "", "", "2022 2023"), "TIMES: 1 value cannot be used; row 1: '2022 2023'.*write 3 times"),
    ],
)
def test_what_a_trend_cannot_have_is_refused(answers, lasting, line, problem):
    with pytest.raises(InputError, match=f"(?s){problem}"):
        answers((*line, *lasting))


def test_a_wrong_value_of_a_trend_is_shown_once(answers, lasting):
    with pytest.raises(InputError, match=r"SEX: 1 value cannot be used; row 1: 'F'[^,]*\n") as refused:
        answers(("trend", "", "", "", *lasting, "F"))
    assert len(refused.value.problems) == 1


def test_a_trend_needs_releases_with_noise_of_their_own(answers, years, lasting, tmp_path):
    reconcile(years[0], tmp_path / "reconciled")
    for releases in (years[:1], (years[0], years[0]), (years[0], tmp_path / "reconciled", years[1])):
        with pytest.raises(InputError, match="a trend needs two releases or more"):
            answers(("trend", "", "", "", *lasting), releases=releases)


def test_releases_that_count_different_things_have_no_trend(answers, years, lasting, tmp_path):
    stays = shutil.copytree(years[0], tmp_path / "stays")
    rewrite(stays, lambda manifest: manifest["parameters"]["unit"].update(one="stay", many="stays"))
    with pytest.raises(InputError, match="counts stays, and "):
        answers(("trend", "", "", "", *lasting), releases=(stays, *years[1:]))
    with pytest.raises(InputError, match="counts stays, and "):
        smoothed_series((stays, *years[1:]), "0.1", tmp_path / "smoothed.csv")


def test_what_is_compared_across_units_and_too_wide_to_test_is_said(answers, years, lasting, tmp_path):
    stays = shutil.copytree(years[0], tmp_path / "stays")
    rewrite(stays, lambda manifest: manifest["parameters"]["unit"].update(one="stay", many="stays"))
    unlike, alike = answers(
        ("difference", "1", "2", "", *lasting), ("difference", "3", "2", "", *lasting), releases=(stays, *years[1:])
    )
    assert unlike["NOTE"] == "the one count is of stays, the other one of persons"
    assert alike["NOTE"] is None
    (wide,) = answers(("trend", "", "", "0.1371 1.298 2.712", *lasting))
    assert (wide["P_VALUE"], "too wide to convolve" in wide["NOTE"]) == (None, True)
    assert wide["LOW"] < wide["ESTIMATE"] < wide["HIGH"]


def test_a_column_that_is_misspelt_is_not_passed_over(years, tmp_path):
    """A column that is like none that has a meaning is one of the reader's own."""
    head = ("KIND", *GROUP, "REGION_NAME", "Other_Release", "SHARES")
    wanted = asked(tmp_path / "wanted.csv", ("count", "USA", "1", "0001", "all", "", ""), head=head)
    with pytest.raises(InputError) as refused:
        statistics(years, wanted, tmp_path / "out.parquet")
    assert [problem.fix for problem in refused.value.problems] == [
        f"did you mean {name}? Else rename it" for name in ("OTHER_RELEASE", "SHARE")
    ]


# --- how often it holds ---


@pytest.mark.parametrize("definition", ["zcdp", pytest.param("puredp", marks=pytest.mark.slow)])
def test_intervals_of_trends_hold_the_truth(definition):
    """4,000 series of five years near the limit: right intervals fail with a chance of 1e-6 at most."""
    slope = slope_of("1 2 3 5 9", 5)
    assert slope is not None
    limit = largest_suppressed(Count(definition, 0, 0).law, Count(definition, 0, 0).above or 0)
    counts = [Count(definition, limit + more, cells) for more, cells in ((-9, 0), (0, 0), (3, 2), (-3, 0), (9, 4))]
    found = trends_of(counts, slope, 4_000, np.random.default_rng(21))
    truth = np.dot(slope.times, [count.true for count in counts]) / float(slope.divisor)
    missed = int((~found.held(truth)).sum())
    assert missed <= stats.binom.isf(FALSE_ALARM, 4_000, 0.05)
    is_whole = found.is_published[:, [bool(times) for times in slope.times]].all(axis=1)
    assert int((~found.held(truth) & is_whole).sum()) <= stats.binom.isf(FALSE_ALARM, int(is_whole.sum()), 0.05)
