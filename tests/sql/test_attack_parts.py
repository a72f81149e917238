"""attack_parts: the regions that divide a region completely."""

UNITS = """
    geo_unit_id | region_key
    ------------+-----------
              1 |          1
              2 |          1
              3 |          1
              1 |          2
              2 |          2
              3 |          3
              1 |          4
              2 |          5
              3 |          6
              2 |          7
              3 |          7
"""
REGIONS = """
    region_key | region_type | region_id
    -----------+-------------+----------
             1 | STATE       | 01
             2 | COUNTY      | 01001
             3 | COUNTY      | 01003
             4 | TRACT       | 01001000100
             5 | TRACT       | 01001000200
             6 | TRACT       | 01003000100
             7 | PLACE       | 0100100
"""


def test_counties_divide_the_state_and_tracts_their_county_and_a_place_that_crosses_nothing(run_sql):
    found = run_sql("attack_parts", given={"geo_unit_regions": UNITS, "regions": REGIONS})
    assert found == [(1, 2), (1, 3), (2, 4), (2, 5), (3, 6)]


def test_regions_that_leave_a_geo_unit_out_divide_nothing(run_sql):
    units = UNITS.replace("              3 |          6\n", "")
    found = run_sql("attack_parts", given={"geo_unit_regions": units, "regions": REGIONS})
    assert found == [(1, 2), (1, 3)]
