"""The adaptive step: the stat level that a population group gets for its stage-1 total."""

import numpy as np
import numpy.typing as npt


def stat_levels(noisy_totals: npt.NDArray[np.int64], thresholds: tuple[int, ...]) -> npt.NDArray[np.int8]:
    """Number of thresholds at or below each noisy total: int64[n] -> int8[n].

    noisy_totals: stage 1, persons. thresholds: one for each statistic of the ladder, persons, non-decreasing; none
    where a group gets a total alone. A noisy total equal to a threshold moves up.
    Source: paper Algorithm 2, lines 18-28.
    """
    return np.searchsorted(thresholds, noisy_totals, side="right").astype(np.int8)
