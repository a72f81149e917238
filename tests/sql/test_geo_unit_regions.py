"""geo_unit_regions: the regions each cell lies in."""

from tests.sql.parameters import region_types

REGIONS = """
    region_key | region_type | region_id
    -----------+-------------+----------
             1 |      AIANNH |      0050
             2 |       PLACE |      0050
"""


def test_a_cell_lies_in_one_region_of_each_type(run_sql):
    cells = """
        geo_unit_id | PLACE | AIANNH
        --------+-------+-------
              7 |  0050 |   0050
    """
    given = {"geo_units": cells, "regions": REGIONS}
    assert run_sql("geo_unit_regions", given=given, region_types=region_types("PLACE", "AIANNH")) == [(7, 1), (7, 2)]


def test_a_cell_without_a_place_lies_in_no_place(run_sql):
    cells = """
        geo_unit_id | PLACE | AIANNH
        --------+-------+-------
              8 |  NULL |   0050
    """
    given = {"geo_units": cells, "regions": REGIONS}
    assert run_sql("geo_unit_regions", given=given, region_types=region_types("PLACE", "AIANNH")) == [(8, 1)]
