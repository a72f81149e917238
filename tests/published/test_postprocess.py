"""Suppression and non-negativity, on noisy counts alone."""

import numpy as np
import pytest

from safetab_sql.published.tables import is_published, published_counts


def _int64(*counts: int | list[int]) -> np.ndarray:
    return np.array(counts, dtype=np.int64)


PUBLISHED = {
    "a total equal to the threshold is suppressed": ([12], 12, [False]),
    "one above it is published": ([13], 12, [True]),
    "a negative total is suppressed": ([-13], 12, [False]),
    "without a threshold every total is published": ([-5, 0, 5], None, [True, True, True]),
    "a threshold of zero is a threshold": ([-1, 0, 1], 0, [False, False, True]),
}


@pytest.mark.parametrize(("totals", "threshold", "kept"), PUBLISHED.values(), ids=PUBLISHED)
def test_a_total_is_published_above_its_threshold(totals, threshold, kept):
    assert is_published(_int64(*totals), threshold).tolist() == kept


@pytest.mark.parametrize(("allowed", "counts"), [(False, [[0, 2], [3, 0]]), (True, [[-1, 2], [3, -4]])])
def test_negative_counts_become_zero_where_they_are_not_allowed_and_the_noisy_ones_are_not_changed(allowed, counts):
    noisy = _int64([-1, 2], [3, -4])
    assert published_counts(noisy, allow_negative_counts=allowed).tolist() == counts
    assert noisy.tolist() == [[-1, 2], [3, -4]]
