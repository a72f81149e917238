"""unit_regions: the counting units whose people each region adds up."""

# Geo units 1 and 2 lie in the broad regions 10 and 20, geo unit 3 in 10; regions 30 and 31 are local.
GIVEN = {
    "geo_unit_regions": """
        geo_unit_id | region_key
        ------------+-----------
                  1 |         10
                  1 |         20
                  1 |         30
                  2 |         10
                  2 |         20
                  3 |         10
                  3 |         31
    """,
    "region_breadth": """
        region_key | is_broad
        -----------+---------
                10 |     true
                20 |     true
                30 |    false
                31 |    false
    """,
    "broad_geo_units": """
        geo_unit_id | broad_geo_unit_id | region_keys
        ------------+-------------------+------------
                  1 |                 4 |    [10, 20]
                  2 |                 4 |    [10, 20]
                  3 |                 5 |        [10]
    """,
}


def test_local_regions_add_up_geo_units_and_broad_ones_broad_geo_units_each_once(run_sql):
    assert run_sql("unit_regions", given=GIVEN) == [(1, 30), (3, 31), (4, 10), (4, 20), (5, 10)]
