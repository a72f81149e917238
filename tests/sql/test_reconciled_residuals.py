"""reconciled_residuals: how far each free reconciled count is from the exact one, and its own variance."""

HEAD = (
    "run | population_group_level | size_start | stat_level | noise | error | residual | is_covered | is_free"
    " | expected_coverage | variance\n"
)


def test_free_counts_with_a_variance_are_counted_by_their_error_and_it(run_sql):
    errors = HEAD + "\n".join(
        f"1 | COUNTY-2 | 10 | 0 | stage 2 | {error} | 9 | true | {free} | 0.95 | {variance}"
        for error, free, variance in [
            *((-3, "true", "20.5"), (-3, "true", "20.5"), (-3, "true", "21")),
            *((4, "true", "20.5"), (5, "false", "20.5"), (6, "true", "19"), (7, "true", "NULL")),
        ]
    )
    assert run_sql("reconciled_residuals", given={"count_errors": errors}, least_variance=20) == [
        ("COUNTY-2", -3, 20.5, 2),
        ("COUNTY-2", -3, 21.0, 1),
        ("COUNTY-2", 4, 20.5, 1),
    ]
