"""broad_iterations: how many people of each broad cell belong to each characteristic iteration, by sex and age."""

# Answers 1 and 2 are both in iteration 50, answer 2 in 60 too, answer 3 in none: that of another slice is.
ANSWER_ITERATIONS = """
    first_geo_unit_id | answer_id | iteration_id
    --------------+-----------+-------------
                1 |         1 |           50
                1 |         2 |           50
                1 |         2 |           60
               10 |         3 |           50
"""


def broad_iterations(run_sql, *rows):
    broad_answers = "broad_geo_unit_id | answer_id | finest_position | exact_count\n-\n" + "\n".join(rows)
    given = {"broad_answers": broad_answers, "answer_iterations": ANSWER_ITERATIONS}
    return run_sql("broad_iterations", given=given, first_geo_unit_id=1)


def test_people_with_different_answers_of_one_iteration_add_up(run_sql):
    assert broad_iterations(run_sql, "10 | 1 | 0 | 3", "10 | 2 | 0 | 4") == [(10, 50, 0, 7), (10, 60, 0, 4)]


def test_broad_cells_and_finest_cells_are_counted_apart(run_sql):
    rows = broad_iterations(run_sql, "10 | 1 | 0 | 3", "10 | 1 | 1 | 4", "11 | 1 | 0 | 5")
    assert rows == [(10, 50, 0, 3), (10, 50, 1, 4), (11, 50, 0, 5)]


def test_people_whose_answer_is_in_no_iteration_are_in_none(run_sql):
    assert broad_iterations(run_sql, "10 | 3 | 0 | 5") == []
