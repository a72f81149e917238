"""ladder_statistics: the names of the tables of the ladder."""


def test_the_total_is_stat_level_0_and_tables_follow(run_sql):
    given = {"statistic_names": ["total", "age4"], "parts_of_counts": [1, 8192]}
    assert run_sql("ladder_statistics", **given) == [(0, "total", 1), (1, "age4", 8192)]
