"""Variance and 95 % margin of error of every kind of published count; sees laws, never counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt

import numpy as np
import pyarrow as pa

from safetab_sql.laws.cumulative import Law, is_tabulable, pmf_words
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.planning import LevelPlan

_Z95 = 1.959963984540054  # standard normal quantile at 0.975, rounded up in the last digit
_LARGEST_CONVOLUTION = 2**21  # values; a wider sum is normal to all digits that matter


@dataclass(frozen=True, slots=True)
class CountKind:
    """Counts of one level with the same noise: `summed_counts` independent draws of `law`, added."""

    level_id: int
    is_total_only: bool
    summed_counts: int
    law: Law


def uncertainty_table(plans: Sequence[LevelPlan], cells: Sequence[int]) -> pa.Table:
    """Table `count_uncertainty` of sql/5_publish: one row per kind of count that a run can publish.

    cells: number of sex-by-age cells of each statistic. variance in persons squared, moe95 in persons.
    """
    kinds = _count_kinds(plans, cells)
    return pa.table(
        {
            "level_id": pa.array([kind.level_id for kind in kinds], pa.int32()),
            "is_total_only": pa.array([kind.is_total_only for kind in kinds], pa.bool_()),
            "summed_counts": pa.array([kind.summed_counts for kind in kinds], pa.int32()),
            "variance": pa.array([kind.summed_counts * float(variance(kind.law)) for kind in kinds], pa.float64()),
            "moe95": pa.array(
                [float(sum_margin_of_error(kind.law, kind.summed_counts)) for kind in kinds], pa.float64()
            ),
        }
    )


def _count_kinds(plans: Sequence[LevelPlan], cells: Sequence[int]) -> list[CountKind]:
    """Totals of groups that never get a table; single counts, sex marginals and sums over all cells of the others."""
    sizes = sorted({1, *cells, *(both_sexes // 2 for both_sexes in cells)})
    return [
        kind
        for plan in plans
        for kind in (
            CountKind(plan.catalog.level_id, True, 1, plan.noise.total_only),
            *(CountKind(plan.catalog.level_id, False, size, plan.noise.stage_2) for size in sizes),
        )
    ]


@lru_cache(maxsize=256)
def sum_margin_of_error(law: Law, summed_counts: int) -> int:
    """Smallest m with P(|sum of independent draws| <= m) >= 0.95, persons, half-width.

    One draw: the exact quantile. Several: their probabilities convolved in double precision, whose error (below
    1e-9) matters only where P passes 0.95 by less than that. Sums too wide to convolve: the normal quantile of the
    exact variance, rounded up. Source: accounting.md, Margins of error.
    """
    if summed_counts == 1:
        return margin_of_error(law)
    deviation = sqrt(summed_counts * float(variance(law)))
    # Either law, summed, has less than 1e-9 beyond 16 standard deviations and 64 persons.
    reach = int(16 * deviation) + 64
    if not is_tabulable(law) or 2 * reach > _LARGEST_CONVOLUTION:
        return ceil(_Z95 * deviation)
    first, words = pmf_words(law)
    size = 1 << (2 * reach + 1).bit_length()
    pmf = np.zeros(size)
    values = np.arange(first, first + len(words))
    near = np.abs(values) <= reach
    pmf[values[near] % size] = np.array(words, dtype=np.float64)[near] / 2.0**64
    summed = np.fft.irfft(np.fft.rfft(pmf) ** summed_counts, size)
    two_sided = summed[0] + np.cumsum(summed[1 : reach + 1] + summed[-1 : -reach - 1 : -1])
    return 0 if summed[0] >= 0.95 else 1 + int(np.argmax(two_sided >= 0.95))
