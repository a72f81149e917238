"""A pair of laws that dominates two kinds of population group: every test has at least as much power on the pair.

A group takes one call, or two calls whose budgets add up to the same. The kind may differ from group to group, and
neither kind is the worse one at every level. The upper hull of both trade-off curves is the curve of a pair that
dominates both. Such pairs compose, even if the kind of each group is chosen in view of the other groups (Zhu, Dong,
Wang 2022, Proposition 9 and Theorem 10). In terms of (epsilon, delta), the hull is the larger of the two curves, which
accounting/loss_distribution.py computes.

The noise is symmetric and one person changes a count by 1, so every curve is its own mirror image. We compute the half
with losses above 0, beginning with the rarest outputs, and mirror it. Losses of wide noise are first split over a
lattice, which can only increase the power (composition.py, step 1).
"""

import numpy as np
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.plrv import LossPair, composed

_MOST_LOSSES = 1000  # of one call; the split adds 5e-5 of the variance of its loss, and a thousand squared is composed
_MOST_OF_TWO = 4000
_LARGEST_EXPONENT = 600.0  # nats; larger losses have next to no chance where 300 are hardly exceeded


def dominating_pair(one: LossPair, first: LossPair, second: LossPair) -> LossPair:
    """A pair that dominates a group with the call `one`, and a group with the calls `first` and `second`.

    All of symmetric noise on a count that one person changes by 1. Source: Zhu, Dong, Wang 2022, Proposition 9.
    """
    single = on_lattice(one, _MOST_LOSSES)
    double = on_lattice(composed(on_lattice(first, _MOST_LOSSES), on_lattice(second, _MOST_LOSSES)), _MOST_OF_TWO)
    powers = np.concatenate([np.zeros((1, 2)), _rare_outputs(single), _rare_outputs(double)])
    hull = _upper_hull(powers[np.lexsort((powers[:, 1], powers[:, 0]))])
    steep = hull[: int(np.argmax(hull[:, 1] - hull[:, 0])) + 1]
    seconds, firsts = np.diff(steep, axis=0).T
    losses = np.maximum(np.log(firsts) - np.log(seconds), 0.0)
    rest = np.array([max(0.0, 1 - float(steep[-1].sum()))])  # as likely under either input
    return LossPair(
        losses=np.concatenate([-losses, [0.0], losses[::-1]]),
        first=np.concatenate([seconds, rest, firsts[::-1]]),
        second=np.concatenate([firsts, rest, seconds[::-1]]),
        only_first=max(single.only_first, double.only_first),
        only_second=max(single.only_second, double.only_second),
    )


def on_lattice(pair: LossPair, most: int) -> LossPair:
    """A pair with at most `most` losses, evenly spaced, that dominates `pair`; `pair` itself if it has no more losses.

    Source: "connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022.
    """
    if pair.losses.size <= most:
        return pair
    step = float(pair.losses[-1] - pair.losses[0]) / (most - 2)
    start = int(np.floor(pair.losses[0] / step))
    below, rest, share = split_shares(pair.losses, step)
    places, left = below - start, pair.second * share * np.exp(rest)
    first, second = np.zeros(most + 1), np.zeros(most + 1)
    for chances, all_of_it, here in ((first, pair.first, pair.first * share), (second, pair.second, left)):
        np.add.at(chances, places, here)
        np.add.at(chances, places + 1, all_of_it - here)
    losses = np.arange(start, start + most + 1) * np.float64(step)
    held = first > 0
    return LossPair(losses[held], first[held], second[held], pair.only_first, pair.only_second)


def split_shares(losses: Floats, step: float) -> tuple[NDArray[np.int64], Floats, Floats]:
    """How each loss is split: the multiple of `step` below it, the distance to it, and the share of chance it gets.

    The next multiple gets the rest. With l = a + u between the grid points a and a + h, a gets the share
    (e^(h - u) - 1) / (e^h - 1): then the chances under the second input, e^-loss times as large, add up too.
    """
    below = np.floor(losses / step)
    rest = losses - below * step
    return below.astype(np.int64), rest, np.clip(np.expm1(step - rest) / np.expm1(step), 0.0, 1.0)


def _rare_outputs(pair: LossPair) -> Floats:
    """Levels and powers of the tests that reject at all losses above some loss above 0: float64[n, 2], increasing."""
    above = (pair.losses > 0) & (pair.losses < _LARGEST_EXPONENT) & (pair.first > 0)
    first, losses = pair.first[above][::-1], pair.losses[above][::-1]
    return np.stack([np.cumsum(first * np.exp(-losses)), np.cumsum(first)], axis=1)


def _upper_hull(points: Floats) -> Floats:
    """The corners of the least concave curve above `points`, float64[n, 2], sorted; slopes fall strictly."""
    hull: list[tuple[float, float]] = []
    for x, y in points.tolist():
        while hull and (
            x <= hull[-1][0]
            or (
                len(hull) > 1
                and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (y - hull[-2][1]) * (hull[-1][0] - hull[-2][0])
            )
        ):
            hull.pop()
        hull.append((x, y))
    return np.array(hull)
