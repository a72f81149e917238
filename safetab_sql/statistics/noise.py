"""The noise of the counts of one population group: which independent draws each of its counts consists of.

Every published count of a group is a sum of the cells of its table, and every cell a fixed combination of independent
draws: see public/measured.py. Where the cells alone are measured, each is its own draw; a total without a table is a
table of one cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.public.measured import Measurement, measurements
from safetab_sql.published.intervals import Terms, kinds_of_draws, terms_of_sum
from safetab_sql.release.facts import ReleaseFacts

KIND = ("release", "ladder", "level_name", "is_total_only", "stat_level")  # columns that tell the noise of a group
_BLOCK = 64  # cells whose variances are found together


@dataclass(frozen=True, slots=True, eq=False)
class GroupNoise:
    """The noise of the counts of a group. laws: of the draws on each table that is measured.

    above: it has a total alone, which is published only if it is larger, persons; None where it is for no such reason.
    """

    measurement: Measurement
    laws: tuple[Law, ...]
    above: int | None

    def draws(self, times: Int64s) -> list[tuple[Law, list[int], int]]:
        """Draws that are alike: their law, by how many parts they move each sum, and how many there are.

        times: how often each cell is in each sum, int64[sums, cells].
        """
        kinds = kinds_of_draws(self.measurement, self.measurement.draws_of(times))
        return [(self.laws[table], moved, many) for (table, *moved), many in kinds]

    def terms(self, times: Int64s) -> Terms:
        """The noise of one sum, in parts of a person. times: how often each cell is in it, int64[cells]."""
        return terms_of_sum(self.measurement, self.laws, times)

    @property
    def covariances(self) -> Floats:
        """Of the noise of the cells, persons squared: float64[cells, cells]."""
        weights = self.measurement.weights / self.measurement.parts
        of_draws = np.array([float(variance(law)) for law in self.laws])[self.measurement.table_of_draws]
        return np.asarray((weights * of_draws) @ weights.T, dtype=np.float64)

    @property
    def variances(self) -> list[float]:
        """Of the noise of each cell, persons squared."""
        tables, size = self.measurement.table_of_draws, self.measurement.cells
        of_draws = np.array([float(variance(law)) for law in self.laws])[tables]
        found: list[float] = []
        for first in range(0, size, _BLOCK):
            times = np.eye(min(_BLOCK, size - first), size, first, dtype=np.int64)
            found += (np.square(self.measurement.draws_of(times) / self.measurement.parts) @ of_draws).tolist()
        return found


_TOTAL = Measurement((1,), np.zeros((0, 1), np.int64), np.zeros((1, 0), np.int64), 1)


def group_noise(facts: ReleaseFacts, kind: Mapping[str, Any]) -> GroupNoise:
    """The noise of a group, and up to which size it is not published. facts: of its release.

    kind: `ladder`; `level_name`, as the index of groups says it; `is_total_only`: whether it could get a total and
    nothing else; `stat_level`: its table, 0 a total alone. Raises: as `ReleaseFacts.level_called`.
    """
    level = facts.level_called(kind["ladder"], kind["level_name"])
    if not kind["stat_level"]:
        above = level.total_only_threshold if kind["is_total_only"] else level.suppression_threshold
        return GroupNoise(_TOTAL, (level.measured_law(is_total_only=kind["is_total_only"]),), above)
    ladder = next(each for each in facts.parameters.ladders if each.name == kind["ladder"])
    measured = measurements(facts.parameters, ladder)[kind["stat_level"] - 1]
    return GroupNoise(measured, tuple(call.law for call in level.calls.of_table(kind["stat_level"])), None)


def noises_of(facts: Sequence[ReleaseFacts], kinds: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], GroupNoise]:
    """The noise of groups of some kinds, by the values of KIND. facts: of each release."""
    return {tuple(kind[name] for name in KIND): group_noise(facts[kind["release"]], kind) for kind in kinds}


def edge_terms(noise: GroupNoise, bins: Sequence[Sequence[int]], share: Fraction) -> list[Terms]:
    """The noise of (q - p) times the count below an edge between bins less p times that above, share = p / q, by edge.

    bins: the cells of each bin.
    """
    p, q = share.numerator, share.denominator
    times, found = np.zeros(noise.measurement.cells, dtype=np.int64), []
    times[[cell for cells in bins for cell in cells]] = -p
    for cells in bins[:-1]:
        times[list(cells)] += q
        found.append(noise.terms(times))
    return found
