"""group_index: which table each published population group got, and its names."""

from tests.sql.published_tables import LADDER_STATISTICS, NAMED_GROUPS, NO_CELLS, NO_TOTALS, PUBLIC
from tests.sql.published_tables import STATISTIC_CELLS as CELLS
from tests.sql.published_tables import STATISTIC_SUMS as SUMS

NAMED = {
    **NAMED_GROUPS,
    "levels": PUBLIC["levels"],
    "regions": PUBLIC["regions"],
    "ladder_statistics": LADDER_STATISTICS,
    "statistic_cells": CELLS,
    "statistic_sums": SUMS,
    "region_names": """
        region_type | region_id | region_name
             COUNTY |     44007 |  Providence
    """,
    "iterations": """
        iteration_id | iteration_code | iteration_name | iteration_kind
                   1 |           0101 |    Irish alone |          alone
                   2 |           0102 |          Irish |    combination
    """,
}
TOTALS = """
    level_id | population_group_id | noisy_count
           1 |                   0 |         -12
"""
TABLES = """
    level_id | population_group_id | stat_level | cell_position | noisy_count
           2 |                   3 |          1 |             0 |         100
           2 |                   3 |          1 |             1 |         -30
           2 |                   2 |          1 |             0 |           0
           2 |                   2 |          1 |             3 |           5
"""


def test_a_group_with_a_total_alone_has_its_name_and_a_row_if_totals_are_rows_of_the_table(run_sql):
    rows = run_sql("group_index", given={**NAMED, "noisy_totals": TOTALS, "noisy_cells": NO_CELLS}, table_name="T2")
    assert rows == [("1", "USA", "0101", "USA-1", "alone", True, None, "Irish alone", "T2", "total", 0)]
    total = "stat_level | cell_position | row_id | AGESTART | AGEEND | SEX\n0 | 0 | 6 | * | * | *"
    given = {**NAMED, "noisy_totals": TOTALS, "noisy_cells": NO_CELLS, "statistic_cells": total}
    assert [row[-1] for row in run_sql("group_index", given=given, table_name="T2")] == [1]


def test_a_group_with_a_table_has_its_name_and_all_its_rows_cells_and_sums(run_sql_in_order):
    given = {**NAMED, "noisy_totals": NO_TOTALS, "noisy_cells": TABLES}
    rows = run_sql_in_order("group_index", given=given, table_name="T2")
    assert rows == [
        ("01003", "COUNTY", "0102", "COUNTY-2", "combination", False, None, "Irish", "T2", "age2", 6),
        ("44007", "COUNTY", "0102", "COUNTY-2", "combination", False, "Providence", "Irish", "T2", "age2", 6),
    ]
