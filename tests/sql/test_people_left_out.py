"""people_left_out: how many records cannot be counted as they are."""

import pytest

from tests.sql.packed import packed

PERSONS = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code\n"
ALL = (1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008)


@pytest.fixture
def left_out(run_sql):
    def records(*persons, unit=1):
        rows = "\n".join("{} | 0 | {} | {} | {}".format(unit, *packed(*codes), other) for *codes, other in persons)
        ((records,),) = run_sql("people_left_out", given={"persons": PERSONS + rows})
        return records

    return records


@pytest.mark.parametrize("codes", [ALL[:1], ALL[:2], ALL[:4], ALL], ids=len)
def test_nobody_is_left_out_whose_codes_leave_no_gap(left_out, codes):
    assert left_out((*codes, 50)) == 0


def test_whoever_lacks_a_geo_unit_or_an_answer_is_left_out(left_out):
    assert left_out((*ALL[:4], 50), unit="NULL") == 1
    assert (left_out((50,)), left_out((*ALL[:4], 0))) == (1, 1)


@pytest.mark.parametrize("place", range(2, 8))
def test_a_gap_before_a_code_leaves_a_person_out(left_out, place):
    codes = [code if number != place else 0 for number, code in enumerate(ALL, 1)]
    assert left_out((*codes, 50)) == 1
