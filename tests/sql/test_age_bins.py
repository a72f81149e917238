"""age_bins: the age bins of each sex-by-age statistic, as tabulation.md section 5 lists them."""

from itertools import pairwise

import pytest

STARTS = {
    1: [0, 18, 45, 65],
    2: [0, 5, 18, 25, 35, 45, 55, 65, 75],
    3: [0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85],
}
STAT_LEVELS = pytest.mark.parametrize("stat_level", [1, 2, 3], ids=["age4", "age9", "age23"])


@STAT_LEVELS
def test_the_bins_start_where_the_specification_says(run_sql, stat_level):
    assert [start for level, start, _ in run_sql("age_bins") if level == stat_level] == STARTS[stat_level]


@STAT_LEVELS
def test_each_bin_ends_just_before_the_next(run_sql, stat_level):
    bins = [row[1:] for row in run_sql("age_bins") if row[0] == stat_level]
    assert all(end + 1 == start for (_, end), (start, _) in pairwise(bins))


@STAT_LEVELS
def test_the_last_bin_ends_at_115(run_sql, stat_level):
    assert max(end for level, _, end in run_sql("age_bins") if level == stat_level) == 115
