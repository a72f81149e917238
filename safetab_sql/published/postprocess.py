"""Suppression and clipping of noisy counts before they are published; this module sees nothing else."""

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Int64s


def is_published(noisy_totals: Int64s, suppression_threshold: int | None) -> npt.NDArray[np.bool_]:
    """Whether each total is kept: it is above the threshold, or the threshold is None. int64[n] -> bool[n], persons.

    Source: tabulation.md section 6.1.
    """
    if suppression_threshold is None:
        return np.ones(noisy_totals.size, dtype=np.bool_)
    return noisy_totals > suppression_threshold


def published_counts(noisy_counts: Int64s, *, allow_negative_counts: bool) -> Int64s:
    """The counts; negative counts become 0 unless they are allowed. int64[n] -> int64[n], persons.

    Source: tabulation.md section 6.2.
    """
    return noisy_counts if allow_negative_counts else np.maximum(noisy_counts, 0)
