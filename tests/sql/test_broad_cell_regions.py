"""broad_cell_regions: the broad regions that each broad cell lies in."""


def test_each_region_of_a_broad_cell_stands_once_however_many_cells_share_it(run_sql):
    broad_cells = """
        cell_id | broad_cell_id | region_keys
        --------+---------------+------------
              1 |             5 |    [10, 20]
              2 |             5 |    [10, 20]
              3 |             6 |        [10]
    """
    rows = run_sql("broad_cell_regions", given={"broad_cells": broad_cells})
    assert rows == [(5, 10), (5, 20), (6, 10)]
