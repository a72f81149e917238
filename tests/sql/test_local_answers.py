"""local_answers: which answers in which cells feed which sex-by-age tables of local population groups."""

import pytest

# Cells 1 and 2 lie in tract 30, cell 3 in tract 31, all of them in the broad county 40.
GIVEN = {
    "region_breadth": """
        region_key | is_broad
        -----------+---------
                30 |    false
                31 |    false
                40 |     true
    """,
    "cell_regions": """
        cell_id | region_key
        --------+-----------
              1 |         30
              2 |         30
              3 |         31
              1 |         40
              2 |         40
              3 |         40
    """,
    "cell_answers": """
        cell_id | answer_id
        --------+----------
              1 |         5
              2 |         5
              2 |         6
              3 |         6
    """,
    "answer_iterations": """
        answer_id | iteration_id
        ----------+-------------
                5 |           50
                6 |           50
                6 |           60
    """,
}


@pytest.fixture
def local_answers(run_sql):
    def rows(*chosen):
        header = "population_group_id | region_key | iteration_id | stat_level\n-\n"
        return run_sql("local_answers", given={**GIVEN, "chosen_groups": header + "\n".join(chosen)})

    return rows


def test_every_answer_of_the_iteration_in_every_cell_of_the_region_feeds_the_group(local_answers):
    assert local_answers("7 | 30 | 50 | 1") == [(1, 5, 7, 1), (2, 5, 7, 1), (2, 6, 7, 1)]


def test_answers_that_are_not_of_the_iteration_do_not_feed_the_group(local_answers):
    assert local_answers("8 | 30 | 60 | 1") == [(2, 6, 8, 1)]


def test_cells_outside_the_region_do_not_feed_the_group(local_answers):
    assert local_answers("9 | 31 | 50 | 1") == [(3, 6, 9, 1)]


def test_an_answer_may_feed_two_groups(local_answers):
    assert local_answers("9 | 31 | 50 | 1", "10 | 31 | 60 | 3") == [(3, 6, 9, 1), (3, 6, 10, 3)]


def test_broad_groups_are_left_out(local_answers):
    assert local_answers("11 | 40 | 50 | 1") == []


def test_groups_that_earned_no_table_are_absent(local_answers):
    assert local_answers() == []
