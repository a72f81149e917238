"""several_tallies, of the people that several_people has: the tallies of whoever gives several codes."""

import pytest

from tests.sql.packed import packed

HEADER = "question_name | geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8"
# Codes 1001 to 1003 are of one set, 1001 and 1002 of another too, and code 1004 of one that only totals are wanted of.
CODE_TALLIES = """
    question_name | code | tally_ids
    --------------+------+----------
             race | 1001 |   [3, 6]
             race | 1002 |   [3, 6]
             race | 1003 |      [3]
             race | 1004 |     [-9]
             race | 1005 |  [6, 12]
        ethnicity | 1001 |     [15]
"""


@pytest.fixture
def several_tallies(run_sql):
    """The rows of people: geo unit and codes of each."""

    def rows(*persons):
        written = [" | ".join(map(str, ["race", geo_unit, 5, *packed(*codes)])) for geo_unit, *codes in persons]
        given = {"several_people": "\n".join([HEADER, "-", *written]), "code_tallies": CODE_TALLIES}
        return run_sql("several_tallies", given=given)

    return rows


@pytest.fixture
def tallies(several_tallies):
    """The tallies of one person."""

    def of(*codes):
        ((*_, tally_ids),) = several_tallies((7, *codes))
        found = [tally for tally in tally_ids if tally is not None]
        assert len(set(found)) == len(found)
        return sorted(found)

    return of


def test_each_person_has_a_row_with_the_place_and_the_finest_cell(several_tallies):
    rows = several_tallies((7, 1001, 1002), (8, 1001, 1002), (8, 1001, 1002, 1003))
    assert sorted(row[:2] for row in rows) == [(7, 5), (8, 5), (8, 5)]


def test_codes_of_the_same_sets_are_in_some_and_in_all_of_them_once(tallies):
    assert tallies(1001, 1002) == [4, 5, 7, 8]


def test_a_set_is_known_again_wherever_it_stands_among_the_sets_of_a_code(tallies):
    assert tallies(1001, 1005) == tallies(1005, 1001) == [4, 7, 8, 13]
    assert tallies(1005, 1001, 1003) == [4, 7, 13]


@pytest.mark.parametrize("codes", [(1001, 1002, 1003), (1003, 1002, 1001), (1001, 1003, 1003, 1002)], ids=str)
def test_a_further_code_bars_all_of_a_set_that_lacks_it_wherever_it_stands(tallies, codes):
    assert tallies(*codes) == [4, 5, 7]


@pytest.mark.parametrize("place", range(2, 9))
def test_every_place_of_a_code_is_looked_at(tallies, place):
    codes = [1001] * 8
    codes[place - 1] = 1004
    assert tallies(*codes) == [-8, 4, 7]


def test_tallies_of_which_only_totals_are_wanted_stay_below_zero(tallies):
    assert tallies(1004, 1004) == [-8, -7]
