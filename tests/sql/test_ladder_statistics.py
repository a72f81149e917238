"""ladder_statistics: the names of the tables of the ladder."""


def test_the_total_is_stat_level_0_and_tables_follow(run_sql):
    assert run_sql("ladder_statistics", statistic_names=["total", "age4"]) == [(0, "total"), (1, "age4")]
