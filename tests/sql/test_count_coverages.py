"""count_coverages: how many counts their margins of error cover."""

import pytest

from tests.sql.evaluated_tables import count_errors

ERRORS = count_errors(
    "COUNTY-2 | 10 | 1 | stage 2 | -3 | true | true | 0.96",
    "COUNTY-2 | 10 | 1 | stage 2 | 4 | true | true | 0.96",
    "COUNTY-2 | 100 | 0 | stage 2 | 12 | false | true | 0.98",
    "COUNTY-2 | 0 | 0 | stage 2 | 30 | false | false | 0.5",
    "COUNTY-2 | 0 | 0 | stage 2 | 8 | true | false | 0.25",
)


def coverage(run_sql, size_start: int | None, noise: str | None, stat_level: int | None) -> tuple[object, ...]:
    rows = run_sql("count_coverages", given={"count_errors": ERRORS})
    (found,) = [row[4:] for row in rows if row[:4] == ("COUNTY-2", size_start, noise, stat_level)]
    return found


def test_levels_sizes_and_statistics_have_coverages_of_their_own_free_counts_and_small_ones_apart(run_sql):
    counts, covered, expected, *_, small, small_covered, small_expected = coverage(run_sql, None, None, None)
    assert (counts, covered, expected) == (3, pytest.approx(2 / 3), pytest.approx(2.9 / 3))
    assert (small, small_covered, small_expected) == (2, 0.5, 0.375)
    assert coverage(run_sql, 10, None, None)[:2] == (2, 1.0)
    assert coverage(run_sql, 100, None, None)[:2] == (1, 0.0)
    assert coverage(run_sql, None, "stage 2", 1)[3:5] == (4, pytest.approx((25 / 2) ** 0.5))
    assert coverage(run_sql, None, "stage 2", 0)[3:5] == (12, 12.0)


def test_the_observed_margin_is_one_of_the_errors_that_95_percent_of_them_do_not_exceed(run_sql):
    errors = [f"COUNTY-2 | 10 | 0 | stage 2 | {error} | true | true | 0.96" for error in range(-19, 1)]
    rows = run_sql("count_coverages", given={"count_errors": count_errors(*errors)})
    assert {row[7] for row in rows} == {18}
