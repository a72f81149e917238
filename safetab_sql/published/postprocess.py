"""What happens to noisy counts before they are published; sees nothing else."""

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]


def is_published(noisy_totals: Int64s, suppression_threshold: int | None) -> npt.NDArray[np.bool_]:
    """Which totals are kept: those above the threshold; all where it is None. int64[n] -> bool[n], persons.

    Source: tabulation.md section 6.1.
    """
    if suppression_threshold is None:
        return np.ones(noisy_totals.size, dtype=np.bool_)
    return noisy_totals > suppression_threshold


def published_counts(noisy_counts: Int64s, *, allow_negative_counts: bool) -> Int64s:
    """The counts, those below 0 set to 0 unless negative counts are allowed. int64[n] -> int64[n], persons.

    Source: tabulation.md section 6.2.
    """
    return noisy_counts if allow_negative_counts else np.maximum(noisy_counts, 0)
