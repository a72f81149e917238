"""Change between releases, many comparisons at once, and ranks: what noise, tables and suppression leave known."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.statistics import statistics, sum_of_release
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import Law, margin_of_error, quantile
from safetab_sql.laws.selection import largest_suppressed
from safetab_sql.published.margins import sum_margin_of_error
from safetab_sql.release.folder import open_folder
from safetab_sql.statistics.evaluator import Asked, Form, Known, Side, adjusted_level, adjusted_p_values, evaluated
from safetab_sql.statistics.intervals import Intervals
from safetab_sql.statistics.ratios import Shape, Term
from tests.cli.command import call
from tests.jobs.test_statistics import GROUP, asked
from tests.published.conftest import cells_of_groups, group, rows
from tests.published.total_coverage import chances, county_law
from tests.statistics import FALSE_ALARM

HEAD = ("KIND", "RELEASE", "OTHER_RELEASE", *GROUP, "SEX", "AGESTART", "AGEEND", "OTHER_SEX")
ENDS = ("ESTIMATE", "LOW", "HIGH", "P_VALUE")
Answers = Callable[..., list[dict[str, object]]]


@pytest.fixture
def answers(then: Path, now: Path, tmp_path: Path) -> Answers:
    def made(*lines: tuple[str, ...], releases: tuple[Path, ...] = (), head: tuple[str, ...] = HEAD) -> list[dict]:
        wanted = asked(tmp_path / "wanted.csv", *lines, head=head)
        return statistics(releases or (then, now), wanted, tmp_path / "out.parquet", overwrite=True).to_pylist()

    return made


def totals(folder: Path) -> dict[tuple[str, str, str], dict[str, object]]:
    return {group(row): row for row in rows(folder, "t1")}


@pytest.fixture(scope="module")
def lasting(then: Path, now: Path) -> tuple[str, str, str]:
    both = set(cells_of_groups(then)) & set(cells_of_groups(now))
    return next(name for name in sorted(both) if name[0] == "USA")


@pytest.fixture(scope="module")
def told(then: Path, now: Path, lasting: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What is said of both releases: the lines of each test, and their answers, all asked for at once."""
    tables, counts = [cells_of_groups(folder) for folder in (then, now)], [totals(folder) for folder in (then, now)]
    cut = next(each for each in sorted(tables[0]) if [len(own.get(each, ())) for own in tables] == [8, 18])
    regions = sorted({name[:2] for name in counts[0]})
    small = next(
        name for name in sorted(counts[1]) if name[0] == "COUNTY" and name not in counts[0] and name[:2] in regions
    )
    stated = sorted({(row["REGION_TYPE"], row["ITERATION_CODE"]) for row in rows(then, "suppressed")})
    possible = ((*each, code) for each in regions for kind, code in stated if kind == each[0])
    absent = next(each for each in possible if each not in counts[0])
    of_women = ("difference", "2", "1", *lasting, "2")
    lines = {
        "change": [("difference", "2", "1", *lasting)],
        "growth": [(kind, *of_women[1:]) for kind in ("growth", "ratio", "difference")],
        "other": [of_women, (*of_women, "", "", "*")],
        "names": [("difference", *each, *lasting) for each in (("2", "1"), ("Now", "Then"), ("Now", "1"))],
        "tables": [("difference", "2", "1", *cut, "", *ages) for ages in (("18", "64"), ("5", "17"))],
        "small": [*((kind, "2", "1", *small) for kind in ("difference", "growth")), ("count", "1", "", *small)],
        "absent": [("count", "1", "", *absent), ("difference", "2", "1", "COUNTY", "99999", "1")],
    }
    folder = tmp_path_factory.mktemp("told")
    wanted = asked(folder / "wanted.csv", *(line for own in lines.values() for line in own), head=HEAD)
    answers = iter(statistics((then, now), wanted, folder / "out.parquet").to_pylist())
    return {name: [next(answers) for _ in own] for name, own in lines.items()}


def test_a_change_is_a_difference_with_the_noise_of_both_and_growth_a_ratio_less_1(told, lasting, then, now):
    (found,) = told["change"]
    counts = [totals(folder)[lasting] for folder in (then, now)]
    assert found["ESTIMATE"] == counts[1]["COUNT"] - counts[0]["COUNT"]
    reach = found["HIGH"] - found["ESTIMATE"]
    expected = 1.96 * np.sqrt(counts[0]["VARIANCE"] + counts[1]["VARIANCE"])
    assert reach == found["ESTIMATE"] - found["LOW"] == pytest.approx(expected, abs=1)
    assert 0 <= found["P_VALUE"] <= 1
    growth, ratio, difference = told["growth"]
    assert [growth[name] for name in ENDS[:3]] == pytest.approx([ratio[name] - 1 for name in ENDS[:3]])
    assert growth["P_VALUE"] == difference["P_VALUE"]


def test_the_other_release_has_the_values_of_the_first_unless_it_names_its_own(told, lasting, then):
    women, all_of_them = told["other"]
    own = sum(row["COUNT"] for row in cells_of_groups(then)[lasting] if row["SEX"] == "1")
    assert women["ESTIMATE"] - all_of_them["ESTIMATE"] == own


def test_a_release_is_named_by_its_title_its_position_or_a_day_that_no_other_has(told, lasting, then, now, tmp_path):
    assert len({tuple(row[name] for name in ENDS) for row in told["names"]}) == 1
    day = open_folder(then).facts.day
    wanted = asked(tmp_path / "wanted.csv", ("count", day, "", *lasting), head=HEAD)
    (found,) = statistics(then, wanted, tmp_path / "day.parquet").to_pylist()
    assert found["ESTIMATE"] == totals(then)[lasting]["COUNT"]
    with pytest.raises(InputError, match="by a title or day that no other has"):
        statistics((then, now), wanted, tmp_path / "refused.parquet")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("2024", "1"), " RELEASE: 1 value cannot be used; row 1: '2024'"),
        (("2", "Soon"), " OTHER_RELEASE: 1 value cannot be used; row 1: 'Soon'"),
        (("", "1"), " RELEASE: 1 value cannot be used; row 1: nothing"),
    ],
)
def test_a_name_that_no_release_has_is_refused_with_the_choices(answers, lasting, names, problem):
    with pytest.raises(InputError, match=f"(?s){problem}.*1, Then, .*; 2, Now, "):
        answers(("difference", *names, *lasting))


def test_a_release_differs_from_itself_by_nobody(answers, lasting, then):
    found = answers(*((kind, "2", "1", *lasting, "2") for kind in ("difference", "growth")), releases=(then, then))
    assert [[row[name] for name in ENDS] for row in found] == [[0, 0, 0, 1]] * 2
    assert all(row["NOTE"].startswith("both counts are of the same people") for row in found)


def test_what_was_reconciled_of_a_release_is_refused_beside_it_and_for_ranks_and_where_damaged(
    answers, lasting, then, tmp_path
):
    reconcile(then, tmp_path / "reconciled")
    with pytest.raises(InputError, match=r"reconciled: is of the run of another folder\n +name one folder of each run"):
        answers(("difference", "2", "1", *lasting, "2"), releases=(then, tmp_path / "reconciled"))
    with pytest.raises(InputError, match="is named twice"):
        sum_of_release((then, then), plus="RELEASE = '1'")
    with pytest.raises(InputError, match="reconciled counts have no margins for --adjust and for ranks"):
        answers(("rank", "", "", *lasting), releases=(tmp_path / "reconciled",))
    table = tmp_path / "reconciled" / "t1" / "t1.parquet"
    pq.write_table(pq.read_table(table)[:1], table)
    with pytest.raises(InputError, match=r"t1\.parquet: has another SHA-256"):
        sum_of_release(tmp_path / "reconciled", plus="true")


def test_values_are_found_in_the_table_of_each_side_or_the_tables_are_named(told, then, now):
    cut, uncut = told["tables"]
    ages = [
        sum(row["COUNT"] for row in cells_of_groups(folder)[group(cut)] if 18 <= int(row["AGESTART"]) < 65)
        for folder in (then, now)
    ]
    assert cut["ESTIMATE"] == ages[1] - ages[0]
    assert uncut["LOW"] is None
    assert uncut["NOTE"].endswith("the tables are age4 and age9: ask for what both divide")


def test_a_suppressed_side_bounds_the_change_and_has_no_estimate(told, now):
    change, growth, alone = told["small"]
    count = totals(now)[group(change)]["COUNT"]
    assert change["ESTIMATE"] is None
    assert change["LOW"] < count - alone["HIGH"] < change["HIGH"]
    assert growth["HIGH"] is None
    assert change["NOTE"].startswith("a group without a row is too small to be published")


def test_the_bound_of_a_suppressed_count_is_that_of_the_release(told, then):
    found, unnamed = told["absent"]
    stated = {(row["REGION_TYPE"], row["ITERATION_CODE"]): row["HIGH95"] for row in rows(then, "suppressed")}
    assert (found["LOW"], found["HIGH"]) == (0, stated[found["REGION_TYPE"], found["ITERATION_CODE"]])
    assert (unnamed["LOW"], unnamed["NOTE"][:11]) == (None, "no such row")


def test_the_command_takes_several_folders_and_adjusts(then, now, lasting, tmp_path):
    wanted = asked(tmp_path / "wanted.csv", ("growth", "Now", "Then", *lasting), head=HEAD)
    done = call("statistics", then, now, "--wanted", wanted, "--out", tmp_path / "out.csv", "--adjust", "holm")
    assert (done.code, done.stdout) == (0, f"{tmp_path / 'out.csv'}: 1 statistic, 1 with an interval\n")
    assert "P_ADJUSTED" in (tmp_path / "out.csv").read_text()
    summed = call("moe", then, now, "--sum", f"TABLE = 'T1' and REGION_ID = '1' and ITERATION_CODE = '{lasting[2]}'")
    assert (summed.code, "adds up rows of releases 1 and 2" in " ".join(summed.stdout.split())) == (0, True)


# --- pairs and sets of releases as chance makes them ---

LEVEL = Fraction(95, 100)
DEFINITIONS = ("zcdp", "puredp")


@dataclass(frozen=True, slots=True)
class Count:
    """A count of one release. cells: of a table, that it adds up; 0: it is a total alone, which may be suppressed."""

    definition: str
    true: int
    cells: int

    @property
    def law(self) -> Law:
        return county_law(self.definition, 0).stage_2

    @property
    def above(self) -> int | None:
        return None if self.cells else quantile(self.law, Fraction(9999, 10000))

    @property
    def margin(self) -> int:
        """What an analyst takes for its margin who forgets the choice."""
        return sum_margin_of_error(self.law, self.cells) if self.cells else margin_of_error(self.law)

    def noisy(self, size: int, random: np.random.Generator) -> np.ndarray:
        values, odds = law_table(self.law)
        drawn = np.searchsorted(np.cumsum(odds), random.random((size, max(1, self.cells))))
        return self.true + values[drawn].sum(axis=1)


@lru_cache(maxsize=8)
def law_table(law: Law) -> tuple[np.ndarray, np.ndarray]:
    first, odds = chances(law)
    return first + np.arange(odds.size), odds / odds.sum()


@dataclass(frozen=True, slots=True)
class Found:
    """What is stated of pairs. is_published: bool[n, 2], whether each count has a row. noisy: int64[n, 2]."""

    intervals: Intervals
    is_published: np.ndarray
    noisy: np.ndarray

    def held(self, truth: float) -> np.ndarray:
        ends = self.intervals
        return (np.nan_to_num(ends.lows, nan=-np.inf) <= truth + 1e-12) & (
            truth - 1e-12 <= np.nan_to_num(ends.highs, nan=np.inf)
        )


def found_of(
    kind: str, one: Count, other: Count, size: int, random: np.random.Generator, level: Fraction = LEVEL
) -> Found:
    counts = [one, other]
    noisy = np.stack([count.noisy(size, random) for count in counts], axis=1)
    is_published = noisy > [-np.inf if count.above is None else count.above for count in counts]
    none = np.zeros(0, dtype=np.int64)
    asked = Asked([kind] * size, [None] * size, none, none)
    known = _known(counts, noisy, is_published)
    return Found(evaluated(asked, known, {}, np.ones(size, dtype=np.bool_), level), is_published, noisy)


def _known(counts: list[Count], noisy: np.ndarray, is_published: np.ndarray) -> Known:
    laws, aboves = [count.law for count in counts], [count.above for count in counts]
    forms: dict[tuple[bool, ...], Form] = {}
    for own in product((True, False), repeat=2):
        terms = [
            Term(laws[side], int(side == 0), int(side == 1), max(1, count.cells), aboves[side])
            for side, count in enumerate(counts)
            if own[side]
        ]
        bounds = zip(laws, aboves, own, strict=True)
        one, other = (Side(None, () if is_so or above is None else ((law, above),)) for law, above, is_so in bounds)
        forms[own] = Form(Shape(tuple(terms)) if terms else None, one, other)
    listed = [tuple(map(bool, own)) for own in is_published.tolist()]
    chosen = [
        [count for side, count in enumerate(row) if own[side] and aboves[side] is not None]
        for row, own in zip(noisy.tolist(), listed, strict=True)
    ]
    one, other = np.where(is_published, noisy, 0).T
    return Known([forms[own] for own in listed], one, other, chosen)


def ranks_of(counts: list[Count], sets: int, random: np.random.Generator) -> tuple[Intervals, np.ndarray]:
    """The ranks of so many sets of the counts, one behind the other; and whether each count has a row."""
    size = len(counts)
    noisy = np.stack([count.noisy(sets, random) for count in counts], axis=1).ravel()
    limits = np.array([-(2**40) if count.above is None else count.above for count in counts] * sets)
    is_published = noisy > limits
    shapes = [Shape((Term(count.law, 1, 0, max(1, count.cells), count.above),)) for count in counts]
    by_shape = {shape: Form(shape) for shape in shapes}
    published = [by_shape[shape] for shape in shapes]
    bounds = zip(counts, limits[:size].tolist(), strict=True)
    absent = [Form(None, Side(None, ((count.law, limit),))) for count, limit in bounds]
    forms = [(published if is_so else absent)[place % size] for place, is_so in enumerate(is_published.tolist())]
    chosen = [
        [count] if counts[place % size].above is not None and is_published[place] else []
        for place, count in enumerate(noisy.tolist())
    ]
    known = Known(forms, np.where(is_published, noisy, 0), np.zeros(noisy.size, dtype=np.int64), chosen)
    none = np.zeros(0, dtype=np.int64)
    ranked = tuple(np.arange(size) + size * number for number in range(sets))
    asked = Asked(["rank"] * noisy.size, [None] * noisy.size, none, none, ranked)
    found = evaluated(asked, known, {}, np.ones(noisy.size, dtype=np.bool_), LEVEL)
    return found, is_published


def jointly_held(found: Intervals, counts: list[Count]) -> np.ndarray:
    true, size = np.array([count.true for count in counts]), len(counts)
    ranks = 1 + (true[None, :] > true[:, None]).sum(axis=1)  # 1 and the number of counts that are larger
    held = (found.lows.reshape(-1, size) <= ranks) & (ranks <= found.highs.reshape(-1, size))
    return held.all(axis=1)


NEAR = {"zcdp": 27, "puredp": 40}  # as large as the largest total that stays unpublished, about
CASES = [
    ("difference", ("zcdp", 0, 0), ("zcdp", 5, 0)),
    pytest.param("difference", ("puredp", 0, 0), ("puredp", 0, 2), marks=pytest.mark.slow),
    pytest.param("growth", ("zcdp", 0, 0), ("puredp", 9, 0), marks=pytest.mark.slow),
    *(("difference", ("zcdp", 1000, 4), ("puredp", 1000, 18)), ("growth", ("puredp", 1000, 4), ("puredp", 1000, 9))),
]


@pytest.mark.parametrize(("kind", "first", "second"), CASES)
def test_intervals_of_change_hold_the_truth(kind, first, second):
    """4,000 pairs: right intervals fail with a chance of 1e-6 at most; a coverage of 92.9 % fails half the time."""
    one, other = (Count(definition, NEAR[definition] + more, cells) for definition, more, cells in (first, second))
    found = found_of(kind, one, other, 4_000, np.random.default_rng(11))
    held = found.held(one.true - other.true if kind == "difference" else one.true / other.true - 1)
    is_whole = found.is_published.all(axis=1)
    for missed in (int((~held & is_whole).sum()), int((~held).sum())):
        pairs = int(is_whole.sum()) if missed == int((~held & is_whole).sum()) else held.size
        assert missed <= stats.binom.isf(FALSE_ALARM / 2, pairs, 0.05)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_p_values_are_uniform_where_nothing_changed(definition):
    """20,000 pairs, two-sided, at 1, 5 and 50 %: false alarm 1e-6, and 1 % of chance for noise on whole numbers."""
    found = found_of("growth", Count(definition, 500, 4), Count(definition, 500, 9), 20_000, np.random.default_rng(13))
    for level in (0.01, 0.05, 0.5):
        hits = int((found.intervals.p_values <= level).sum())
        assert hits <= stats.binom.isf(FALSE_ALARM / 6, 20_000, level)
        assert hits >= stats.binom.ppf(FALSE_ALARM / 6, 20_000, level - min(0.01, level / 5))


def test_the_bound_of_a_suppressed_group_misses_as_often_as_it_may():
    """Of all pairs, those whose second count stays unpublished and is larger than its bound."""
    count = Count("zcdp", 0, 0)
    bound = largest_suppressed(count.law, count.above or 0)
    over = Count("zcdp", bound + 1, 0)
    found = found_of("difference", Count("zcdp", 1000, 4), over, 20_000, np.random.default_rng(14))
    missed = int((~found.held(1000 - over.true) & ~found.is_published[:, 1]).sum())
    assert missed <= stats.binom.isf(FALSE_ALARM, 20_000, 0.05)


def test_adjusted_p_values_are_those_of_scipy_and_a_comparison_without_one_counts():
    found = adjusted_p_values(np.array([0.01, 0.04, 0.03, 0.005, np.nan]), "holm")
    assert found[:4] == pytest.approx([0.04, 0.09, 0.09, 0.025])
    assert np.isnan(found[4])
    p_values = np.random.default_rng(3).random(50) ** 2
    assert adjusted_p_values(p_values, "bh") == pytest.approx(stats.false_discovery_control(p_values))
    # Else noise, which decides what is suppressed, would decide how many there are.
    known, unknown = (adjusted_p_values(np.array([0.01, other]), "holm")[0] for other in (0.9, np.nan))
    assert known == unknown == 0.02


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_true_comparison_is_rejected_and_all_intervals_hold_at_once(definition):
    """2,000 families of ten pairs without a change: false alarm 1e-6, twice."""
    families, two = 2_000, (Count(definition, 90, 4), Count(definition, 90, 9))
    found = found_of("difference", *two, 10 * families, np.random.default_rng(5))
    p_values = found.intervals.p_values.reshape(families, 10)
    rejected = sum((adjusted_p_values(row, "holm") <= 0.05).any() for row in p_values)
    assert rejected <= stats.binom.isf(FALSE_ALARM, families, 0.05)
    assert (p_values <= 0.05).any(axis=1).sum() > stats.binom.isf(FALSE_ALARM, families, 0.05)  # unadjusted
    level = adjusted_level(p_values[0], "holm", LEVEL)
    wide = found_of("difference", *two, 10 * families, np.random.default_rng(5), level)
    missed = (~wide.held(0).reshape(families, 10).all(axis=1)).sum()
    assert missed <= stats.binom.isf(FALSE_ALARM, families, 0.05)


def test_the_intervals_of_bh_are_for_comparisons_that_are_found():
    adjusted = np.array([0.01, 0.02, 0.3, np.nan])
    assert adjusted_level(adjusted, "bh", LEVEL) == 1 - (1 - LEVEL) * 2 / 4
    assert adjusted_level(adjusted, "holm", LEVEL) == 1 - (1 - LEVEL) / 4


@pytest.mark.parametrize("adjust", ["holm", pytest.param("bh", marks=pytest.mark.slow)])
def test_answers_have_adjusted_p_values_and_intervals(then, now, tmp_path, adjust):
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "STATE")
    lines = [("growth", "2", "1", *name) for name in names[:5]]
    wanted = asked(tmp_path / "wanted.csv", *lines, ("count", "1", "", "USA", "1", "1"), head=HEAD)
    made = statistics((then, now), wanted, tmp_path / "out.parquet", adjust=adjust)
    *found, count = made.to_pylist()
    assert (count["P_ADJUSTED"], count["LOW_ADJUSTED"]) == (None, None)
    p_values = np.array([np.nan if row["P_VALUE"] is None else row["P_VALUE"] for row in found])
    assert [row["P_ADJUSTED"] for row in found if row["P_VALUE"] is not None] == pytest.approx(
        [each for each in adjusted_p_values(p_values, adjust) if not np.isnan(each)]
    )
    stated = [row for row in found if row["LOW_ADJUSTED"] is not None]
    assert len(stated) == (5 if adjust == "holm" else sum((row["P_ADJUSTED"] or 1) <= 0.05 for row in found))
    assert all(row["LOW_ADJUSTED"] <= row["LOW"] < row["HIGH"] <= row["HIGH_ADJUSTED"] for row in stated)


def near(definition: str) -> list[Count]:
    """Totals alone around the limit, tables, two alike, and one far above."""
    trues = ((20, 0), (27, 0), (34, 0), (60, 0), (60, 4), (90, 4), (120, 9), (400, 9))
    return [Count(definition, true, cells) for true, cells in trues]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.each_time("zcdp")
def test_all_ranks_hold_at_once(definition):
    """400 sets of eight counts: false alarm 1e-6."""
    counts = near(definition)
    found, _ = ranks_of(counts, 400, np.random.default_rng(21))
    assert (~jointly_held(found, counts)).sum() <= stats.binom.isf(FALSE_ALARM, 400, 0.05)
    last = found.highs.reshape(-1, len(counts))[:, -1]
    assert (last == 1).all()  # the largest is known to be the largest


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_ranks_by_noisy_counts_alone_are_noticed(definition):
    counts = [Count(definition, 1_000 + 2 * place, 4) for place in range(8)]
    found, _ = ranks_of(counts, 200, np.random.default_rng(22))
    noisy = found.estimates.reshape(-1, 8)
    assert (noisy == np.arange(8, 0, -1)).all(axis=1).mean() < 0.5
    assert jointly_held(found, counts).all()
    form, two = Form(Shape((Term(county_law("zcdp", 0).stage_2, 1, 0, 1, 21),))), np.arange(2)
    known = Known([form] * 2, np.array([30, 55]), 0 * two, [[30], [55]])  # at most 43 and at least 42, with 97.5 %
    asked = Asked(["rank"] * 2, [None] * 2, two[:0], two[:0], (two,))
    assert evaluated(asked, known, {}, two >= 0, LEVEL).lows.tolist() == [1, 1]


def test_states_are_ranked_among_one_another(then, tmp_path):
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "STATE")
    code = next(name[2] for name in names if sum(each[2] == name[2] for each in names) > 1)
    own = [name for name in names if name[2] == code]
    counts = {group(row): row["COUNT"] for row in rows(then, "t1")}
    wanted = asked(tmp_path / "wanted.csv", *(("rank", *name) for name in own), head=("KIND", *GROUP))
    made = statistics(then, wanted, tmp_path / "out.parquet").to_pylist()
    order = sorted(own, key=lambda name: -counts[name])
    assert [row["ESTIMATE"] for row in made] == [
        1 + sum(counts[other] > counts[name] for other in order) for name in own
    ]
    assert all(1 <= row["LOW"] <= row["ESTIMATE"] <= row["HIGH"] <= len(own) for row in made)


def test_sets_are_ranked_by_themselves_and_a_region_without_a_row_may_have_any_rank(then, tmp_path):
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "USA")[:3]
    lines = [("rank", *name, among) for name, among in zip(names, ("a", "b", "b"), strict=True)]
    unknown = ("rank", "STATE", "99", names[0][2], "b")
    wanted = asked(tmp_path / "wanted.csv", *lines, unknown, head=("KIND", *GROUP, "AMONG"))
    alone, *both, none = statistics(then, wanted, tmp_path / "out.parquet").to_pylist()
    assert (alone["LOW"], alone["HIGH"]) == (1, 1)
    assert max(row["HIGH"] for row in both) == 3
    assert (none["LOW"], none["NOTE"][:11]) == (None, "no such row")


def test_more_counts_than_laws_are_exact_for_are_not_ranked(then, tmp_path):
    wanted = asked(tmp_path / "wanted.csv", *[("rank", "USA", "1", "1")] * 3_200, head=("KIND", *GROUP))
    with pytest.raises(InputError, match="3,200 counts are ranked together, in 5,118,400 pairs; at most 5,000,000"):
        statistics(then, wanted, tmp_path / "out.csv")
