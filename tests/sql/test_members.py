"""members: the people of the requested states by cell, finest cell and answers."""

ANSWERS = """
    answer_id | race_codes_1_to_4 | race_codes_5_to_8 | ethnicity_code
    ----------+-------------------+-------------------+---------------
            1 |  1010000000000000 |                 0 |           NULL
            2 |  1010000000000000 |                20 |           NULL
            3 |              NULL |              NULL |           2000
            4 |              NULL |              NULL |           2010
"""
HEADER = "geo_unit_id | finest_position | race_codes_1_to_4 | race_codes_5_to_8 | ethnicity_code\n-\n"


def members(run_sql, *people):
    given = {"persons": HEADER + "\n".join(people), "answers": ANSWERS}
    return run_sql("members", given=given, first_geo_unit_id=1, last_geo_unit_id=9)


def test_a_person_has_one_answer_to_either_question(run_sql):
    assert members(run_sql, "7 | 5 | 1010000000000000 | 0 | 2010") == [(7, 5, 1, 4)]


def test_answers_are_told_apart_by_their_last_four_codes(run_sql):
    assert members(run_sql, "7 | 5 | 1010000000000000 | 20 | 2000") == [(7, 5, 2, 3)]


def test_two_people_alike_stay_two(run_sql):
    person = "7 | 5 | 1010000000000000 | 0 | 2000"
    assert members(run_sql, person, person) == [(7, 5, 1, 3), (7, 5, 1, 3)]


def test_people_of_cells_outside_the_slice_are_left_to_other_slices(run_sql):
    assert members(run_sql, "10 | 5 | 1010000000000000 | 0 | 2000") == []
