"""t1_api: totals as table T01001 of the Census API."""

GROUPS = """
    region_type | region_id | iteration_code | geo_id      | noisy_count | moe95
    ------------+-----------+----------------+-------------+-------------+------
          STATE | 06        |           0102 | 0400000US06 |           7 |   2.5
            USA | 1         |           0102 | 0100000US   |          -3 |   3.0
            USA | 1         |           0101 | 0100000US   |           9 |   3.0
"""


def test_totals_come_by_region_and_group(run_sql_in_order):
    assert run_sql_in_order("t1_api", given={"api_groups": GROUPS}) == [
        ("0100000US", "0101", 9, 3.0),
        ("0100000US", "0102", -3, 3.0),
        ("0400000US06", "0102", 7, 2.5),
    ]
