"""broad_geo_unit_regions: the broad regions that each broad cell lies in."""


def test_each_region_of_a_broad_cell_stands_once_however_many_cells_share_it(run_sql):
    broad_geo_units = """
        geo_unit_id | broad_geo_unit_id | region_keys
        --------+---------------+------------
              1 |             5 |    [10, 20]
              2 |             5 |    [10, 20]
              3 |             6 |        [10]
    """
    rows = run_sql("broad_geo_unit_regions", given={"broad_geo_units": broad_geo_units})
    assert rows == [(5, 10), (5, 20), (6, 10)]
