"""How likely noise is to exceed a bound, in double precision: for margins and coverages, never for drawing."""

from functools import lru_cache
from math import erfc, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, is_tabulable, pmf_words
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric


def tails(law: Law, bounds: Int64s) -> Floats:
    """P(noise > bound) for bounds >= 0: int64[n] -> float64[n], to about 12 digits of 1."""
    if isinstance(law, TwoSidedGeometric):
        epsilon = float(law.epsilon)
        return np.asarray(np.exp(-epsilon * (bounds + 1.0)) / (1 + np.exp(-epsilon)), dtype=np.float64)
    if is_tabulable(law):
        found = _gaussian_tails(law)
        return np.asarray(found[np.minimum(bounds, found.size - 1)], dtype=np.float64)
    sigma = 1 / sqrt(2 * law.rho)  # above 55,000, so the sum equals the integral to all digits
    return np.array([erfc((bound + 0.5) / (sigma * sqrt(2))) / 2 for bound in bounds.tolist()])


@lru_cache(maxsize=64)
def _gaussian_tails(law: Law) -> Floats:
    """P(noise > k) for k = 0, 1, ...; the last entry is 0."""
    first, words = pmf_words(law)
    beyond = np.array(words[1 - first :], dtype=np.float64) / 2.0**64  # k = 1, 2, ...
    return np.append(np.cumsum(beyond[::-1])[::-1], 0.0)
