"""t2: the published sex-by-age tables."""

from tests.sql.published_tables import (
    COUNT_UNCERTAINTY,
    LADDER_ROWS,
    LADDER_STATISTICS,
    NO_SELECTED_TOTALS,
    NO_TOTALS,
    PUBLISHED_GROUPS,
    STATISTIC_CELLS,
    STATISTIC_SUMS,
)

GIVEN = {
    "published_groups": PUBLISHED_GROUPS,
    "count_uncertainty": COUNT_UNCERTAINTY,
    "statistic_cells": STATISTIC_CELLS,
    "statistic_sums": STATISTIC_SUMS,
    "ladder_rows": LADDER_ROWS,
    "ladder_statistics": LADDER_STATISTICS,
    "noisy_totals": NO_TOTALS,
    "selected_totals": NO_SELECTED_TOTALS,
    "noisy_cells": """
        level_id | population_group_id | stat_level | cell_position | noisy_count
        ---------+---------------------+------------+---------------+------------
               2 |                   2 |          1 |             3 |           4
               2 |                   2 |          1 |             2 |          30
               2 |                   2 |          1 |             1 |         200
               2 |                   2 |          1 |             0 |       -1000
    """,
}


def test_each_cell_is_published_with_its_sex_and_ages(run_sql):
    cells = [row[4:8] for row in run_sql("t2", given=GIVEN) if row[4] != "*"]
    assert cells == [("0", "17", "1", -1000), ("0", "17", "2", 30), ("18", "115", "1", 200), ("18", "115", "2", 4)]


def test_the_marginal_of_each_sex_is_the_sum_of_its_cells(run_sql):
    marginals = [row[4:8] for row in run_sql("t2", given=GIVEN) if row[4] == "*"]
    assert marginals == [("*", "*", "1", -800), ("*", "*", "2", 34)]


def test_the_uncertainty_of_a_cell_is_that_of_one_count(run_sql):
    assert {row[8:10] for row in run_sql("t2", given=GIVEN) if row[4] != "*"} == {(21.5, 5.0)}


def test_the_uncertainty_of_a_marginal_is_that_of_the_cells_it_sums(run_sql):
    assert {row[8:10] for row in run_sql("t2", given=GIVEN) if row[4] == "*"} == {(22.5, 6.0)}


def test_the_interval_of_a_row_has_the_sides_of_its_kind(run_sql):
    intervals = {row[4:7]: row[10:] for row in run_sql("t2", given=GIVEN)}
    assert intervals["18", "115", "1"] == (200 - 15, 200 + 25)
    assert intervals["*", "*", "2"] == (34 - 16, 34 + 26)


def test_an_interval_is_cut_where_none_may_go_below(run_sql):
    cut = COUNT_UNCERTAINTY.replace("NULL", "   0")
    intervals = {row[4:7]: row[10:] for row in run_sql("t2", given={**GIVEN, "count_uncertainty": cut})}
    assert (intervals["18", "115", "2"], intervals["0", "17", "1"]) == ((0, 4 + 25), (0, 0))


def test_the_two_marginals_come_first_and_then_each_age_by_sex(run_sql_in_order):
    rows = run_sql_in_order("t2", given=GIVEN)
    assert [row[4:7] for row in rows] == [
        ("*", "*", "1"),
        ("*", "*", "2"),
        ("0", "17", "1"),
        ("0", "17", "2"),
        ("18", "115", "1"),
        ("18", "115", "2"),
    ]


def test_a_row_names_the_statistic_that_the_group_got(run_sql):
    assert {row[3] for row in run_sql("t2", given=GIVEN)} == {"age2"}


TOTAL = "6 | * | * | *"


def test_totals_without_a_folder_of_their_own_are_rows_summed_or_alone(run_sql):
    given = {
        **GIVEN,
        "ladder_rows": f"{LADDER_ROWS.rstrip()}\n{TOTAL}",
        "statistic_cells": f"{STATISTIC_CELLS.rstrip()}\n0 | 0 | {TOTAL}",
        "statistic_sums": STATISTIC_SUMS.rstrip() + "".join(f"\n1 | {cell} | 6" for cell in range(4)),
        "noisy_totals": "level_id | population_group_id | noisy_count\n-\n1 | 0 | 12",
        "selected_totals": "level_id | is_total_only | noisy_count | low95 | high95\n-\n1 | true | 12 | 3 | 20",
    }
    found = [row for row in run_sql("t2", given=given) if row[6] == "*"]
    assert found == [
        ("01003", "COUNTY", "0102", "age2", "*", "*", "*", -766, 24.5, 7.0, 0, 0),
        ("1", "USA", "0101", "total", "*", "*", "*", 12, 10.5, 1.0, 3, 20),
    ]


def test_groups_come_by_region_type_region_and_iteration(run_sql_in_order):
    groups = ((1, 1), (2, 3), (2, 2))
    noisy = "level_id | population_group_id | stat_level | cell_position | noisy_count\n-\n" + "\n".join(
        f"{level} | {group} | 1 | 0 | 1" for level, group in groups
    )
    rows = run_sql_in_order("t2", given={**GIVEN, "noisy_cells": noisy})
    assert [row[:3] for row in rows if row[4] == "0"] == [
        ("01003", "COUNTY", "0102"),
        ("44007", "COUNTY", "0102"),
        ("1", "USA", "0102"),
    ]
