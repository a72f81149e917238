"""The shares that parts of a table have of its total, and their intervals, by the noise of its cells."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.measured import Measurement, measurements
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.settings.ladders import Ladder
from safetab_sql.statistics.intervals import Counted, Intervals, ratios, shares
from safetab_sql.statistics.ratios import Shape, Term

SHARES = Fraction(95, 100)  # chance of their intervals


def table_shares(
    facts: ReleaseFacts, ladder: Ladder, table: tuple[str | None, str], counts: Floats, part: Sequence[int]
) -> Intervals:
    """Shares of some cells in all cells of groups with one table: persons, float64[n, cells], in the order of cells.

    table: the level, as the index of groups says it, and the statistic. part: places of the cells. Raises: as
    `ReleaseFacts.level_called`.
    """
    level_name, statistic = table
    stat_level = 1 + [each.name for each in ladder.statistics].index(statistic)
    calls = facts.level_called(ladder.name, level_name).calls.of_table(stat_level)
    one, other = counts[:, list(part)].sum(axis=1), counts.sum(axis=1)
    if len(calls) == 1:
        sizes = len(part), counts.shape[1]
        return shares(calls[0].law, sizes, one.astype(np.int64), other.astype(np.int64), SHARES)
    measurement = measurements(facts.parameters, ladder)[stat_level - 1]
    shape = Shape(_terms(measurement, [call.law for call in calls], part))
    own, all_ = (np.rint(each * measurement.parts).astype(np.int64) for each in (one, other))
    return ratios(Counted(shape, own, all_, np.zeros((one.size, 0), dtype=np.int64)), SHARES)


def _terms(measurement: Measurement, laws: Sequence[Law], part: Sequence[int]) -> tuple[Term, ...]:
    """The noise of a part of the fitted cells and of all of them, draw by draw, in parts of a person."""
    weights: Int64s = measurement.weights
    one, other = weights[list(part)].sum(axis=0).tolist(), weights.sum(axis=0).tolist()
    draws = Counter(zip(measurement.table_of_draws.tolist(), one, other, strict=True))
    return tuple(
        Term(laws[table], in_one, in_all, many) for (table, in_one, in_all), many in draws.items() if in_one or in_all
    )
