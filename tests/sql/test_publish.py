"""The statements of sql/run/6_publish beside t1 and t2: rows of a ladder, index, measurements, bounds."""

import pytest

from tests.sql.published_tables import (
    LADDER_STATISTICS,
    NAMED_GROUPS,
    NO_CELLS,
    NO_TOTALS,
    PUBLIC,
    STATISTIC_CELLS,
    STATISTIC_SUMS,
)

TOTAL = "6 | * | * | *"
INDEXED = {
    **NAMED_GROUPS,
    **{name: PUBLIC[name] for name in ("levels", "regions")},
    "ladder_statistics": LADDER_STATISTICS,
    "statistic_cells": STATISTIC_CELLS,
    "statistic_sums": STATISTIC_SUMS,
    "region_names": "region_type | region_id | region_name\nCOUNTY | 44007 | Providence",
    "iterations": """
        iteration_id | iteration_code | iteration_name | iteration_kind
                   1 |           0101 |    Irish alone |          alone
                   2 |           0102 |          Irish |    combination
    """,
}
ONE_TOTAL = "level_id | population_group_id | noisy_count\n1 | 0 | 12"
TABLES = """
    level_id | population_group_id | stat_level | cell_position | noisy_count
           2 |                   3 |          1 |             0 |         100
           2 |                   3 |          1 |             1 |         -30
           2 |                   2 |          1 |             0 |           0
           2 |                   2 |          1 |             3 |           5
"""


def test_a_group_with_a_total_alone_has_its_name_and_a_row_if_totals_are_rows_of_the_table(run_sql):
    given = {**INDEXED, "noisy_totals": ONE_TOTAL, "noisy_cells": NO_CELLS}
    assert run_sql("group_index", given=given, table_name="T2") == [
        ("1", "USA", "0101", "USA-1", "alone", True, None, "Irish alone", "T2", "total", 0)
    ]
    given["statistic_cells"] = f"stat_level | cell_position | row_id | AGESTART | AGEEND | SEX\n0 | 0 | {TOTAL}"
    assert [row[-1] for row in run_sql("group_index", given=given, table_name="T2")] == [1]


def test_a_group_with_a_table_has_its_name_and_all_its_rows_cells_and_sums(run_sql_in_order):
    given = {**INDEXED, "noisy_totals": NO_TOTALS, "noisy_cells": TABLES}
    assert run_sql_in_order("group_index", given=given, table_name="T2") == [
        ("01003", "COUNTY", "0102", "COUNTY-2", "combination", False, None, "Irish", "T2", "age2", 6),
        ("44007", "COUNTY", "0102", "COUNTY-2", "combination", False, "Providence", "Irish", "T2", "age2", 6),
    ]


COUNTED = {
    "level_sizes": PUBLIC["level_sizes"],
    "statistic_cells": STATISTIC_CELLS,
    "statistic_sums": STATISTIC_SUMS,
    "noisy_totals": NO_TOTALS,
    "noisy_cells": """
        level_id | population_group_id | stat_level | cell_position | noisy_count
               2 |                   2 |          1 |             3 |           4
               2 |                   2 |          1 |             2 |          30
               2 |                   2 |          1 |             1 |         200
               2 |                   2 |          1 |             0 |       -1000
    """,
}


def test_each_cell_is_a_row_and_each_sum_adds_its_cells(run_sql):
    assert run_sql("ladder_counts", given=COUNTED) == [
        *((2, 2, 1, 0, -800, 2, 0, True), (2, 2, 1, 1, 34, 2, 0, True)),
        *((2, 2, 1, 2, -1000, 1, 0, False), (2, 2, 1, 3, 30, 1, 0, False)),
        *((2, 2, 1, 4, 200, 1, 0, False), (2, 2, 1, 5, 4, 1, 0, False)),
    ]


def test_totals_without_a_folder_of_their_own_are_rows_summed_or_alone(run_sql):
    cells = f"{STATISTIC_CELLS.rstrip()}\n0 | 0 | {TOTAL}"
    sums = STATISTIC_SUMS.rstrip() + "".join(f"\n1 | {cell} | 6" for cell in range(4))
    given = {**COUNTED, "statistic_cells": cells, "statistic_sums": sums, "noisy_totals": ONE_TOTAL}
    totals = [row for row in run_sql("ladder_counts", given=given) if row[3] == 6]
    assert totals == [(1, 0, 0, 6, 12, 1, 0, False), (2, 2, 1, 6, -766, 4, 0, True)]


def test_a_sum_of_one_cell_is_a_marginal_too(run_sql):
    sums = "stat_level | cell_position | row_id\n1 | 0 | 6"
    found = {row[3]: row[5:] for row in run_sql("ladder_counts", given={**COUNTED, "statistic_sums": sums})}
    assert (found[6], found[2]) == ((1, 0, True), (1, 0, False))


@pytest.mark.parametrize(("group", "position"), [("1 | 0", 0), ("1 | 1", 1), ("2 | 3", 0)])
def test_the_place_of_an_iteration_follows_from_the_number_of_the_group(run_sql, group, position):
    cells = f"level_id | population_group_id | stat_level | cell_position | noisy_count\n{group} | 1 | 0 | 7"
    assert {row[6] for row in run_sql("ladder_counts", given={**COUNTED, "noisy_cells": cells})} == {position}


def test_a_measurement_has_the_names_of_its_group_in_order(run_sql_in_order):
    measured = "level_id | population_group_id | stage_1 | stage_1_variance | estimate | low95 | high95"
    measured += "\n2 | 3 | 70 | 9.5 | 71.5 | 60 | 80\n1 | 1 | -10 | 8.5 | 2.0 | -5 | 9"
    assert run_sql_in_order("measurements", given={**NAMED_GROUPS, "noisy_measurements": measured}) == [
        ("44007", "COUNTY", "0102", 70, 9.5, 71.5, 60, 80),
        ("1", "USA", "0102", -10, 8.5, 2.0, -5, 9),
    ]


def test_every_iteration_of_a_suppressed_type_has_the_bound_of_its_kind_of_group_in_order(run_sql_in_order):
    totals = "level_id | is_total_only | suppressed_up_to | high95\n2 | true | 22 | 33"
    totals += "\n1 | false | 21 | 31\n1 | true | 20 | 29\n2 | false | 1 | 2"
    names = {name: PUBLIC[name] for name in ("levels", "ladder_iterations", "iterations")}
    rows = run_sql_in_order("suppressed", given={**names, "suppressed_totals": totals}, ladder_id=1)
    assert rows == [("COUNTY", "0102", 1, 2), ("USA", "0101", 20, 29), ("USA", "0102", 21, 31)]
