"""The answers to wanted statistics that are differences of two ratios, from the answers for each ratio."""

from collections.abc import Sequence

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.statistics.intervals import Intervals
from safetab_sql.statistics.ratio_differences import NoisyRatios, equal_ratio_chances, ratio_differences
from safetab_sql.statistics.ratios import PairNoise
from safetab_sql.statistics.wanted import WantedStatistics


def put_equal_ratio_chances(
    found: Intervals,
    asked: WantedStatistics,
    noisy: tuple[Int64s, Int64s],
    numbers: Int64s,
    noises: Sequence[PairNoise],
) -> None:
    """Put the p-values of differences of ratios beside the first ratio of each.

    noisy: both counts of all ratios. numbers: places in `noises`; -1 where there is no p-value.
    """
    chosen = (numbers[asked.firsts] >= 0) & (numbers[asked.seconds] >= 0)
    chosen &= ~np.isnan(found.lows[asked.firsts]) & ~np.isnan(found.lows[asked.seconds])
    if not chosen.any():
        return
    firsts, seconds = (
        NoisyRatios(noisy[0][places].astype(np.float64), noisy[1][places].astype(np.float64), numbers[places])
        for places in (asked.firsts[chosen], asked.seconds[chosen])
    )
    found.p_values[asked.firsts[chosen]] = equal_ratio_chances(firsts, seconds, noises)


def with_ratio_differences(
    asked: WantedStatistics, found: Intervals, notes: Sequence[str | None]
) -> tuple[Intervals, list[str | None]]:
    """The answers for all rows, from those that have ratios in place of their differences, second ones behind all."""
    rows, all_notes = asked.table.num_rows, list(notes[: asked.table.num_rows])
    first, second = (_of(found, places) for places in (asked.firsts, asked.seconds))
    made, answers = ratio_differences(first, second), _of(found, np.arange(rows))
    answers.estimates[asked.firsts], answers.lows[asked.firsts], answers.highs[asked.firsts] = (
        made.estimates,
        made.lows,
        made.highs,
    )
    is_second = np.isnan(second.lows) & ~np.isnan(first.lows)
    for row, place, why_second in zip(asked.firsts.tolist(), asked.seconds.tolist(), is_second.tolist(), strict=True):
        all_notes[row] = notes[place] if why_second else notes[row] or notes[place]
    return answers, all_notes


def _of(found: Intervals, places: Int64s) -> Intervals:
    return Intervals(*(each[places] for each in (found.estimates, found.lows, found.highs, found.p_values)))
