"""ground_truth_t1: the exact totals of every tabulated population group."""

from tests.sql.published_tables import PUBLIC

NAMES = {name: PUBLIC[name] for name in ("level_regions", "ladder_iterations", "regions", "iterations")}
TOTALS = """
    population_group_id | exact_count
    --------------------+------------
                      1 |           8
                      3 |           5
"""


def test_groups_with_nobody_are_listed_with_a_count_of_zero(run_sql):
    rows = run_sql("ground_truth_t1", given={**NAMES, "group_totals": TOTALS}, ladder_id=1)
    assert rows == [
        ("01003", "COUNTY", "0102", 0),
        ("1", "USA", "0101", 0),
        ("1", "USA", "0102", 8),
        ("44007", "COUNTY", "0102", 5),
    ]


def test_rows_come_by_region_type_region_and_iteration(run_sql_in_order):
    rows = run_sql_in_order("ground_truth_t1", given={**NAMES, "group_totals": TOTALS}, ladder_id=1)
    assert [(row[1], row[0]) for row in rows] == [("COUNTY", "01003"), ("COUNTY", "44007"), ("USA", "1"), ("USA", "1")]
