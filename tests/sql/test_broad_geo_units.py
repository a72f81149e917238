"""broad_geo_units: the pieces of geography that broad regions tell apart."""

# Cells 1 and 2 lie in the same broad regions, 10 and 20, cell 3 in 10 alone, cell 4 in no broad region.
GIVEN = {
    "geo_units": "geo_unit_id\n-\n1\n2\n3\n4",
    "geo_unit_regions": """
        geo_unit_id | region_key
        --------+-----------
              1 |         20
              1 |         10
              1 |         30
              2 |         10
              2 |         20
              3 |         10
              4 |         30
    """,
    "region_breadth": """
        region_key | is_broad
        -----------+---------
                10 |     true
                20 |     true
                30 |    false
    """,
}


def test_cells_in_the_same_broad_regions_share_a_broad_cell(run_sql):
    broad_geo_units = {row[0]: row[1] for row in run_sql("broad_geo_units", given=GIVEN)}
    assert broad_geo_units[1] == broad_geo_units[2] != broad_geo_units[3]


def test_broad_geo_units_are_numbered_after_the_geo_units_without_gaps(run_sql):
    assert {row[1] for row in run_sql("broad_geo_units", given=GIVEN)} == {5, 6}


def test_local_regions_are_left_out(run_sql):
    assert [(row[0], row[2]) for row in run_sql("broad_geo_units", given=GIVEN)] == [
        (1, [10, 20]),
        (2, [10, 20]),
        (3, [10]),
    ]


def test_a_cell_in_no_broad_region_is_in_no_broad_cell(run_sql):
    assert 4 not in {row[0] for row in run_sql("broad_geo_units", given=GIVEN)}
