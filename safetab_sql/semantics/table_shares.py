"""How stage 2 divides its loss over a table and the coarser tables measured with it, for stated sums of cells.

With shares w the precision of the cells is M = sum of w_t^p A_t^T A_t, where A_t adds up the cells of table t, and p is
1 under zCDP, 2 under pure DP. The weighted sum of variances is tr(C M^-1). Under zCDP that is convex in w, the least is
where g_t = tr(C M^-1 A_t^T A_t M^-1) is the same for all tables with a share, and multiplying each share by the square
root of its g_t leads there, with less error each time (Yu 2010, Annals of Statistics 38(3)). Under pure DP the same
steps, with w_t g_t, end in a local optimum; they are taken from each choice of up to three coarser tables.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats

_ROUNDS, _ENOUGH = 500, 1e-9


def table_shares(tables: Sequence[Floats], wanted: Sequence[tuple[Floats, float]], power: int) -> Floats:
    """The shares of the tables: float64[tables], their sum 1.

    tables: float64[rows, cells], each, the cells themselves last. wanted: float64[counts, cells] and the weight of the
    mean of their variances. power: 1 under zCDP, 2 under pure DP.
    """
    asked = sum((weight / len(queries) * queries.T @ queries for queries, weight in wanted), np.zeros(1))
    if not asked.any():
        return np.array([0.0] * (len(tables) - 1) + [1.0])
    products = [table.T @ table for table in tables]
    places = range(len(tables) - 1)
    several = [tuple(places)] if power == 1 else [each for n in range(4) for each in combinations(places, n)]
    starts = [np.isin(range(len(tables)), [*each, len(tables) - 1]) for each in several]
    return min((_from_start(products, asked, power, start) for start in starts), key=lambda found: found[0])[1]


def _from_start(
    products: Sequence[Floats], asked: Floats, power: int, is_measured: npt.NDArray[np.bool_]
) -> tuple[float, Floats]:
    """The error and the shares that the steps lead to, from equal shares of some tables."""
    shares, last = is_measured / is_measured.sum(), np.inf
    for _ in range(_ROUNDS):
        inverse = np.linalg.inv(sum(share**power * each for share, each in zip(shares, products, strict=True)))
        moved = inverse @ asked @ inverse
        gains = np.array([float((each * moved).sum()) for each in products]) * shares ** (power - 1)
        error = float((asked * inverse).sum())
        if error > last * (1 - _ENOUGH):
            break
        last, shares = error, shares * np.sqrt(gains)
        shares = shares / shares.sum()
        shares[-1] = max(shares[-1], 1e-6)
    return last, np.asarray(shares / shares.sum())
