"""local_group_cells: exact sex-by-age counts of the local population groups with a sex-by-age table."""

import pytest

# Answer 5 in cells 1 and 2 feeds group 7 (statistic 1), answer 6 in cell 2 group 7 and group 8 (statistic 2).
GIVEN = {
    "local_answers": """
        cell_id | answer_id | population_group_id | stat_level
        --------+-----------+---------------------+-----------
              1 |         5 |                   7 |          1
              2 |         5 |                   7 |          1
              2 |         6 |                   7 |          1
              2 |         6 |                   8 |          2
    """,
    "statistic_finest_cells": """
        stat_level | finest_position | cell_position
        -----------+-----------------+--------------
                 1 |               0 |             0
                 1 |               1 |             0
                 1 |               2 |             1
                 2 |               0 |             0
                 2 |               1 |             1
                 2 |               2 |             2
    """,
}


@pytest.fixture
def group_cells(run_sql):
    def rows(*member_answers):
        header = "cell_id | finest_position | answer_id\n-\n"
        return run_sql("local_group_cells", given={**GIVEN, "member_answers": header + "\n".join(member_answers)})

    return rows


def test_the_cells_of_a_region_add_up(group_cells):
    assert group_cells("1 | 0 | 5", "2 | 0 | 5", "2 | 0 | 5") == [(7, 1, 0, 3)]


def test_finest_cells_of_one_bin_add_up_and_others_stay_apart(group_cells):
    assert group_cells("1 | 0 | 5", "1 | 1 | 5", "1 | 2 | 5") == [(7, 1, 0, 2), (7, 1, 1, 1)]


def test_a_person_counts_in_each_group_that_the_answer_feeds_by_its_own_statistic(group_cells):
    assert group_cells("2 | 1 | 6") == [(7, 1, 0, 1), (8, 2, 1, 1)]


def test_an_answer_counts_in_no_cell_where_it_feeds_no_group(group_cells):
    assert group_cells("1 | 0 | 6", "3 | 0 | 5") == []


def test_cells_with_nobody_are_absent(group_cells):
    assert group_cells() == []
