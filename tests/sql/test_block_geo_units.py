"""block_geo_units: the cell each block lies in."""

from tests.sql.parameters import region_types

CELLS = """
    geo_unit_id | STATE |   PLACE
    --------+-------+--------
          1 |    44 | 4459000
          2 |    44 |    NULL
"""


def test_every_block_lies_in_the_cell_of_its_regions(run_sql):
    block_regions = """
        block_key | STATE |   PLACE
        ----------+-------+--------
               11 |    44 | 4459000
               12 |    44 | 4459000
    """
    given = {"block_regions": block_regions, "geo_units": CELLS}
    assert run_sql("block_geo_units", given=given, region_types=region_types("STATE", "PLACE")) == [(11, 1), (12, 1)]


def test_a_block_in_no_place_lies_in_the_cell_without_one(run_sql):
    block_regions = """
        block_key | STATE | PLACE
        ----------+-------+------
               13 |    44 |  NULL
    """
    given = {"block_regions": block_regions, "geo_units": CELLS}
    assert run_sql("block_geo_units", given=given, region_types=region_types("STATE", "PLACE")) == [(13, 2)]
