"""exact_bins: how many people of each population group are of each sex and age bin, and of each sex."""

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
# Group 3: three boys, four girls, and seven men of whom two are younger than 45.
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
ROWS = [
    (3, 1, 0, 17, 3),
    (3, 1, 18, 44, 2),
    (3, 1, 18, 115, 7),
    (3, 1, 45, 115, 5),
    (3, 1, None, None, 10),
    (3, 2, 0, 17, 4),
    (3, 2, None, None, 4),
]


def test_bins_and_sexes_with_people_stand_once_however_many_statistics_share_them(run_sql):
    assert run_sql("exact_bins", given={"group_cells": COUNTS, "statistic_cells": CELLS}) == ROWS
