"""count_coverages: how many counts their margins of error cover."""

import pytest

from tests.sql.evaluated_tables import count_errors

ERRORS = count_errors(
    "COUNTY-2 | 10 | 1 | age4 | stage 2 | -3 | true | true | 0.96",
    "COUNTY-2 | 10 | 1 | age4 | stage 2 | 4 | true | true | 0.96",
    "COUNTY-2 | 100 | 0 | total | stage 2 | 12 | false | true | 0.98",
    "COUNTY-2 | 0 | 0 | total | stage 2 | 30 | false | false | 0.5",
    "COUNTY-2 | 0 | 0 | total | stage 2 | 8 | true | false | 0.25",
)


def coverage(run_sql, size_start: int | None, statistic: str | None, stat_level: int | None) -> tuple[object, ...]:
    rows = run_sql("count_coverages", given={"count_errors": ERRORS})
    (found,) = [row[4:] for row in rows if row[:4] == ("COUNTY-2", size_start, statistic, stat_level)]
    return found


def test_a_level_counts_free_and_small_counts_apart(run_sql):
    counts, _, covered, expected, *_, small, small_covered, small_expected = coverage(run_sql, None, None, None)
    assert (counts, covered, expected) == (3, pytest.approx(2 / 3), pytest.approx(2.9 / 3))
    assert (small, small_covered, small_expected) == (2, 0.5, 0.375)


def test_a_size_has_a_coverage_of_its_own(run_sql):
    assert coverage(run_sql, 10, None, None)[:3] == (2, 2.0, 1.0)
    assert coverage(run_sql, 100, None, None)[:3] == (1, 1.0, 0.0)


def test_a_statistic_has_an_observed_margin_and_deviation_of_its_free_counts(run_sql):
    assert coverage(run_sql, None, "age4", 1)[4:8] == (11.0, 4, 5.5, pytest.approx((25 / 2) ** 0.5))
    assert coverage(run_sql, None, "total", 0)[4:8] == (11.0, 12, 5.5, 12.0)


def test_the_observed_margin_is_one_of_the_errors_that_95_percent_of_them_do_not_exceed(run_sql):
    errors = [f"COUNTY-2 | 10 | 0 | total | stage 2 | {error} | true | true | 0.96" for error in range(-19, 1)]
    rows = run_sql("count_coverages", given={"count_errors": count_errors(*errors)})
    assert {row[9] for row in rows} == {18}


def test_sums_whose_table_was_measured_are_in_a_statistic_of_their_own_alone(run_sql):
    """Counts that share noise are worth fewer independent ones: 4 of which each shares it with 2 are worth 2."""
    of_sum = "COUNTY-2 | 10 | 1 | SEX of age4 | SEX of age4 | 2.5 | true | true | 0.95 | 1 | false | 4.5 | 4.0 | 2.0"
    cell = "COUNTY-2 | 10 | 1 | age4 | stage 2 | 3 | true | true | 0.96"
    rows = run_sql("count_coverages", given={"count_errors": count_errors(cell, *[of_sum] * 4)})
    assert {row[1:4]: row[4:6] for row in rows} == {
        (None, None, None): (1, 1.0),
        (10, None, None): (1, 1.0),
        (None, "age4", 1): (1, 1.0),
        (None, "SEX of age4", 1): (4, 2.0),
    }
