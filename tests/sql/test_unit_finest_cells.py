"""unit_finest_cells: how many people of each counting unit are in each tally, by sex and age."""

BROAD = "geo_unit_id | broad_geo_unit_id\n-\n1 | 9\n2 | 9"
CELLS = "geo_unit_id | tally_id | finest_position | exact_count\n-\n1 | 50 | 0 | 3\n2 | 50 | 0 | 4\n2 | 50 | 1 | 1"


def test_geo_units_stand_as_they_are_and_broad_ones_add_them_up(run_sql):
    rows = run_sql("unit_finest_cells", given={"geo_unit_finest_cells": CELLS, "broad_geo_units": BROAD})
    assert rows == [(1, 50, 0, 3), (2, 50, 0, 4), (2, 50, 1, 1), (9, 50, 0, 7), (9, 50, 1, 1)]


def test_a_geo_unit_in_no_broad_region_is_in_no_broad_unit(run_sql):
    cells = CELLS + "\n3 | 50 | 0 | 8"
    rows = run_sql("unit_finest_cells", given={"geo_unit_finest_cells": cells, "broad_geo_units": BROAD})
    assert (9, 50, 0, 7) in rows
