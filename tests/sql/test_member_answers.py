"""member_answers: the people of the requested states, once with each of their two answers."""

HEADER = "geo_unit_id | finest_position | race_answer_id | ethnicity_answer_id\n-\n"


def test_a_person_stands_once_with_each_answer(run_sql):
    assert run_sql("member_answers", given={"members": HEADER + "7 | 5 | 1 | 3"}) == [(7, 5, 1), (7, 5, 3)]


def test_two_people_alike_stand_twice_with_each_answer(run_sql):
    rows = run_sql("member_answers", given={"members": HEADER + "7 | 5 | 1 | 3\n7 | 5 | 1 | 3"})
    assert rows == [(7, 5, 1), (7, 5, 1), (7, 5, 3), (7, 5, 3)]
