"""tabled_groups: the groups that have rows in the table, with their names."""

INDEX = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | REGION_NAME | ITERATION_NAME | TABLE_ROWS:bigint
    ----------+-------------+----------------+-------------+----------------+------------------
           44 |       STATE |           0102 |        NULL |          Irish |                10
           06 |       STATE |           0102 |  California |          Irish |                 1
           01 |       STATE |           0102 |     Alabama |          Irish |                 0
"""


def test_a_group_with_a_total_that_stands_apart_is_not_among_them(run_sql_in_order):
    assert run_sql_in_order("tabled_groups", given={"exported_index": INDEX}) == [
        ("06", "STATE", "0102", "California", "Irish"),
        ("44", "STATE", "0102", None, "Irish"),
    ]
