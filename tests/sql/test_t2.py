"""t2: the published sex-by-age tables."""

from tests.sql.published_tables import COUNT_UNCERTAINTY, PUBLISHED_GROUPS, STATISTIC_CELLS

GIVEN = {
    "published_groups": PUBLISHED_GROUPS,
    "count_uncertainty": COUNT_UNCERTAINTY,
    "statistic_cells": STATISTIC_CELLS,
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
    cells = [row[3:7] for row in run_sql("t2", given=GIVEN) if row[3] != "*"]
    assert cells == [("0", "17", "1", -1000), ("0", "17", "2", 30), ("18", "115", "1", 200), ("18", "115", "2", 4)]


def test_the_marginal_of_each_sex_is_the_sum_of_its_cells(run_sql):
    marginals = [row[3:7] for row in run_sql("t2", given=GIVEN) if row[3] == "*"]
    assert marginals == [("*", "*", "1", -800), ("*", "*", "2", 34)]


def test_the_uncertainty_of_a_cell_is_that_of_one_count(run_sql):
    assert {row[7:9] for row in run_sql("t2", given=GIVEN) if row[3] != "*"} == {(21.5, 5.0)}


def test_the_uncertainty_of_a_marginal_is_that_of_the_cells_it_sums(run_sql):
    assert {row[7:9] for row in run_sql("t2", given=GIVEN) if row[3] == "*"} == {(22.5, 6.0)}


def test_the_interval_of_a_row_has_the_sides_of_its_kind(run_sql):
    intervals = {row[3:6]: row[9:] for row in run_sql("t2", given=GIVEN)}
    assert intervals["18", "115", "1"] == (200 - 15, 200 + 25)
    assert intervals["*", "*", "2"] == (34 - 16, 34 + 26)


def test_an_interval_is_cut_where_none_may_go_below(run_sql):
    cut = COUNT_UNCERTAINTY.replace("NULL", "   0")
    intervals = {row[3:6]: row[9:] for row in run_sql("t2", given={**GIVEN, "count_uncertainty": cut})}
    assert (intervals["18", "115", "2"], intervals["0", "17", "1"]) == ((0, 4 + 25), (0, 0))


def test_the_two_marginals_come_first_and_then_each_age_by_sex(run_sql_in_order):
    rows = run_sql_in_order("t2", given=GIVEN)
    assert [row[3:6] for row in rows] == [
        ("*", "*", "1"),
        ("*", "*", "2"),
        ("0", "17", "1"),
        ("0", "17", "2"),
        ("18", "115", "1"),
        ("18", "115", "2"),
    ]


def test_ages_come_in_the_order_of_numbers(run_sql_in_order):
    cells = """
        stat_level | cell_position | sex | age_start | age_end
        -----------+---------------+-----+-----------+--------
                 2 |             0 |   1 |        18 |     115
                 2 |             1 |   1 |         5 |      17
    """
    noisy = """
        level_id | population_group_id | stat_level | cell_position | noisy_count
        ---------+---------------------+------------+---------------+------------
               2 |                   2 |          2 |             0 |           1
               2 |                   2 |          2 |             1 |           1
    """
    rows = run_sql_in_order("t2", given={**GIVEN, "statistic_cells": cells, "noisy_cells": noisy})
    assert [row[3] for row in rows] == ["*", "5", "18"]


def test_groups_come_by_region_type_region_and_iteration(run_sql_in_order):
    groups = ((1, 1), (2, 3), (2, 2))
    noisy = "level_id | population_group_id | stat_level | cell_position | noisy_count\n-\n" + "\n".join(
        f"{level} | {group} | 1 | 0 | 1" for level, group in groups
    )
    rows = run_sql_in_order("t2", given={**GIVEN, "noisy_cells": noisy})
    assert [row[:3] for row in rows if row[3] == "0"] == [
        ("01003", "COUNTY", "0102"),
        ("44007", "COUNTY", "0102"),
        ("1", "USA", "0102"),
    ]
