"""residuals: how often each error occurs among the free counts of a law of noise."""

from tests.sql.evaluated_tables import count_errors


def test_free_counts_of_one_law_are_pooled_whatever_their_size_and_statistic(run_sql):
    errors = count_errors(
        "COUNTY-2 | 10 | 1 | stage 2 | -3 | true | true | 0.96",
        "COUNTY-2 | 100 | 0 | stage 2 | -3 | true | true | 0.96",
        "COUNTY-2 | 100 | 0 | total only | -3 | true | true | 0.96",
        "COUNTY-2 | 0 | 0 | stage 2 | -3 | true | false | 0.5",
        "COUNTY-2 | 10 | 0 | stage 2 | 2 | true | true | 0.5",
    )
    assert run_sql("residuals", given={"count_errors": errors}) == [
        ("COUNTY-2", "stage 2", -3, 2),
        ("COUNTY-2", "stage 2", 2, 1),
        ("COUNTY-2", "total only", -3, 1),
    ]
