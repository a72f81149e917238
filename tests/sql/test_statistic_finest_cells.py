"""statistic_finest_cells: the cell of each statistic that each finest cell belongs to."""

GIVEN = {
    "finest_cells": """
        finest_position | sex | age_start | age_end
        ----------------+-----+-----------+--------
                      0 |   1 |         0 |       4
                      1 |   1 |         5 |      17
                      2 |   1 |        18 |     115
                      3 |   2 |         0 |       4
                      4 |   2 |         5 |      17
                      5 |   2 |        18 |     115
    """,
    "statistic_cells": """
        stat_level | cell_position | sex | age_start | age_end
        -----------+---------------+-----+-----------+--------
                 1 |             0 |   1 |         0 |      17
                 1 |             1 |   1 |        18 |     115
                 1 |             2 |   2 |         0 |      17
                 1 |             3 |   2 |        18 |     115
                 2 |             0 |   1 |         0 |     115
                 2 |             1 |   2 |         0 |     115
    """,
}


def test_each_finest_cell_belongs_to_the_cell_of_its_sex_that_spans_its_ages(run_sql):
    rows = run_sql("statistic_finest_cells", given=GIVEN)
    assert [row[1:] for row in rows if row[0] == 1] == [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3)]


def test_each_statistic_has_cells_of_its_own(run_sql):
    rows = run_sql("statistic_finest_cells", given=GIVEN)
    assert [row[1:] for row in rows if row[0] == 2] == [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 1)]
