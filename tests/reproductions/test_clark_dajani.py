"""The methods of the page that sets bottom-up beside top-down do what it says."""

import numpy as np
import pytest

from docs.reproductions.clark_dajani import Tree, bottom_up, least_squares, measured, never_negative, summed

PARENTS = (np.array([0, 0]), np.array([0, 0, 0, 1]))
LEAVES = np.array([[5, 0], [40, 3], [9, 9], [200, 1]])
STATES = summed(LEAVES.astype(float), PARENTS[1]).astype(np.int64)
TREE = Tree(PARENTS, (STATES.sum(axis=0, keepdims=True), STATES, LEAVES))


def test_least_squares_are_those_of_all_measurements_together():
    noisy = measured(TREE, 1.0, np.random.default_rng(1))
    leaves = np.eye(4)
    states = np.array([[1, 1, 1, 0], [0, 0, 0, 1]])
    design = np.vstack([states.sum(axis=0), states, leaves])
    wanted = np.linalg.lstsq(design, np.vstack(noisy), rcond=None)[0]
    assert least_squares(TREE, noisy)[2] == pytest.approx(wanted)


@pytest.mark.parametrize("method", [bottom_up, never_negative, least_squares], ids=lambda method: method.__name__)
def test_consistent_counts_add_up_level_by_level(method):
    generator = np.random.default_rng(2)
    found = method(TREE, 0.5, generator) if method is bottom_up else method(TREE, measured(TREE, 0.5, generator))
    for parents, whole, parts in zip(TREE.parents, found, found[1:], strict=False):
        assert summed(parts, parents) == pytest.approx(whole)
    assert method is not never_negative or min(counts.min() for counts in found) >= 0
