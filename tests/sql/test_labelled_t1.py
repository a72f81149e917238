"""labelled_t1: totals with the names of region and group, and what is known of the group."""

INDEX = """
    REGION_ID | REGION_TYPE | ITERATION_CODE |   LEVEL | STATISTIC | REGION_NAME | ITERATION_NAME
           06 |       STATE |           0102 | STATE-2 |      age4 |  California |          Irish
           44 |       STATE |           0102 | STATE-2 |     total |        NULL |          Irish
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT:bigint | VARIANCE | MOE95 | LOW95 | HIGH95 | NOISY_COUNT:bigint
           44 |       STATE |           0102 |           -3 |      2.5 |     3 |    -6 |      0 |          -2
           06 |       STATE |           0102 |            9 |      2.5 |     3 |     6 |     12 |           8
"""


def test_a_total_has_the_names_level_and_table_of_its_group(run_sql_in_order):
    found = run_sql_in_order(
        "labelled_t1", given={"t1": T1, "exported_index": INDEX}, counted=["COUNT"], noisy_counts=["NOISY_COUNT"]
    )
    assert [(row[0], row[3], *row[8:]) for row in found] == [
        ("06", 9, 8, "STATE-2", "age4", "California", "Irish"),
        ("44", -3, -2, "STATE-2", "total", None, "Irish"),
    ]
