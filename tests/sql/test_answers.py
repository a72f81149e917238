"""answers: the distinct answers to the race question, and to the ethnicity question."""

import pytest


@pytest.fixture
def answers(run_sql):
    def rows(*people, cell=1):
        lines = [f"{cell} | 0 | {first} | {second} | {ethnicity}" for first, second, ethnicity in people]
        header = "geo_unit_id | finest_position | race_codes_1_to_4 | race_codes_5_to_8 | ethnicity_code\n-\n"
        return run_sql("answers", given={"persons": header + "\n".join(lines)}, first_geo_unit_id=1, last_geo_unit_id=9)

    return rows


ONE = (1010_0000_0000_0000, 0, 2000)


def test_race_and_ethnicity_answers_are_apart(answers):
    assert sorted(row[1:] for row in answers(ONE) if row[3] is None) == [(1010_0000_0000_0000, 0, None)]


def test_an_ethnicity_answer_has_no_race_codes(answers):
    assert [row[1:] for row in answers(ONE) if row[3] is not None] == [(None, None, 2000)]


def test_an_answer_that_two_people_gave_stands_once(answers):
    assert len(answers(ONE, ONE)) == 2


def test_answers_that_differ_in_the_last_four_codes_are_two(answers):
    assert len([row for row in answers(ONE, (ONE[0], 1020, 2000)) if row[3] is None]) == 2


def test_people_with_one_race_answer_and_two_ethnicities_give_three_answers(answers):
    assert len(answers(ONE, (*ONE[:2], 2010))) == 3


def test_answers_are_numbered_from_one_without_gaps(answers):
    rows = answers(ONE, (1020_0000_0000_0000, 0, 2010), (1020_0000_0000_0000, 7, 2000))
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5]


def test_nobody_gives_no_answer(answers):
    assert answers() == []


def test_people_of_cells_outside_the_slice_give_none(answers):
    assert answers(ONE, cell=10) == []
