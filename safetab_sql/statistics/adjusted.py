"""Many comparisons at once: p-values and intervals that allow for how many there are.

Source: Holm (1979); Benjamini and Hochberg (1995); Benjamini and Yekutieli (2005); change.md section 3.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s

Adjust = Literal["holm", "bh"]
COMPARISONS = ("difference", "growth", "ratio_difference")  # the kinds that are compared with no change
RAREST = Fraction(1, 10**8)  # chance to miss below which no law is convolved exactly enough


def comparisons(kinds: Sequence[str | None]) -> Int64s:
    """The rows that are adjusted for one another: all that ask for a comparison, whatever the answer is."""
    return np.flatnonzero(np.isin(np.array(kinds, dtype=object), COMPARISONS))


def adjusted_p_values(p_values: Floats, method: Adjust) -> Floats:
    """P-values of a family, float64[n]; NaN where there is none, which counts as one of 1.

    holm: the chance is at most x that any comparison without a change gets x or less. bh: of those that get x or less,
    at most a part of x has no change, on average, where p-values are independent or go together.
    """
    known = np.where(np.isnan(p_values), 1.0, p_values)
    order, size = np.argsort(known, kind="stable"), known.size
    found = np.empty(size)
    if method == "holm":
        found[order] = np.maximum.accumulate(known[order] * np.arange(size, 0, -1))
    else:
        found[order[::-1]] = np.minimum.accumulate((known[order] * size / np.arange(1, size + 1))[::-1])
    return np.asarray(np.where(np.isnan(p_values), np.nan, np.minimum(found, 1)), dtype=np.float64)


def adjusted_level(adjusted: Floats, method: Adjust, level: Fraction) -> Fraction:
    """The level of each interval of a family. adjusted: its p-values.

    holm: all intervals hold with a chance of at least `level` (Bonferroni). bh: of the intervals of comparisons whose
    p-value is at most 1 less the level, at most that part misses, on average.
    """
    chosen = int(np.count_nonzero(adjusted <= float(1 - level))) if method == "bh" else 1
    return 1 - (1 - level) * max(1, chosen) / max(1, adjusted.size)
