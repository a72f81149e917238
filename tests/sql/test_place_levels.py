"""place_levels: the levels that have a region at each place."""


def test_a_place_has_the_levels_of_the_region_types_that_have_a_region_there(run_sql):
    given = {
        "block_geo_units": """
            block_key | geo_unit_id
            ----------+------------
                  101 |           1
                  102 |           2
        """,
        "geo_unit_regions": """
            geo_unit_id | region_key
            ------------+-----------
                      1 |          7
                      1 |          8
                      2 |          7
        """,
        "level_regions": """
            level_id | region_key | first_population_group_id
            ---------+------------+--------------------------
                   1 |          7 |                         0
                   2 |          8 |                        50
        """,
    }
    assert run_sql("place_levels", given=given) == [(101, 1), (101, 2), (102, 1)]
