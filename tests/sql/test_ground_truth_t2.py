"""ground_truth_t2: the exact sex-by-age tables of every population group that may get one."""

from collections import Counter

from tests.sql.published_tables import PUBLIC
from tests.sql.test_exact_bins import CELLS, ROWS

# Group 3 is county 44007.
BINS = "population_group_id | sex | age_start | age_end | exact_count\n-\n" + "\n".join(
    " | ".join("NULL" if value is None else str(value) for value in row) for row in ROWS
)
GIVEN = {
    **{name: PUBLIC[name] for name in ("level_regions", "level_iterations", "regions", "iterations")},
    "statistic_cells": CELLS,
    "exact_bins": BINS,
}


def test_a_bin_that_two_statistics_share_stands_once(run_sql):
    bins = [row[3:6] for row in run_sql("ground_truth_t2", given=GIVEN) if row[0] == "44007"]
    assert Counter(bins).most_common(1)[0][1] == 1


def test_every_group_that_may_get_a_table_has_every_bin_and_both_marginals(run_sql):
    rows = Counter(row[:3] for row in run_sql("ground_truth_t2", given=GIVEN))
    assert rows == {("1", "USA", "0102"): 10, ("01003", "COUNTY", "0102"): 10, ("44007", "COUNTY", "0102"): 10}


def test_bins_with_people_have_their_count_and_those_without_have_zero(run_sql):
    counts = {row[3:6]: row[6] for row in run_sql("ground_truth_t2", given=GIVEN) if row[0] == "44007"}
    assert counts == {
        ("*", "*", "1"): 10,
        ("*", "*", "2"): 4,
        ("0", "17", "1"): 3,
        ("0", "17", "2"): 4,
        ("18", "115", "1"): 7,
        ("18", "115", "2"): 0,
        ("18", "44", "1"): 2,
        ("18", "44", "2"): 0,
        ("45", "115", "1"): 5,
        ("45", "115", "2"): 0,
    }


def test_rows_come_by_group_age_and_sex_with_the_marginals_first(run_sql_in_order):
    rows = run_sql_in_order("ground_truth_t2", given=GIVEN)
    assert [row[3:6] for row in rows[:6]] == [
        ("*", "*", "1"),
        ("*", "*", "2"),
        ("0", "17", "1"),
        ("0", "17", "2"),
        ("18", "44", "1"),
        ("18", "44", "2"),
    ]
