"""Pairs and sets of releases as chance makes them: counts with their noise, and what is stated of changes and ranks."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from safetab_sql.laws.noise import Law, margin_of_error, quantile
from safetab_sql.published.intervals import sum_margin_of_error
from safetab_sql.statistics.evaluator import Asked, Form, Known, Side, evaluated
from safetab_sql.statistics.intervals import Intervals
from safetab_sql.statistics.ratios import Shape, Term
from tests.published.total_coverage import chances, county_law

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
    is_published = np.stack([_is_published(count, noisy[:, side]) for side, count in enumerate(counts)], axis=1)
    none = np.zeros(0, dtype=np.int64)
    asked = Asked([kind] * size, [None] * size, none, none)
    known = _known(counts, noisy, is_published)
    return Found(evaluated(asked, known, {}, np.ones(size, dtype=np.bool_), level), is_published, noisy)


def _is_published(count: Count, noisy: np.ndarray) -> np.ndarray:
    return np.ones(noisy.size, dtype=bool) if count.above is None else noisy > count.above


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
