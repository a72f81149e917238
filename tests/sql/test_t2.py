"""t2: the published sex-by-age tables."""

import pytest

from tests.sql.published_tables import (
    COUNT_UNCERTAINTY,
    LADDER_ROWS,
    LADDER_STATISTICS,
    NAMED_GROUPS,
    NO_SELECTED_TOTALS,
)

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
    "published_regions": NAMED_GROUPS["published_regions"],
    "published_iterations": NAMED_GROUPS["published_iterations"],
    "count_uncertainty": COUNT_UNCERTAINTY,
    "ladder_rows": LADDER_ROWS,
    "ladder_statistics": LADDER_STATISTICS,
    "selected_totals": NO_SELECTED_TOTALS,
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
    cut = COUNT_UNCERTAINTY.replace("NULL", "   0")
    intervals = {row[4:7]: row[13:] for row in run_sql("t2", given={**GIVEN, "count_uncertainty": cut})}
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


@pytest.mark.parametrize(("table", "interval"), [("0 | 6 | 12 | 1", (3, 20)), ("1 | 6 | 12 | 4", (-2, 36))])
def test_a_total_that_is_a_row_has_an_interval_of_its_own_near_the_limit(run_sql, table, interval):
    given = {
        **GIVEN,
        "ladder_rows": f"{LADDER_ROWS.rstrip()}\n6 | * | * | * | NULL | NULL",
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
