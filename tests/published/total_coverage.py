"""Coverage of estimates from both stages, summed over all noise that there is; and statistics of two counts."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np

from safetab_sql.laws.noise import Law, noise_law, pmf_words, quantile
from safetab_sql.published.measurements import TotalLaw, combined_totals
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.statistics.intervals import Intervals, differences, ratios, sums
from safetab_sql.statistics.ratios import Counted, Shape, Term

COUNTY_2 = {"zcdp": Fraction("0.159"), "puredp": Fraction("2.49")}  # 2020, and the paper's Table 1
THRESHOLDS = (971, 4971, 19971)
CELLS = (1, 8, 18, 46)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of a true total: chance that the interval holds it, and its mean length.

    plain: the chance that the weighted mean of both stages plus and minus its margin would hold it. bias: of the
    estimate. error, error_of_count: root mean squares of the errors of the estimate and of the published total.
    Lengths, bias and errors are persons.
    """

    covered: float
    length: float
    plain: float
    bias: float
    error: float
    error_of_count: float


@cache
def county_law(definition: PrivacyDefinition, stat_level: int, *, is_suppressed: bool = True) -> TotalLaw:
    """The law of COUNTY-2: s = 9, gamma = 0.1, and empty totals suppressed with a chance of 0.9999."""
    group = COUNTY_2[definition] / 9
    first, second = noise_law(definition, group / 10), noise_law(definition, group * 9 / 10)
    limits = [None, *THRESHOLDS, None]
    above = quantile(second, Fraction(9999, 10000)) if stat_level == 0 and is_suppressed else None
    return TotalLaw(first, second, CELLS[stat_level], limits[stat_level], limits[stat_level + 1], above)


def chances(law: Law, draws: int = 1) -> tuple[int, np.ndarray]:
    """First value and chances of the sum of so many draws."""
    first, words = pmf_words(law)
    one = np.array(words, dtype=np.float64) / 2.0**64
    return (first, one) if draws == 1 else _summed(first, one.tobytes(), draws)


@lru_cache(maxsize=16)
def _summed(first: int, one: bytes, draws: int) -> tuple[int, np.ndarray]:
    summed = np.ones(1)
    for _ in range(draws):
        summed = np.convolve(summed, np.frombuffer(one))
    kept = np.flatnonzero(summed > 1e-13)
    return draws * first + int(kept[0]), summed[kept[0] : kept[-1] + 1]


def coverage(law: TotalLaw, true_count: int) -> Coverage:
    """What happens to a group of so many people, given that it was published at this stat level."""
    (x_first, x_chances), (s_first, s_chances) = chances(law.stage_1), chances(law.stage_2, law.counts)
    stage_1, summed = (
        true_count + first + np.arange(each.size) for first, each in ((x_first, x_chances), (s_first, s_chances))
    )
    chosen = (stage_1 >= (law.first or -(2**60))) & (stage_1 < (law.end or 2**60)) & (x_chances > 0)
    shown = (summed > (-(2**60) if law.above is None else law.above)) & (s_chances > 0)
    chosen &= x_chances > 1e-12 * x_chances[chosen].max()
    odds = np.outer(x_chances[chosen], s_chances[shown]).ravel()
    likely = odds > 1e-14 * odds.max()
    odds = odds[likely] / odds.sum()
    x, s = (each.ravel()[likely] for each in np.meshgrid(stage_1[chosen], summed[shown], indexing="ij"))
    made = combined_totals(law, x, s)
    free = combined_totals(replace(law, first=None, end=None, above=None), x, s)
    covered, plain = ((each.lows <= true_count) & (true_count <= each.highs) for each in (made, free))

    def squared(errors: np.ndarray) -> float:
        return float((odds @ (errors - true_count) ** 2) ** 0.5)

    length, bias = float(odds @ (made.highs - made.lows)), float(odds @ (made.estimates - true_count))
    errors = squared(made.estimates), squared(s)
    return Coverage(float(odds[covered].sum()), length, float(odds[plain].sum()), bias, *errors)


# --- statistics of two counts of one law, as the evaluator takes them, and differences that two languages compute ---


def pair(law: Law, one: int, other: int, shared: int = 0, above: tuple[int | None, int | None] = (None, None)) -> Shape:
    """So many independent counts in either, and in both. above: limits of totals that were published for their size."""
    terms = (
        Term(law, 0, 1, other - shared, above[1]),
        Term(law, 1, 0, one - shared, above[0]),
        Term(law, 1, 1, shared),
    )
    return Shape(tuple(term for term in terms if term.draws))


def counted(shape: Shape, one: np.ndarray, other: np.ndarray) -> Counted:
    chosen = [one if term.one else other for term in shape.terms if term.above is not None]
    return Counted(shape, one, other, np.stack(chosen, axis=1) if chosen else np.zeros((one.size, 0), dtype=np.int64))


def count(law: Law, noisy: np.ndarray, level: Fraction, above: int | None = None) -> Intervals:
    """Counts, each by itself."""
    return sums(counted(Shape((Term(law, 1, 0, 1, above),)), noisy, 0 * noisy), level)


def ratio(shape: Shape, one: np.ndarray, other: np.ndarray, level: Fraction) -> Intervals:
    return ratios(counted(shape, one, other), level)


def difference(shape: Shape, one: np.ndarray, other: np.ndarray, level: Fraction) -> Intervals:
    return differences(counted(shape, one, other), level)


# Differences of two numbers with independent noise: of each, itself, the ends of its interval before they were cut, or
# none, and the greatest that it can be; and the ends of the difference, rounded outward, or none.
Side = tuple[float, float, float, float]
APART: dict[str, tuple[Side, Side, tuple[int, int] | None]] = {
    "two shares": ((500, 450, 560, 1000), (200, 170, 240, 1000), (235, 368)),
    "a share less one of 0": ((500, 480, 520, 1000), (-5, -60, 50, 1000), (446, 564)),
    "a share of 1 less one of 0": ((1010, 940, 1080, 1000), (0, -50, 50, 1000), (923, 1000)),
    "a share of 0 less one of 1": ((0, -300, 300, 1000), (990, 900, 1080, 1000), (-1000, -676)),
    "a count near 0 less a larger one": ((-4, -23, 15, np.inf), (500, 494, 506, np.inf), (-524, -484)),
    "a share of which nothing is known": ((300, np.nan, np.nan, 1000), (200, 170, 240, 1000), None),
}
