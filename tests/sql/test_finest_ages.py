"""finest_ages: the finest cell that each sex and single year of age falls in."""

from collections import Counter

CELLS = {
    "finest_cells": """
        finest_position | sex | age_start | age_end
        ----------------+-----+-----------+--------
                      0 |   1 |         0 |      17
                      1 |   1 |        18 |     115
                      2 |   2 |         0 |      17
                      3 |   2 |        18 |     115
    """
}


def test_every_age_of_each_sex_is_in_exactly_one_cell(run_sql):
    ages = Counter(row[:2] for row in run_sql("finest_ages", given=CELLS))
    assert ages == Counter((sex, age) for sex in (1, 2) for age in range(116))


def test_seventeen_and_eighteen_are_in_different_cells(run_sql):
    cells = {row[:2]: row[2] for row in run_sql("finest_ages", given=CELLS)}
    assert [cells[2, 17], cells[2, 18]] == [2, 3]


def test_the_first_and_the_last_age_are_in_a_cell(run_sql):
    cells = {row[:2]: row[2] for row in run_sql("finest_ages", given=CELLS)}
    assert [cells[1, 0], cells[1, 115]] == [0, 1]
