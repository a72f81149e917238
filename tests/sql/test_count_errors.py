"""count_errors: the error of every measured count, and how often it should lie within its margin."""

import pytest

from tests.sql.evaluated_tables import EVALUATED_GROUPS, NOISE_LAWS

SMALL_COVERAGES = """
    population_group_level |   noise | is_total | exact_count | expected_coverage
                  COUNTY-2 | stage 2 |     true |          49 |              0.91
                  COUNTY-2 | stage 2 |     true |          19 |              0.61
                  COUNTY-2 | stage 2 |    false |          19 |              0.81
"""


def error(run_sql, stat_level: int, noisy: int, exact: int) -> tuple[object, ...]:
    head = (
        "run | region_id | region_type | iteration_code | stat_level | noisy_count | drawn_count | exact_count | moe95"
        " | variance"
    )
    counts = f"{head}\n1 | 01003 | COUNTY | 0102 | {stat_level} | {noisy} | {noisy + 1} | {exact} | 11 | 9.5"
    tables = {"evaluated_groups": EVALUATED_GROUPS, "noise_laws": NOISE_LAWS, "small_coverages": SMALL_COVERAGES}
    (row,) = run_sql("count_errors", given={"measured_counts": counts, **tables})
    return row


def test_an_error_is_noisy_minus_exact_and_a_residual_what_was_drawn_minus_exact(run_sql):
    found = error(run_sql, 1, 80, 90)
    assert found == (1, "COUNTY-2", 10, 1, "stage 2", -10, -9, True, True, 0.96, 9.5)


@pytest.mark.parametrize(("noisy", "is_covered"), [(101, True), (102, False), (79, True), (78, False)])
def test_a_count_is_covered_up_to_its_margin_and_no_further(run_sql, noisy, is_covered):
    assert error(run_sql, 1, noisy, 90)[7] is is_covered


@pytest.mark.parametrize(
    ("stat_level", "exact", "is_free", "chance"),
    [(0, 50, True, 0.96), (0, 49, False, 0.91), (1, 20, True, 0.96), (1, 19, False, 0.81), (0, 19, False, 0.61)],
)
def test_small_counts_have_chances_of_their_own_and_cells_others_than_totals(
    run_sql, stat_level, exact, is_free, chance
):
    assert error(run_sql, stat_level, exact, exact)[-3:-1] == (is_free, chance)
