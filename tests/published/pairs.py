"""Statistics of two counts of one law, as the evaluator takes them, and differences that two languages compute."""

from fractions import Fraction

import numpy as np

from safetab_sql.laws.noise import Law
from safetab_sql.statistics.intervals import Intervals, differences, ratios, sums
from safetab_sql.statistics.ratios import Counted, Shape, Term


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
