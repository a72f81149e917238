"""The best weights of given tables: a convex problem under zCDP, solved to a proved gap; a search under pure DP.

Source: Pukelsheim, Optimal Design of Experiments, 1993, for the optimality conditions; McKenna et al. 2018 (HDMM).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.progress import SILENT, Progress, counted_rounds
from safetab_sql.semantics.balanced import Blocks, Extrapolation, normalised
from safetab_sql.settings.budgets import PrivacyDefinition

_LEAST_WEIGHT = 1e-4  # of the largest, while weights are sought
_UNUSED = 2e-3  # of the largest: a table is left out if it is not needed
_POWERS = (1.0, 1.25, 1.5, 1.75)  # from the convex problem to the one of pure DP
_ROUNDS = 100  # on the way
_BESIDE = 0.2  # weights of the other tables where a search starts near one
_PATIENCE = 30  # rounds of a search in which nothing gets better by the share below
_BETTER = 1e-5
_MOST_WORK = 2e7  # multiplications of all starts in one round
_NOT_DETERMINED = "the tables do not determine every query"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What noise may be added to, cut as the workload is.

    gains: float64[blocks], times `gram`, float64[size, size], is the precision that it gives to a block at weight 1 and
    variance 1. load: float64[size], squares (zCDP) or absolute values (pure DP) of what one record changes, by cell.
    """

    gains: Floats
    gram: Floats
    load: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights of tables, the largest 1: a table of weight 2 has half the standard deviation of one of weight 1.

    cost: as in `balanced`. least: what no weights go below; None where that is not known. variances: float64[queries],
    for noise of variance 1.
    """

    weights: Floats
    cost: float
    least: float | None
    variances: Floats


def weights_cost(blocks: Blocks, tables: Sequence[Table], weights: Floats, definition: PrivacyDefinition) -> Weights:
    """What given weights cost. Raises: ValueError where the tables of a weight above 0 do not determine every query."""
    used = weights > 0
    setting = _Setting.of(blocks, [table for table, is_used in zip(tables, used, strict=True) if is_used])
    power = 1.0 if definition == "zcdp" else 2.0
    found = setting.at(np.log(weights[used] ** 2) / power, power)
    return Weights(weights / weights.max(), found.cost, None, found.variances)


def best_weights(
    blocks: Blocks,
    tables: Sequence[Table],
    definition: PrivacyDefinition,
    *,
    rounds: int = 1_000,
    gap: float = 1e-3,
    most_starts: int = 60,
    progress: Progress = SILENT,
) -> Weights:
    """The best weights of the tables. Raises: ValueError where the tables do not determine every query.

    zCDP: the least cost is a saddle point over weights of tables, queries and cells. Each is multiplied by how much it
    exceeds what is optimal; the weights of queries and cells prove a lower bound: with f the weighted variance and g_t
    its slope in table t of weighted load l_t, no weights cost less than f^2 / max(g_t / l_t).

    Pure DP is not convex: precisions are squares of weights. The search starts at the optimum of a convex problem in
    which they are the first power, near each table, and at scattered weights; the best is taken.
    """
    setting = _Setting.of(blocks, tables)
    if definition == "zcdp":
        found = setting.search(np.zeros(len(tables)), 1.0, rounds, gap, progress)
        return _as_weights(blocks, tables, np.exp(found.logs / 2), definition, found.least)
    work = blocks.shares.size * blocks.size**3 + blocks.copies.size * blocks.size**2 * blocks.shares.size
    starts = _pure_starts(setting, int(np.clip(_MOST_WORK / work, 2, most_starts)), progress)
    found = min((setting.search(logs, 2.0, rounds, gap, progress) for logs in starts), key=lambda each: each.cost)
    return _as_weights(blocks, tables, np.exp(found.logs), definition, None)


def _pure_starts(setting: "_Setting", number: int, progress: Progress) -> Iterator[Floats]:
    """Where the search begins: at the end of a convex problem as powers rise; near each table; at scattered weights."""
    logs = np.zeros(len(setting.gains))
    for power in _POWERS:
        logs = setting.search(logs, power, _ROUNDS, 1e-3, progress).logs
    yield logs
    alone = [np.where(np.arange(len(logs)) == place, 0.0, np.log(_BESIDE)) for place in range(len(logs))]
    yield from sorted(alone, key=lambda each: setting.at(each, 2.0).cost)[: (number + 1) // 3]
    scattered = np.abs(np.sin(np.arange(1, number * len(logs) + 1) * 12.9898)) * 43758.5453 % 1.0
    yield from np.log(scattered.reshape(number, -1) + _LEAST_WEIGHT)[: number - (number + 1) // 3 - 1]


def best_shares(
    blocks: Blocks, tables: Sequence[Table], definition: PrivacyDefinition, *, parts: int = 1_000
) -> tuple[Fraction, ...]:
    """The share of the budget for each table, in parts of 1 / `parts`, which add up to 1: rho (zCDP) or epsilon.

    Every table counts each cell equally often, as marginals do. A table that is not needed gets 0. Raises: as
    `best_weights`, and ValueError where a table counts some cells more often.
    """
    if any(np.ptp(table.load) > 0 for table in tables):
        raise ValueError("a share of the budget needs tables that count every cell equally often")
    found = best_weights(blocks, tables, definition)
    spent = found.weights ** (2 if definition == "zcdp" else 1) * [float(table.load[0]) for table in tables]
    exact = spent / spent.sum() * parts
    rounded = np.floor(exact).astype(np.int64)
    rounded[np.argsort(rounded - exact, kind="stable")[: parts - int(rounded.sum())]] += 1
    return tuple(Fraction(int(each), parts) for each in rounded)


def _as_weights(
    blocks: Blocks, tables: Sequence[Table], weights: Floats, definition: PrivacyDefinition, least: float | None
) -> Weights:
    """With the tables of little weight left out, if this is no worse."""
    found = weights_cost(blocks, tables, weights, definition)
    needed = np.where(weights < _UNUSED * weights.max(), 0.0, weights)
    try:
        sparse = weights_cost(blocks, tables, needed, definition)
    except ValueError:
        sparse = found
    best = sparse if sparse.cost <= found.cost * (1 + _BETTER) else found
    return Weights(best.weights, best.cost, least, best.variances)


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """Where a search is. logs: of what the precision's `power`-th root is, by table."""

    logs: Floats
    cost: float
    variances: Floats
    least: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """gains: float64[tables, blocks]; grams: [tables, size, size]; loads: [tables, size]; kept: bool[blocks, size]."""

    blocks: Blocks
    gains: Floats
    grams: Floats
    loads: Floats
    kept: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, blocks: Blocks, tables: Sequence[Table]) -> "_Setting":
        """The tables side by side. Raises: ValueError where they do not determine every query."""
        gains, grams = np.array([each.gains for each in tables]), np.array([each.gram for each in tables])
        loads = np.array([each.load for each in tables])
        precisions = np.tensordot(gains.T, grams, 1)
        ranks = np.atleast_1d(np.linalg.matrix_rank(precisions, hermitian=True))
        kept = np.arange(blocks.size) >= blocks.size - ranks[:, None]
        found = cls(blocks, gains, grams, loads, kept)
        asked = blocks.moments(blocks.copies / blocks.copies.sum())
        missed = asked - asked @ found.inverses(precisions) @ precisions
        if not np.allclose(missed, 0, atol=1e-8 * np.abs(asked).max()):
            raise ValueError(_NOT_DETERMINED)
        return found

    def inverses(self, precisions: Floats) -> Floats:
        """Of each block, where it is not 0 whatever the weights."""
        if self.kept.all():
            return np.asarray(np.linalg.inv(precisions))
        values, vectors = np.linalg.eigh(precisions)
        inverted = np.where(self.kept, 1 / np.where(self.kept, values, 1.0), 0.0)
        return np.asarray((vectors * inverted[:, None, :]) @ vectors.transpose(0, 2, 1))

    def at(self, logs: Floats, power: float) -> _State:
        """The cost of weights."""
        weights = np.exp(logs - logs.max())
        variances = self.blocks.variances(self.inverses(np.tensordot((self.gains.T * weights**power), self.grams, 1)))
        return _State(logs, float((weights @ self.loads).max() ** power * variances.max()), variances)

    def search(self, logs: Floats, power: float, rounds: int, gap: float, progress: Progress) -> _State:
        """From `logs`, to the least cost that can be reached by small steps."""
        queries, size, count = self.blocks.copies.size, self.blocks.size, len(self.gains)
        point, path = np.concatenate([np.zeros(queries + size), logs]), Extrapolation()
        best, patience, apart = _State(logs, np.inf, np.empty(0)), _PATIENCE, [np.inf]
        for _ in counted_rounds("best weights of the tables", rounds, progress, apart):
            of_queries, of_cells, logs = np.split(point, [queries, queries + size])
            here = self.round(normalised(of_queries), normalised(of_cells), logs, power)
            patience = _PATIENCE if here.state.cost < best.cost * (1 - _BETTER) else patience - 1
            least = max(best.least, here.state.least)
            best = replace(here.state if here.state.cost < best.cost else best, least=least)
            apart[:] = [best.cost / least - 1 if least > 0 else np.inf]
            if apart[0] <= gap or not patience:
                break
            step = here.step * np.repeat([0.5, 0.5, 1 / power], [queries, size, count])
            point = path.following(point, step, here.mass) if power == 1 else point + np.clip(step, -1, 1)
            lowest = point[-count:].max() + np.log(_LEAST_WEIGHT) * 2 / power
            point[-count:] = np.maximum(point[-count:], lowest) - point[-count:].max()
        return best

    def round(self, of_queries: Floats, of_cells: Floats, logs: Floats, power: float) -> "_Round":
        """The cost of weights of tables, and a lower bound at power 1, from weights of queries and cells."""
        weights = np.exp(logs)
        inverses = self.inverses(np.tensordot(self.gains.T * weights**power, self.grams, 1))
        variances, loads = self.blocks.variances(inverses), weights @ self.loads
        total, weighted = float(of_queries @ variances), self.loads @ of_cells
        turned = np.tensordot(self.gains, inverses @ self.blocks.moments(of_queries) @ inverses, 1)
        slopes = np.einsum("tij,tij->t", self.grams, turned) * weights ** (power - 1)
        spent = float(weights @ weighted)
        least = total**2 / float((slopes / weighted).max()) if power == 1 else 0.0
        exceeded = np.concatenate([variances / total, loads / spent, slopes * spent / weighted / total])
        return _Round(
            _State(logs, float(loads.max() ** power * variances.max()), variances, least),
            np.log(np.maximum(exceeded, _LEAST_WEIGHT**4)),
            np.concatenate([of_queries, of_cells, weights * weighted / spent]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """step, mass: float64[queries + size + tables], how the logarithms move, and how much each counts."""

    state: _State
    step: Floats
    mass: Floats
