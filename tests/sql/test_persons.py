"""persons: all people, as a few small numbers each."""

import pytest

from tests.sql.packed import packed

BLOCK_CELLS = """
          block_key | geo_unit_id
     10030004000005 |       7
    440070001011000 |       8
"""
FINEST_VALUES = """
    SEX_number | AGE_number | finest_position
             1 |         17 |               0
             1 |         18 |               1
             2 |         17 |               2
             2 |         18 |               3
"""
PLACES = [f"code_{place}" for place in range(1, 9)]
COLUMNS = ["AGE_number", "SEX_number", "block_key", *PLACES, "ethnicity_code"]
BLOCK = 10030004000005


@pytest.fixture
def persons(run_sql):
    def rows(age=17, sex=1, block=BLOCK, races=(1010,), ethnicity=2000):
        cells = map(str, [age, sex, block, *races, *[0] * (8 - len(races)), ethnicity])
        given = {
            "person_numbers": f"{' | '.join(COLUMNS)}\n{' | '.join(cells)}",
            "block_geo_units": BLOCK_CELLS,
            "finest_values": FINEST_VALUES,
        }
        return run_sql("persons", given=given)

    return rows


@pytest.mark.parametrize("block", [20030004000005, 10030004000006, "NULL"])
def test_a_person_outside_the_requested_blocks_has_no_geo_unit(persons, block):
    assert [row[:2] for row in persons(block=block)] == [(None, 0)]


@pytest.mark.parametrize(("sex", "age"), [(1, 116), (1, -1), (1, "NULL"), (3, 17), ("NULL", 17), (1, 2_147_483_647)])
def test_a_person_without_an_age_or_sex_of_the_catalog_has_no_geo_unit(persons, sex, age):
    assert [row[:2] for row in persons(sex=sex, age=age)] == [(None, None)]


@pytest.mark.parametrize(
    "races",
    [(1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008), (1001,), (1, 20), (65535,) * 8],
    ids=["eight", "one", "leading zeros", "the largest"],
)
def test_each_of_eight_race_codes_has_its_own_16_bits(persons, races):
    assert [row[2:4] for row in persons(races=races)] == [packed(*races)]
