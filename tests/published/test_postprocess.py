"""Suppression and non-negativity, on noisy counts alone."""

import numpy as np
import pytest

from safetab_sql.published.tables import is_published, published_counts


def _int64(*counts: int) -> np.ndarray:
    return np.array(counts, dtype=np.int64)


def test_a_total_equal_to_the_suppression_threshold_is_suppressed():
    assert not is_published(_int64(12), 12).any()


def test_a_total_one_above_the_suppression_threshold_is_published():
    assert is_published(_int64(13), 12).all()


def test_a_negative_total_is_suppressed():
    assert not is_published(_int64(-13), 12).any()


def test_without_a_suppression_threshold_every_total_is_published():
    assert is_published(_int64(-5, 0, 5), None).tolist() == [True, True, True]


def test_a_threshold_of_zero_is_a_threshold():
    assert is_published(_int64(-1, 0, 1), 0).tolist() == [False, False, True]


def test_negative_counts_become_zero_where_they_are_not_allowed():
    assert published_counts(_int64(-7, -1, 0, 3), allow_negative_counts=False).tolist() == [0, 0, 0, 3]


def test_negative_counts_stay_where_they_are_allowed():
    assert published_counts(_int64(-7, -1, 0, 3), allow_negative_counts=True).tolist() == [-7, -1, 0, 3]


@pytest.mark.parametrize("allowed", [True, False])
def test_the_noisy_counts_themselves_are_not_changed(allowed):
    noisy = _int64(-7, 3)
    published_counts(noisy, allow_negative_counts=allowed)
    assert noisy.tolist() == [-7, 3]


def test_cells_keep_their_shape():
    cells = np.array([[-1, 2], [3, -4]], dtype=np.int64)
    assert published_counts(cells, allow_negative_counts=False).tolist() == [[0, 2], [3, 0]]
