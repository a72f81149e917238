"""The statements of sql/tools/ground_truth and sql/tools/example: exact tables, and rows to begin with."""

import pytest

from tests.sql.published_tables import LADDER_ROWS, PUBLIC

NAMES = {name: PUBLIC[name] for name in ("level_regions", "ladder_iterations", "regions", "iterations")}
# Group 3 is county 44007: three boys, four girls, seven men.
ROWS = "population_group_id | row_id | is_total | exact_count\n" + "\n".join(
    f"3 | {row} | false | {count}" for row, count in enumerate((10, 4, 3, 4, 7))
)
DENSE = {**NAMES, "ladder_rows": LADDER_ROWS, "exact_rows": ROWS}


def groups(level: int, first: int, last: int) -> dict[str, int]:
    return {"ladder_id": 1, "level_id": level, "first_group_id": first, "last_group_id": last}


def test_rows_come_by_group_and_in_order_and_a_total_is_one_where_totals_are_rows(run_sql_in_order):
    cells, totals = (f"stat_level | cell_position | row_id\n{row}" for row in ("1 | 0 | 2", "0 | 0 | 0"))
    rows = run_sql_in_order("ground_truth_t2", given={**DENSE, "statistic_cells": cells}, ladder_id=1)
    assert [row[3:6] for row in rows[:4]] == [("*", "*", "1"), ("*", "*", "2"), ("0", "17", "1"), ("0", "17", "2")]
    rows = run_sql_in_order("ground_truth_t2", given={**DENSE, "statistic_cells": totals}, ladder_id=1)
    assert [row for row in rows if row[2] == "0101"] == [("1", "USA", "0101", "*", "*", "1", 0)]


def test_sparse_rows_are_those_of_the_dense_table_that_are_not_zero_and_totals_alone_in_its_order(run_sql_in_order):
    cells, (head, *rows) = "stat_level | cell_position | row_id\n1 | 0 | 2", ROWS.splitlines()
    dense = run_sql_in_order("ground_truth_t2", given={**DENSE, "statistic_cells": cells}, ladder_id=1)
    given = {**DENSE, "level_sizes": PUBLIC["level_sizes"], "exact_rows": "\n".join([head, *rows[::-1]])}
    assert run_sql_in_order("sparse_t2", given=given, **groups(2, 2, 3)) == [row for row in dense if row[-1]]
    given["exact_rows"] = f"{head}\n0 | 0 | true | 9\n0 | 1 | false | 5"
    assert [row[-1] for row in run_sql_in_order("sparse_t2", given=given, **groups(1, 0, 1))] == [9]


@pytest.mark.parametrize(("floor", "people"), [(8, {1}), (9, set())], ids=["a group at the floor", "fewer people"])
def test_a_group_from_the_floor_on_has_every_statistic_unless_it_gets_a_total_alone(run_sql, floor, people):
    given = {name: PUBLIC[name] for name in ("level_sizes", "ladder_iterations")}
    given["group_totals"] = "population_group_id | exact_count\n0 | 900\n1 | 8\n3 | 9"
    values = {**groups(1, 0, 1), "first_statistic": 4, "end_statistic": 7, "table_floor": floor}
    rows = run_sql("plausible_tables", given=given, **values)
    assert rows == [(1, group, statistic) for group in sorted(people) for statistic in (4, 5, 6)]


@pytest.mark.parametrize(
    ("level", "found"),
    [((1, 0, 1), ("1", "USA", "0102", 8)), ((2, 2, 3), ("44007", "COUNTY", "0102", 5))],
    ids=["first level", "last level"],
)
def test_the_groups_of_a_level_that_have_people_are_named_and_no_others(run_sql, level, found):
    given = {
        **NAMES,
        "level_sizes": PUBLIC["level_sizes"],
        "group_totals": "population_group_id | exact_count\n1 | 8\n3 | 5",
    }
    assert run_sql("sparse_t1", given=given, **groups(*level)) == [found]


def test_each_type_has_the_iterations_of_its_levels(run_sql_in_order):
    given = {name: PUBLIC[name] for name in ("levels", "level_iterations", "iterations")}
    rows = run_sql_in_order("tabulated_iterations", given=given)
    assert rows == [("COUNTY", "0102"), ("USA", "0101"), ("USA", "0102")]


T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT:bigint | MOE95:double
            1 |         USA |           0001 |        0 |     17 |   1 |           99 |          2.0
            1 |         USA |           0001 |        0 |     17 |   2 |           98 |          2.0
            1 |         USA |           0002 |        * |      * |   1 |          150 |          4.0
            1 |         USA |           0002 |       18 |    115 |   2 |          100 |          2.0
            1 |         USA |           0002 |       18 |    115 |   1 |           50 |          2.0
            1 |         USA |           0002 |        5 |     17 |   1 |          100 |          2.0
            1 |         USA |           0003 |        0 |     17 |   1 |           70 |          3.0
            1 |         USA |           0003 |        0 |     17 |   2 |           60 |          3.0
            1 |         USA |           0004 |        0 |     17 |   2 |           40 |          3.0
            1 |         USA |           0005 |        0 |     17 |   2 |           30 |          3.0
           44 |       STATE |           0001 |        0 |     17 |   1 |          999 |          2.0
            1 |         USA |           0102 |        0 |     17 |   1 |          997 |          2.0
            1 |         USA |           3001 |        0 |     17 |   1 |          998 |          2.0
"""


def test_six_cells_of_the_four_largest_groups_of_the_nation_in_combination_are_shown(run_sql_in_order, write_parquet):
    names = {"0001": "English", "0002": "Irish", "0003": "Welsh", "0004": "Manxer", "0005": "Cornish"}
    lines = [f"USA | {code} | {name} | combination" for code, name in names.items()]
    lines += ["USA | 0102 | Irish | alone", "USA | 3001 | Mexican | ethnicity", "STATE | 0001 | English | combination"]
    index = "\n".join(["REGION_TYPE | ITERATION_CODE | ITERATION_NAME | ITERATION_KIND", *lines])
    files = [write_parquet(T2, "t2.parquet")]
    assert run_sql_in_order("example_rows", t2_files=files, given={"group_index": index}) == [
        ("USA", "1", "Irish", "5-17", "male", 100, 2.0),
        ("USA", "1", "Irish", "18-115", "female", 100, 2.0),
        ("USA", "1", "English", "0-17", "male", 99, 2.0),
        ("USA", "1", "English", "0-17", "female", 98, 2.0),
        ("USA", "1", "Welsh", "0-17", "male", 70, 3.0),
        ("USA", "1", "Manxer", "0-17", "female", 40, 3.0),
    ]
