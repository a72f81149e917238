"""unit_tallies: how many people of each counting unit are in each tally."""

BROAD = "geo_unit_id | broad_geo_unit_id\n-\n1 | 9\n2 | 9"
CELLS = "geo_unit_id | tally_id | finest_position | exact_count\n-\n1 | 50 | 0 | 3\n2 | 50 | 0 | 4\n2 | 50 | 1 | 1"


def test_finest_cells_and_geo_units_add_up(run_sql):
    rows = run_sql("unit_tallies", given={"geo_unit_finest_cells": CELLS, "broad_geo_units": BROAD})
    assert rows == [(1, 50, 3), (2, 50, 5), (9, 50, 8)]


def test_tallies_below_zero_are_counted_for_broad_geo_units_alone(run_sql):
    cells = "geo_unit_id | tally_id | finest_position | exact_count\n-\n1 | -5 | 0 | 3\n2 | -5 | 0 | 4\n2 | 4 | 0 | 1"
    rows = run_sql("unit_tallies", given={"geo_unit_finest_cells": cells, "broad_geo_units": BROAD})
    assert rows == [(2, 4, 1), (9, -5, 7), (9, 4, 1)]
