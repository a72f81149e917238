"""several_answers: the distinct answers with several race codes of the people of a slice, and their tallies."""

import pytest

from tests.sql.packed import packed

HEADER = "geo_unit_id | codes_1_to_4 | codes_5_to_8\n-\n"
# Codes 1001 to 1003 are of one set, 1001 and 1002 of another too; each set has a tally of some and one of all.
CODE_TALLIES = """
    question_name | code | of_one | of_some | of_all
    --------------+------+--------+---------+-------
             NULL | 1001 | [1, 4] |  [2, 5] | [3, 6]
             NULL | 1002 | [1, 4] |  [2, 5] | [3, 6]
             NULL | 1003 |    [1] |     [2] |    [3]
             NULL | 1004 |    [7] |     [8] |    [9]
        ethnicity | 1001 |   [10] |    NULL |   NULL
"""


@pytest.fixture
def several_answers(run_sql):
    """The rows of people: geo unit and codes of each."""

    def rows(*persons):
        written = ["{} | {} | {}".format(geo_unit, *packed(*codes)) for geo_unit, *codes in persons]
        return run_sql("several_answers", given={"persons": HEADER + "\n".join(written), "code_tallies": CODE_TALLIES})

    return rows


@pytest.fixture
def tallies(several_answers):
    """The tallies of one person."""

    def of(*codes):
        ((*_, tally_ids),) = several_answers((7, *codes))
        assert len(set(tally_ids)) == len(tally_ids)
        return sorted(tally_ids)

    return of


def test_answers_that_differ_in_any_code_are_told_apart(several_answers):
    rows = several_answers((7, 1001, 1002), (7, 1001, 1002, 1003, 1004, 20), (7, 1001, 1003))
    assert len({row[:2] for row in rows}) == 3


def test_an_answer_that_two_people_give_stands_once(several_answers):
    assert [row[:2] for row in several_answers((7, 1001, 1002), (8, 1001, 1002))] == [packed(1001, 1002)]


def test_whoever_gives_one_code_has_no_row(several_answers):
    assert several_answers((7, 1001)) == []


def test_whoever_has_no_geo_unit_has_no_row(several_answers):
    assert several_answers(("NULL", 1001, 1002)) == []


def test_codes_of_the_same_sets_are_in_some_and_in_all_of_them_once(tallies):
    assert tallies(1001, 1002) == [2, 3, 5, 6]


@pytest.mark.parametrize("codes", [(1001, 1002, 1003), (1003, 1002, 1001), (1001, 1003, 1003, 1002)], ids=str)
def test_a_further_code_bars_all_of_a_set_that_lacks_it_wherever_it_stands(tallies, codes):
    assert tallies(*codes) == [2, 3, 5]


@pytest.mark.parametrize("place", range(2, 9))
def test_every_place_of_a_code_is_looked_at(tallies, place):
    codes = [1001] * 8
    codes[place - 1] = 1004
    assert tallies(*codes) == [2, 5, 8]


def test_a_code_of_no_set_bars_all_of_any(tallies):
    assert tallies(1001, 1002, 9999) == [2, 5]


def test_a_code_that_is_given_twice_counts_once(tallies):
    assert tallies(1003, 1003) == [2, 3]
