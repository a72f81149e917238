"""Statistics of two counts of one law, as the evaluator takes them."""

from fractions import Fraction

import numpy as np

from safetab_sql.laws.cumulative import Law
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
