"""Cells drawn by their noisy counts, and random sets."""

import numpy as np
import pytest
from scipy import stats

from safetab_sql.histograms.published.sampling import default_rows, generator, random_sets, sampled_cells
from tests.statistics import FALSE_ALARM

IDS, COUNTS = np.array([3, 7, 1000]), np.array([1, 2, 5])


def drawn(rows: int, seed: int = 0) -> np.ndarray:
    return sampled_cells(IDS, COUNTS, 10**9, rows, generator(seed))


def test_cells_are_drawn_in_proportion_to_their_counts():
    rows = 100_000
    found = [(drawn(rows) == cell).sum() for cell in IDS]
    assert stats.chisquare(found, COUNTS / COUNTS.sum() * rows).pvalue > FALSE_ALARM


def test_a_seed_gives_the_same_draws_again_and_another_other_ones():
    assert (drawn(100, 1) == drawn(100, 1)).all()
    assert (drawn(100, 1) != drawn(100, 2)).any()


@pytest.mark.parametrize(
    ("totals", "rows"), [([5], 5), ([1, 9, 5], 5), ([4, 5], 5), ([4, 6], 5), ([0, 0, 9], 0), ([2, 3, 4, 100], 4)]
)
def test_by_default_rows_are_the_median_rounded_half_up(totals, rows):
    assert default_rows(totals) == rows


def test_sets_are_distinct_and_of_the_size_asked_for():
    found = random_sets(10, 3, 50, generator(0))
    assert len(set(found)) == len(found) == 50
    assert all(len(set(one)) == 3 and one == tuple(sorted(one)) and set(one) <= set(range(10)) for one in found)


@pytest.mark.parametrize(("items", "size"), [(8, 2), (60, 4)], ids=["few sets", "many sets"])
def test_every_item_is_as_likely_as_any_other(items, size):
    found = [item for seed in range(300) for one in random_sets(items, size, 5, generator(seed)) for item in one]
    assert stats.chisquare(np.bincount(found, minlength=items)).pvalue > FALSE_ALARM
