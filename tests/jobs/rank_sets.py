"""Sets of counts as chance makes them, and the ranks that are stated of them."""

from fractions import Fraction

import numpy as np

from safetab_sql.statistics.evaluator import Asked, Form, Known, Side, evaluated
from safetab_sql.statistics.intervals import Intervals
from safetab_sql.statistics.ratios import Shape, Term
from tests.jobs.change_pairs import Count

LEVEL = Fraction(95, 100)


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


def true_ranks(counts: list[Count]) -> np.ndarray:
    """1 and the number of counts that are larger."""
    true = np.array([count.true for count in counts])
    return 1 + (true[None, :] > true[:, None]).sum(axis=1)


def jointly_held(found: Intervals, counts: list[Count]) -> np.ndarray:
    ranks, size = true_ranks(counts), len(counts)
    held = (found.lows.reshape(-1, size) <= ranks) & (ranks <= found.highs.reshape(-1, size))
    return held.all(axis=1)
