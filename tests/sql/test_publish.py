"""The statements of sql/run/6_publish: totals, tables, rows of a ladder, index, measurements, bounds."""

import pytest

from tests.sql import published_tables as tables

NAMES = {
    **tables.NAMED_GROUPS,
    "count_uncertainty": tables.COUNT_UNCERTAINTY,
    "selected_totals": tables.NO_SELECTED_TOTALS,
}
CELLS = """
    level_id | population_group_id | stat_level | cell_position | noisy_count
           2 |                   2 |          1 |             0 |         100
           2 |                   2 |          1 |             1 |         -30
           2 |                   2 |          1 |             2 |           0
           2 |                   2 |          1 |             3 |           5
"""


def test_a_noisy_total_is_published_as_it_is_and_else_the_sum_of_the_cells(run_sql):
    totals = "level_id | population_group_id | noisy_count\n1 | 0 | -12"
    rows = run_sql("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": tables.NO_CELLS})
    assert [row[:4] for row in rows] == [("1", "USA", "0101", -12)]
    rows = run_sql("t1", given={**NAMES, "noisy_totals": tables.NO_TOTALS, "noisy_cells": CELLS})
    assert [row[:6] for row in rows] == [("01003", "COUNTY", "0102", 75, 24.5, 7.0)]  # of all its cells


@pytest.mark.parametrize(
    ("group", "uncertainty"),
    [("1 | 0", (10.5, 1.0, -4, 28)), ("1 | 1", (11.5, 2.0, -5, 29)), ("2 | 3", (21.5, 5.0, -8, 32))],
    ids=["total only", "stat level 0", "another level"],
)
def test_the_uncertainty_and_the_interval_of_a_total_are_those_of_one_count_of_its_kind(run_sql, group, uncertainty):
    totals = f"level_id | population_group_id | noisy_count\n{group} | 7"
    rows = run_sql("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": tables.NO_CELLS})
    assert [row[4:] for row in rows] == [uncertainty]


def test_rows_come_by_region_type_region_and_iteration(run_sql_in_order):
    totals = "level_id | population_group_id | noisy_count\n1 | 1 | 1\n2 | 3 | 1\n1 | 0 | 1"
    rows = run_sql_in_order("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": CELLS})
    assert [row[:3] for row in rows] == [
        *(("01003", "COUNTY", "0102"), ("44007", "COUNTY", "0102"), ("1", "USA", "0101"), ("1", "USA", "0102"))
    ]


@pytest.mark.parametrize(("cell", "interval"), [(9, (0, 36)), (-90, (0, 0))], ids=["one end", "both ends"])
def test_an_interval_is_cut_where_none_may_go_below(run_sql, cell, interval):
    cells = CELLS.replace("100", str(cell)).replace("-30", "0").replace("5\n", "0\n")
    rows = run_sql("t1", given={**NAMES, "noisy_totals": tables.NO_TOTALS, "noisy_cells": cells})
    assert [row[6:] for row in rows] == [interval]


SELECTED = """
    level_id | is_total_only | noisy_count | low95 | high95
           2 |         false |          75 |    50 |     80
           2 |          true |          76 |     1 |      2
"""


@pytest.mark.parametrize(
    ("count", "interval"), [(75, (50, 80)), (76, (61, 101))], ids=["near the limit", "another kind of group"]
)
def test_a_total_alone_near_the_limit_has_an_interval_of_its_own(run_sql, count, interval):
    totals = f"level_id | population_group_id | noisy_count\n2 | 3 | {count}"
    given = {**NAMES, "selected_totals": SELECTED, "noisy_totals": totals, "noisy_cells": tables.NO_CELLS}
    assert [row[6:] for row in run_sql("t1", given=given)] == [interval]


ONE_CELL = f"{CELLS.splitlines()[1]}\n2 | 2 | 1 | 0 | 75"


@pytest.mark.parametrize(("cells", "interval"), [(CELLS, (75 - 17, 75 + 27)), (ONE_CELL, (75 - 15, 75 + 25))])
def test_a_sum_of_cells_is_not_near_the_limit_of_totals_alone(run_sql, cells, interval):
    given = {**NAMES, "selected_totals": SELECTED, "noisy_totals": tables.NO_TOTALS, "noisy_cells": cells}
    assert [row[6:] for row in run_sql("t1", given=given)] == [interval]


# A table of four cells, and the sum of each sex.
COUNTS = """
  level_id | population_group_id | stat_level | row_id | noisy_count | summed_counts | iteration_position | is_marginal
         2 |                   2 |          1 |      5 |           4 |             1 |                  0 |       false
         2 |                   2 |          1 |      3 |          30 |             1 |                  0 |       false
         2 |                   2 |          1 |      4 |         200 |             1 |                  0 |       false
         2 |                   2 |          1 |      2 |       -1000 |             1 |                  0 |       false
         2 |                   2 |          1 |      0 |        -800 |             2 |                  0 |        true
         2 |                   2 |          1 |      1 |          34 |             2 |                  0 |        true
"""
GIVEN = {
    "published_regions": tables.NAMED_GROUPS["published_regions"],
    "published_iterations": tables.NAMED_GROUPS["published_iterations"],
    "count_uncertainty": tables.COUNT_UNCERTAINTY,
    "ladder_rows": tables.LADDER_ROWS,
    "ladder_statistics": tables.LADDER_STATISTICS,
    "selected_totals": tables.NO_SELECTED_TOTALS,
    "ladder_counts": COUNTS,
}


def test_cells_and_marginals_have_ages_uncertainty_and_intervals_of_their_own_kind(run_sql):
    rows = run_sql("t2", given=GIVEN)
    assert {(row[4:6], row[7:9]) for row in rows if not row[9]} == {(("0", "17"), (0, 17)), (("18", "115"), (18, 115))}
    assert [row[4:9] for row in rows if row[9]] == [("*", "*", sex, None, None) for sex in "12"]
    assert {row[11:13] for row in run_sql("t2", given=GIVEN) if row[4] != "*"} == {(21.5, 5.0)}
    assert {row[11:13] for row in run_sql("t2", given=GIVEN) if row[4] == "*"} == {(22.5, 6.0)}
    intervals = {row[4:7]: row[13:] for row in run_sql("t2", given=GIVEN)}
    assert intervals["18", "115", "1"] == (200 - 15, 200 + 25)
    assert intervals["*", "*", "2"] == (34 - 16, 34 + 26)
    cut = tables.COUNT_UNCERTAINTY.replace("NULL", "   0")
    intervals = {row[4:7]: row[13:] for row in run_sql("t2", given={**GIVEN, "count_uncertainty": cut})}
    assert (intervals["18", "115", "2"], intervals["0", "17", "1"]) == ((0, 4 + 25), (0, 0))


def test_the_two_marginals_come_first_and_then_each_age_by_sex(run_sql_in_order):
    rows = run_sql_in_order("t2", given=GIVEN)
    ages = (("*", "*"), ("0", "17"), ("18", "115"))
    assert [row[4:7] for row in rows] == [(*its, sex) for its in ages for sex in "12"]


@pytest.mark.parametrize(("table", "interval"), [("0 | 6 | 12 | 1", (3, 20)), ("1 | 6 | 12 | 4", (-2, 36))])
def test_a_total_that_is_a_row_has_an_interval_of_its_own_near_the_limit(run_sql, table, interval):
    given = {
        **GIVEN,
        "ladder_rows": f"{tables.LADDER_ROWS.rstrip()}\n6 | * | * | * | NULL | NULL",
        "ladder_counts": f"{COUNTS.splitlines()[1]}\n1 | 1 | {table} | 1 | true",
        "selected_totals": "level_id | is_total_only | noisy_count | low95 | high95\n1 | false | 12 | 3 | 20",
    }
    assert [row[13:] for row in run_sql("t2", given=given)] == [interval]


def test_groups_come_by_region_type_region_and_iteration(run_sql_in_order):
    groups = ("1 | 1", "2 | 3", "2 | 2")
    rows = [f"{group} | 1 | 2 | 1 | 1 | {position} | false" for group, position in zip(groups, (1, 0, 0), strict=True)]
    counts = "\n".join([COUNTS.splitlines()[1], *rows])
    published = run_sql_in_order("t2", given={**GIVEN, "ladder_counts": counts})
    assert [row[:3] for row in published] == [
        *(("01003", "COUNTY", "0102"), ("44007", "COUNTY", "0102"), ("1", "USA", "0102"))
    ]


TOTAL = "6 | * | * | *"
INDEXED = {
    **tables.NAMED_GROUPS,
    **{name: tables.PUBLIC[name] for name in ("levels", "regions")},
    "ladder_statistics": tables.LADDER_STATISTICS,
    "statistic_cells": tables.STATISTIC_CELLS,
    "statistic_sums": tables.STATISTIC_SUMS,
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
    given = {**INDEXED, "noisy_totals": ONE_TOTAL, "noisy_cells": tables.NO_CELLS}
    assert run_sql("group_index", given=given, table_name="T2") == [
        ("1", "USA", "0101", "USA-1", "alone", True, None, "Irish alone", "T2", "total", 0)
    ]
    given["statistic_cells"] = f"stat_level | cell_position | row_id | AGESTART | AGEEND | SEX\n0 | 0 | {TOTAL}"
    assert [row[-1] for row in run_sql("group_index", given=given, table_name="T2")] == [1]


def test_a_group_with_a_table_has_its_name_and_all_its_rows_cells_and_sums(run_sql_in_order):
    given = {**INDEXED, "noisy_totals": tables.NO_TOTALS, "noisy_cells": TABLES}
    assert run_sql_in_order("group_index", given=given, table_name="T2") == [
        ("01003", "COUNTY", "0102", "COUNTY-2", "combination", False, None, "Irish", "T2", "age2", 6),
        ("44007", "COUNTY", "0102", "COUNTY-2", "combination", False, "Providence", "Irish", "T2", "age2", 6),
    ]


COUNTED = {
    "level_sizes": tables.PUBLIC["level_sizes"],
    "statistic_cells": tables.STATISTIC_CELLS,
    "statistic_sums": tables.STATISTIC_SUMS,
    "noisy_totals": tables.NO_TOTALS,
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
    cells = f"{tables.STATISTIC_CELLS.rstrip()}\n0 | 0 | {TOTAL}"
    sums = tables.STATISTIC_SUMS.rstrip() + "".join(f"\n1 | {cell} | 6" for cell in range(4))
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
    assert run_sql_in_order("measurements", given={**tables.NAMED_GROUPS, "noisy_measurements": measured}) == [
        ("44007", "COUNTY", "0102", 70, 9.5, 71.5, 60, 80),
        ("1", "USA", "0102", -10, 8.5, 2.0, -5, 9),
    ]


def test_every_iteration_of_a_suppressed_type_has_the_bound_of_its_kind_of_group_in_order(run_sql_in_order):
    totals = "level_id | is_total_only | suppressed_up_to | high95\n2 | true | 22 | 33"
    totals += "\n1 | false | 21 | 31\n1 | true | 20 | 29\n2 | false | 1 | 2"
    names = {name: tables.PUBLIC[name] for name in ("levels", "ladder_iterations", "iterations")}
    rows = run_sql_in_order("suppressed", given={**names, "suppressed_totals": totals}, ladder_id=1)
    assert rows == [("COUNTY", "0102", 1, 2), ("USA", "0101", 20, 29), ("USA", "0102", 21, 31)]
