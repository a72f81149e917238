"""ground_truth_t2: the exact sex-by-age tables of every population group that may get one."""

from collections import Counter

from tests.sql.published_tables import PUBLIC

# Two statistics: ages 0-17 and 18-115, which both have; 18-44 and 45-115, which the second has alone.
CELLS = """
    stat_level | cell_position | sex | age_start | age_end
    -----------+---------------+-----+-----------+--------
             1 |             0 |   1 |         0 |      17
             1 |             1 |   1 |        18 |     115
             1 |             2 |   2 |         0 |      17
             1 |             3 |   2 |        18 |     115
             2 |             0 |   1 |         0 |      17
             2 |             1 |   1 |        18 |      44
             2 |             2 |   1 |        45 |     115
             2 |             3 |   2 |         0 |      17
             2 |             4 |   2 |        18 |      44
             2 |             5 |   2 |        45 |     115
"""
# Group 3, county 44007: three boys, four girls, and seven men of whom two are younger than 45.
COUNTS = """
    population_group_id | stat_level | cell_position | exact_count
    --------------------+------------+---------------+------------
                      3 |          1 |             0 |           3
                      3 |          1 |             1 |           7
                      3 |          1 |             2 |           4
                      3 |          2 |             0 |           3
                      3 |          2 |             1 |           2
                      3 |          2 |             2 |           5
                      3 |          2 |             3 |           4
"""
GIVEN = {
    **{name: PUBLIC[name] for name in ("level_regions", "level_iterations", "regions", "iterations")},
    "statistic_cells": CELLS,
    "group_cells": COUNTS,
}


def test_a_bin_that_two_statistics_share_stands_once(run_sql):
    bins = [row[3:6] for row in run_sql("ground_truth_t2", given=GIVEN) if row[0] == "44007"]
    assert Counter(bins).most_common(1)[0][1] == 1


def test_every_group_that_may_get_a_table_has_every_bin_and_both_marginals(run_sql):
    rows = Counter(row[:3] for row in run_sql("ground_truth_t2", given=GIVEN))
    assert rows == {("1", "USA", "0102"): 10, ("01003", "COUNTY", "0102"): 10, ("44007", "COUNTY", "0102"): 10}


def test_bins_with_people_have_their_count_and_those_without_have_zero(run_sql):
    counts = {row[3:6]: row[6] for row in run_sql("ground_truth_t2", given=GIVEN) if row[0] == "44007"}
    assert counts == {
        ("*", "*", "1"): 10,
        ("*", "*", "2"): 4,
        ("0", "17", "1"): 3,
        ("0", "17", "2"): 4,
        ("18", "115", "1"): 7,
        ("18", "115", "2"): 0,
        ("18", "44", "1"): 2,
        ("18", "44", "2"): 0,
        ("45", "115", "1"): 5,
        ("45", "115", "2"): 0,
    }


def test_rows_come_by_group_age_and_sex_with_the_marginals_first(run_sql_in_order):
    rows = run_sql_in_order("ground_truth_t2", given=GIVEN)
    assert [row[3:6] for row in rows[:6]] == [
        ("*", "*", "1"),
        ("*", "*", "2"),
        ("0", "17", "1"),
        ("0", "17", "2"),
        ("18", "44", "1"),
        ("18", "44", "2"),
    ]
