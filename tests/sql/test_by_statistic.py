"""by_statistic: the margin of error that the ledger states and the one observed."""

from tests.sql.test_accuracy import COVERAGES_HEAD


def statistics(run_sql, *coverages: str) -> list[tuple[object, ...]]:
    return run_sql("by_statistic", given={"count_coverages": COVERAGES_HEAD + "\n".join(coverages)})


def test_a_statistic_has_what_is_stated_of_its_counts_beside_what_is_observed(run_sql):
    row = "COUNTY-2 | NULL | SEX of age4 | 1 | 7 | 5.5 | 0.9 | 0.95 | 11 | 12 | 5.5 | 6.5 | 0 | NULL | NULL"
    assert statistics(run_sql, row) == [("COUNTY-2", "SEX of age4", 11.0, 12.0, 5.5, 6.5, 7, 5.5, 0.9, 0.95)]


def test_neither_whole_levels_nor_sizes_nor_statistics_without_free_counts_are_listed(run_sql):
    rows = statistics(
        run_sql,
        "COUNTY-2 | NULL | NULL | NULL | 7 | 7 | 0.9 | 0.95 | 11 | 12 | 5.5 | 6.5 | 0 | NULL | NULL",
        "COUNTY-2 | 10 | NULL | NULL | 7 | 7 | 0.9 | 0.95 | 11 | 12 | 5.5 | 6.5 | 0 | NULL | NULL",
        "COUNTY-2 | NULL | total | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 3 | 0.5 | 0.4",
    )
    assert rows == []
