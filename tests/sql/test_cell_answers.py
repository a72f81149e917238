"""cell_answers: how many people of each cell gave each answer."""

HEADER = "cell_id | finest_position | answer_id\n-\n"


def test_people_of_any_sex_and_age_are_counted_together(run_sql):
    given = {"member_answers": HEADER + "7 | 0 | 1\n7 | 45 | 1\n7 | 45 | 1"}
    assert run_sql("cell_answers", given=given) == [(7, 1, 3)]


def test_cells_and_answers_are_counted_apart(run_sql):
    given = {"member_answers": HEADER + "7 | 0 | 1\n7 | 0 | 2\n8 | 0 | 1"}
    assert run_sql("cell_answers", given=given) == [(7, 1, 1), (7, 2, 1), (8, 1, 1)]
