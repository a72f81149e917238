"""geo_unit_answers: how many people of each cell gave each answer."""

HEADER = "geo_unit_id | finest_position | answer_id\n-\n"


def test_people_of_any_sex_and_age_are_counted_together(run_sql):
    given = {"member_answers": HEADER + "7 | 0 | 1\n7 | 45 | 1\n7 | 45 | 1"}
    assert run_sql("geo_unit_answers", given=given, first_geo_unit_id=1, last_geo_unit_id=9) == [(7, 1, 3)]


def test_cells_and_answers_are_counted_apart(run_sql):
    given = {"member_answers": HEADER + "7 | 0 | 1\n7 | 0 | 2\n8 | 0 | 1"}
    assert run_sql("geo_unit_answers", given=given, first_geo_unit_id=1, last_geo_unit_id=9) == [
        (7, 1, 1),
        (7, 2, 1),
        (8, 1, 1),
    ]


def test_people_of_cells_outside_the_slice_are_left_to_other_slices(run_sql):
    given = {"member_answers": HEADER + "9 | 0 | 1\n10 | 0 | 1"}
    assert run_sql("geo_unit_answers", given=given, first_geo_unit_id=1, last_geo_unit_id=9) == [(9, 1, 1)]
