"""regions: every region of every tabulated region type, people or not."""

from tests.sql.parameters import region_types

CELLS = {
    "geo_units": """
        geo_unit_id | USA |   PLACE
        --------+-----+--------
              1 |   1 | 4459000
              2 |   1 |    NULL
              3 |   1 | 0100124
              4 |   1 | 4459000
    """
}


def test_each_region_is_listed_once_and_no_region_is_none(run_sql):
    rows = run_sql("regions", given=CELLS, region_types=region_types("USA", "PLACE"))
    assert [row[1:] for row in rows] == [("PLACE", "0100124"), ("PLACE", "4459000"), ("USA", "1")]


def test_regions_are_numbered_by_type_and_then_id(run_sql):
    rows = run_sql("regions", given=CELLS, region_types=region_types("USA", "PLACE"))
    assert [row[0] for row in rows] == [1, 2, 3]


def test_two_region_types_may_use_the_same_id(run_sql):
    cells = """
        geo_unit_id | PLACE | AIANNH
        --------+-------+-------
              1 |  0050 |   0050
    """
    rows = run_sql("regions", given={"geo_units": cells}, region_types=region_types("PLACE", "AIANNH"))
    assert rows == [(1, "AIANNH", "0050"), (2, "PLACE", "0050")]
