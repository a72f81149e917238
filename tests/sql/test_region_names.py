"""region_names: the names of regions, from a file of names or else from the geography."""

GEOGRAPHY = """
    region_type | region_id | region_name | other_name
    ------------+-----------+-------------+-----------
    COUNTY      | 01001     | Hills       | Hills
    COUNTY      | 01003     | Coast       | Coast
"""
FILE = """
    region_type | region_id | region_name
    ------------+-----------+------------
    COUNTY      | 01001     | High Hills
    STATE       | 01        | Alabama
"""


def test_a_name_in_the_file_stands_over_the_name_in_the_geography(run_sql):
    assert run_sql("region_names", given={"geography_names": GEOGRAPHY, "given_region_names": FILE}) == [
        ("COUNTY", "01001", "High Hills"),
        ("COUNTY", "01003", "Coast"),
        ("STATE", "01", "Alabama"),
    ]
