import numpy as np
import pytest

from safetab_sql.mechanisms.tabulate import stat_levels


@pytest.mark.parametrize(
    ("total", "level"), [(-10, 0), (0, 0), (4, 0), (5, 1), (6, 1), (19, 1), (20, 2), (99, 2), (100, 3), (10**12, 3)]
)
def test_a_total_equal_to_a_threshold_moves_up(total, level):
    levels = stat_levels(np.array([total], dtype=np.int64), (5, 20, 100))
    assert levels.tolist() == [level]
    assert levels.dtype == np.int8


def test_equal_thresholds_are_passed_together():
    totals = np.array([6, 7, 8], dtype=np.int64)
    assert stat_levels(totals, (7, 7, 8)).tolist() == [0, 2, 3]


def test_negative_thresholds_let_every_total_above_them_in():
    assert stat_levels(np.array([-5, -4], dtype=np.int64), (-10, -5, -4)).tolist() == [2, 3]


def test_no_population_groups_have_no_stat_levels():
    assert stat_levels(np.zeros(0, dtype=np.int64), (1, 2, 3)).tolist() == []
