"""t1: the published totals."""

import pytest

from tests.sql.published_tables import COUNT_UNCERTAINTY, NAMED_GROUPS, NO_CELLS, NO_SELECTED_TOTALS, NO_TOTALS

NAMES = {**NAMED_GROUPS, "count_uncertainty": COUNT_UNCERTAINTY, "selected_totals": NO_SELECTED_TOTALS}
CELLS = """
    level_id | population_group_id | stat_level | cell_position | noisy_count
           2 |                   2 |          1 |             0 |         100
           2 |                   2 |          1 |             1 |         -30
           2 |                   2 |          1 |             2 |           0
           2 |                   2 |          1 |             3 |           5
"""


def test_a_noisy_total_is_published_as_it_is_and_else_the_sum_of_the_cells(run_sql):
    totals = """
        level_id | population_group_id | noisy_count
               1 |                   0 |         -12
    """
    rows = run_sql("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": NO_CELLS})
    assert [row[:4] for row in rows] == [("1", "USA", "0101", -12)]
    rows = run_sql("t1", given={**NAMES, "noisy_totals": NO_TOTALS, "noisy_cells": CELLS})
    assert [row[:4] for row in rows] == [("01003", "COUNTY", "0102", 75)]


@pytest.mark.parametrize(
    ("group", "uncertainty"),
    [("1 | 0", (10.5, 1.0)), ("1 | 1", (11.5, 2.0)), ("2 | 3", (21.5, 5.0))],
    ids=["total only", "stat level 0", "another level"],
)
def test_the_uncertainty_of_a_total_is_that_of_one_count_of_its_kind(run_sql, group, uncertainty):
    totals = f"level_id | population_group_id | noisy_count\n{group} | 7"
    rows = run_sql("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": NO_CELLS})
    assert [row[4:6] for row in rows] == [uncertainty]


def test_the_uncertainty_of_a_summed_total_is_that_of_all_its_cells(run_sql):
    rows = run_sql("t1", given={**NAMES, "noisy_totals": NO_TOTALS, "noisy_cells": CELLS})
    assert [row[4:6] for row in rows] == [(24.5, 7.0)]


def test_rows_come_by_region_type_region_and_iteration(run_sql_in_order):
    totals = """
        level_id | population_group_id | noisy_count
               1 |                   1 |           1
               2 |                   3 |           1
               1 |                   0 |           1
    """
    rows = run_sql_in_order("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": CELLS})
    assert [row[:3] for row in rows] == [
        *(("01003", "COUNTY", "0102"), ("44007", "COUNTY", "0102"), ("1", "USA", "0101"), ("1", "USA", "0102"))
    ]


def test_the_interval_of_a_total_has_the_sides_of_its_kind(run_sql):
    totals = "level_id | population_group_id | noisy_count\n1 | 0 | 7"
    rows = run_sql("t1", given={**NAMES, "noisy_totals": totals, "noisy_cells": NO_CELLS})
    assert [row[6:] for row in rows] == [(7 - 11, 7 + 21)]


@pytest.mark.parametrize(("cell", "interval"), [(9, (0, 36)), (-90, (0, 0))], ids=["one end", "both ends"])
def test_an_interval_is_cut_where_none_may_go_below(run_sql, cell, interval):
    cells = CELLS.replace("100", str(cell)).replace("-30", "0").replace("5\n", "0\n")
    rows = run_sql("t1", given={**NAMES, "noisy_totals": NO_TOTALS, "noisy_cells": cells})
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
    given = {**NAMES, "selected_totals": SELECTED, "noisy_totals": totals, "noisy_cells": NO_CELLS}
    assert [row[6:] for row in run_sql("t1", given=given)] == [interval]


def test_a_sum_of_cells_is_not_near_the_limit_of_totals_alone(run_sql):
    given = {**NAMES, "selected_totals": SELECTED, "noisy_totals": NO_TOTALS, "noisy_cells": CELLS}
    assert [row[6:] for row in run_sql("t1", given=given)] == [(75 - 17, 75 + 27)]
