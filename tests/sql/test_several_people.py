"""several_people: the people of a slice who give several codes."""

from tests.sql.packed import packed

HEADER = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8"


def several(run_sql, *persons):
    written = ["{} | 5 | {} | {}".format(geo_unit, *packed(*codes)) for geo_unit, *codes in persons]
    given = {"persons": "\n".join([HEADER, "-", *written])}
    return run_sql("several_people", given=given)


def test_whoever_gives_one_code_has_no_row(run_sql):
    assert several(run_sql, (7, 1001), (8, 1001, 1002)) == [("race", 8, 5, *packed(1001, 1002))]


def test_each_person_has_a_row(run_sql):
    assert len(several(run_sql, (7, 1001, 1002), (7, 1001, 1002), (8, 1001, 1002, 1003, 1004, 1005))) == 3


def test_whoever_has_no_geo_unit_has_no_row(run_sql):
    assert several(run_sql, ("NULL", 1001, 1002)) == []
