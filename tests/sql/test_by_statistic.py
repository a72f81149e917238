"""by_statistic: the margin of error that the ledger states and the one observed."""

import pytest

from tests.sql.evaluated_tables import LADDER_STATISTICS, NOISE_LAWS
from tests.sql.test_accuracy import COVERAGES_HEAD


def statistics(run_sql, *coverages: str) -> list[tuple[object, ...]]:
    text = COVERAGES_HEAD + "\n".join(coverages)
    public = {"noise_laws": NOISE_LAWS, "ladder_statistics": LADDER_STATISTICS}
    return run_sql("by_statistic", given={"count_coverages": text, **public})


@pytest.mark.parametrize(
    ("noise", "stat_level", "name", "stated"),
    [
        ("total only", 0, "total only", (10.0, 5.0)),
        ("stage 2", 0, "total", (11.0, 5.5)),
        ("stage 2", 1, "age4", (11.0, 5.5)),
        ("stage 2", 2, "age9", (11.0, 5.5)),
        ("stage 2", 3, "age23", (11.0, 5.5)),
    ],
)
def test_a_statistic_is_named_and_held_against_the_law_of_its_noise(run_sql, noise, stat_level, name, stated):
    row = f"COUNTY-2 | NULL | {noise} | {stat_level} | 7 | 0.9 | 0.95 | 12 | 6.5 | 0 | NULL | NULL"
    moe95, deviation = stated
    assert statistics(run_sql, row) == [("COUNTY-2", name, moe95, 12, deviation, 6.5, 7, 0.9, 0.95)]


def test_neither_whole_levels_nor_sizes_nor_statistics_without_free_counts_are_listed(run_sql):
    rows = statistics(
        run_sql,
        "COUNTY-2 | NULL | NULL | NULL | 7 | 0.9 | 0.95 | 12 | 6.5 | 0 | NULL | NULL",
        "COUNTY-2 | 10 | NULL | NULL | 7 | 0.9 | 0.95 | 12 | 6.5 | 0 | NULL | NULL",
        "COUNTY-2 | NULL | stage 2 | 0 | 0 | NULL | NULL | NULL | NULL | 3 | 0.5 | 0.4",
    )
    assert rows == []
