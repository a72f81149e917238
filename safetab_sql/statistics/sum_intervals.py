"""Intervals of sums of published counts, and of ratios of such sums, given that the counts were published.

Source: accuracy.md section 5.1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.statistics.intervals import NOTHING, OF_BOUNDS, CountLaw, count_ends, known_noise, quotients
from safetab_sql.statistics.sum_errors import ErrorTerm, largest_error


@dataclass(frozen=True, slots=True)
class SummedCounts:
    """Published counts of one law, each `coefficient` times in a sum: subtracted where it is below 0.

    count: the law of one of them, a single draw. noisy: int64[n], persons.
    """

    count: CountLaw
    coefficient: int
    noisy: Int64s


def sum_ends(parts: Sequence[SummedCounts], level: Fraction, *, is_clipped: bool) -> tuple[int, int]:
    """The ends of the interval of a sum of published counts, some of which may have been published for their size.

    is_clipped: whether counts below 0 were published as 0. One count has its own interval.
    Source: accuracy.md section 5.1.
    """
    estimate = sum(part.coefficient * int(part.noisy.sum()) for part in parts)
    if len(parts) == 1 and parts[0].noisy.size == 1:
        times, ends = parts[0].coefficient, count_ends(parts[0].count, parts[0].noisy, level)
        low, high = sorted(times * int(end[0]) for end in ends)
    else:
        low, high = (estimate - sign * _largest_error(parts, sign, level, is_clipped=is_clipped) for sign in (1, -1))
    is_added = all(part.coefficient > 0 for part in parts)
    has_least = is_added and (is_clipped or any(part.count.above is not None for part in parts))
    return (max(low, 0), max(high, 0)) if has_least else (low, high)


def sum_ratio_ends(
    one: Sequence[SummedCounts], other: Sequence[SummedCounts], level: Fraction, *, is_clipped: bool, is_part: bool
) -> tuple[float, float]:
    """The ends of the interval of a ratio of two sums of added counts, such as `sum_ends` takes, with none in common.

    is_part: the ratio is that of the one sum to both, r / (1 + r), where r is that of the one to the other. The
    interval is that of all ratios of what two intervals allow, each with half the chance to miss.
    """
    first, second = (
        [np.array([end]) for end in sum_ends(parts, (1 + level) / 2, is_clipped=is_clipped)] for parts in (one, other)
    )
    lows, highs = quotients((first[0], first[1]), (second[0], second[1]))
    low, high = float(lows[0]), float(highs[0])
    if not is_part:
        return low, high
    return low / (1 + low), 1.0 if high == np.inf else high / (1 + high)


def _largest_error(parts: Sequence[SummedCounts], sign: int, level: Fraction, *, is_clipped: bool) -> int:
    """How far sign * the noisy sum may exceed sign * the true one, persons: missed with a chance of (1 - level) / 2."""
    miss = (1 - level) / 2
    chosen = [part for part in parts if part.count.above is not None and sign * part.coefficient > 0]
    number = sum(part.noisy.size for part in chosen)
    draws: Counter[tuple[Law, int, int | None, bool]] = Counter()
    for part in parts:
        law, times, is_raised = part.count.law, abs(part.coefficient), sign * part.coefficient > 0
        if is_raised and part.count.above is not None:
            known = known_noise(part.count, part.noisy, OF_BOUNDS * miss / number)
            values, numbers = np.unique(known, return_counts=True)
            for value, many in zip(values.tolist(), numbers.tolist(), strict=True):
                draws[law, times, None if value == NOTHING else value, is_clipped] += many
        else:
            draws[law, times, None, is_clipped and is_raised] += part.noisy.size
    terms = [ErrorTerm(law, times, many, known, is_cut) for (law, times, known, is_cut), many in draws.items()]
    left = miss * (1 - OF_BOUNDS) if chosen else miss
    return largest_error(tuple(sorted(terms, key=str)), left)
