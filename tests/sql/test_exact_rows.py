"""exact_rows: how many people of each population group are in each row of the ladder's table."""

# Finest cells 0 boys, 1 girls, 2 men; row 0 is all men and boys, row 2 boys, row 3 girls.
GIVEN = {
    "row_finest_cells": "row_id | finest_position\n-\n0 | 0\n0 | 2\n2 | 0\n3 | 1",
    "group_finest_cells": "population_group_id | finest_position | exact_count\n-\n3 | 0 | 3\n3 | 2 | 7\n4 | 1 | 2",
    "group_totals": "population_group_id | exact_count\n-\n3 | 10\n5 | 6",
    "statistic_cells": "stat_level | cell_position | row_id\n-\n1 | 0 | 2",
}


def test_a_row_adds_up_its_finest_cells(run_sql):
    assert run_sql("exact_rows", given=GIVEN) == [(3, 0, False, 10), (3, 2, False, 3), (4, 3, False, 2)]


def test_totals_that_have_no_folder_of_their_own_are_rows_of_every_group(run_sql):
    given = {**GIVEN, "statistic_cells": "stat_level | cell_position | row_id\n-\n0 | 0 | 9"}
    totals = [row for row in run_sql("exact_rows", given=given) if row[2]]
    assert totals == [(3, 9, True, 10), (5, 9, True, 6)]
