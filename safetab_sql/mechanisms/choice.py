"""An exact private choice: the exponential mechanism on whole scores, by inversion with lazily drawn bits.

Like draw.py it draws a uniform real number u and finds where u falls among the cumulative chances; here the chances are
known between whole bounds, and more bits of u and narrower bounds are taken until they decide.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.exponential import exp_minus
from safetab_sql.mechanisms.bits import BitSource, random_bytes

_BITS = 64  # of u that are drawn at a time


def exponential_choice(scores: Int64s, epsilon: Fraction, bits: BitSource) -> int:
    """A place in `scores`; P(place) is proportional to exp(epsilon * scores[place] / 2). scores: int64[n], n >= 1.

    If one record changes every score by at most 1, the choice has epsilon pure DP, and epsilon^2 / 8 zCDP.
    Source: mechanisms.md section 8; McSherry and Talwar 2007; for zCDP, Durfee and Rogers 2019 (the range of its loss
    is epsilon wide) with Cesar and Rogers 2021 (what has such a range is epsilon^2 / 8 zCDP).
    """
    gaps = [int(gap) for gap in scores.max() - scores]
    precision, word = 0, 0
    while True:
        precision += _BITS
        word = word << _BITS | int.from_bytes(random_bytes(bits, _BITS // 8), "little")
        place = _decided(chance_bounds(gaps, epsilon, precision), word, precision)
        if place is not None:
            return place


def chance_bounds(gaps: Sequence[int], epsilon: Fraction, precision: int) -> tuple[list[int], list[int]]:
    """Bounds of exp(-epsilon * gap / 2) * 2^precision for each gap: how far a score is below the highest one."""
    lower, upper = {0: 1 << precision}, {0: 1 << precision}
    for gap in set(gaps) - {0}:
        exponent = epsilon * gap / 2
        # e^-x 2^p < 1 where x >= 7/10 p > p ln 2: no need to compute it.
        is_tiny = exponent * 10 >= 7 * precision
        lower[gap], upper[gap] = (0, 1) if is_tiny else exp_minus(exponent, precision)
    return [lower[gap] for gap in gaps], [upper[gap] for gap in gaps]


def _decided(bounds: tuple[list[int], list[int]], word: int, precision: int) -> int | None:
    """The place in which every u in [word, word + 1) / 2^precision falls; None if the bounds do not decide it.

    The chance of the first i places together is A / (A + B), where A sums their weights, B the other weights.
    It is at least lower(A) / (lower(A) + upper(B)), and at most upper(A) / (upper(A) + lower(B)).
    """
    lower, upper = ([0, *accumulate(one)] for one in bounds)
    least = [(low << precision) // (low + upper[-1] - high) for low, high in zip(lower, upper, strict=True)]
    place = bisect_right(least, word) - 1
    most = -(-(upper[place] << precision) // (upper[place] + lower[-1] - lower[place]))
    return place if word >= most and word + 1 <= least[place + 1] else None
