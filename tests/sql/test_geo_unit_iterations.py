"""geo_unit_iterations: how many people of each cell belong to each characteristic iteration."""

# Answers 1 and 2 are both in iteration 50, answer 2 in 60 too, answer 3 in none: that of another slice is.
ANSWER_ITERATIONS = """
    first_geo_unit_id | answer_id | iteration_id
    --------------+-----------+-------------
                1 |         1 |           50
                1 |         2 |           50
                1 |         2 |           60
               10 |         3 |           50
"""


def geo_unit_iterations(run_sql, *rows):
    geo_unit_answers = "geo_unit_id | answer_id | exact_count\n-\n" + "\n".join(rows)
    given = {"geo_unit_answers": geo_unit_answers, "answer_iterations": ANSWER_ITERATIONS}
    return run_sql("geo_unit_iterations", given=given, first_geo_unit_id=1, last_geo_unit_id=9)


def test_people_with_different_answers_of_one_iteration_add_up(run_sql):
    assert geo_unit_iterations(run_sql, "7 | 1 | 3", "7 | 2 | 4") == [(7, 50, 7), (7, 60, 4)]


def test_cells_are_counted_apart(run_sql):
    assert geo_unit_iterations(run_sql, "7 | 1 | 3", "8 | 1 | 4") == [(7, 50, 3), (8, 50, 4)]


def test_people_whose_answer_is_in_no_iteration_are_in_none(run_sql):
    assert geo_unit_iterations(run_sql, "7 | 3 | 5") == []


def test_cells_outside_the_slice_are_left_to_other_slices(run_sql):
    assert geo_unit_iterations(run_sql, "9 | 1 | 3", "10 | 1 | 4") == [(9, 50, 3)]
