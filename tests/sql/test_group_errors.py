"""group_errors: the error report, in production's columns."""

from tests.sql.evaluated_tables import EVALUATED_GROUPS, count_errors


def test_errors_of_a_group_are_added_up_over_its_measured_counts_without_their_signs(run_sql):
    errors = count_errors(
        "01003 | COUNTY-2 | 10 | 1 | stage 2 | -3 | true | true | 0.96",
        "01003 | COUNTY-2 | 10 | 1 | stage 2 | 4 | true | true | 0.96",
        "44007 | COUNTY-2 | 0 | 0 | stage 2 | 30 | false | false | 0.5",
    )
    rows = run_sql("group_errors", given={"count_errors": errors, "evaluated_groups": EVALUATED_GROUPS})
    assert rows == [
        (1, "01003", "COUNTY", "0102", False, True, False, "COUNTY-2", 90, 1, 2, 7, 25),
        (1, "44007", "COUNTY", "0102", False, True, False, "COUNTY-2", 0, 0, 1, 30, 900),
    ]
