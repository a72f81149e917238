"""wanted_ages: the counts by age of the groups of which a quantile of age is wanted."""

CELLS = """
    statistic_number | is_other | age_start | age_end | noisy_count
    -----------------+----------+-----------+---------+------------
                   7 |    false |        18 |     115 |          21
                   7 |    false |         0 |      17 |          10
                   7 |    false |         0 |      17 |          11
                   7 |     true |         0 |      17 |          99
"""


def test_both_sexes_of_an_age_are_added_up(run_sql):
    assert sorted(run_sql("wanted_ages", given={"wanted_cells": CELLS})) == [(7, 0, 17, 21), (7, 18, 115, 21)]
