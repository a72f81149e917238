"""t1_api: totals as table T01001 of the Census API."""

GROUPS = """
    region_type | region_id | iteration_code | geo_id      | region_name | iteration_name | noisy_count | moe95
          STATE | 06        |           0102 | 0400000US06 |        NULL |          Irish |           7 |   2.5
            USA | 1         |           0102 | 0100000US   |  the nation |          Irish |          -3 |   3.0
            USA | 1         |           0101 | 0100000US   |  the nation |           NULL |           9 |   3.0
"""


def test_totals_come_by_region_and_group(run_sql_in_order):
    assert run_sql_in_order("t1_api", given={"api_groups": GROUPS}) == [
        ("0100000US", "the nation", "0101", None, 9, 3.0),
        *(("0100000US", "the nation", "0102", "Irish", -3, 3.0), ("0400000US06", None, "0102", "Irish", 7, 2.5)),
    ]
