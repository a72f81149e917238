"""several_codes: the race codes of the people of a slice of geo units who give several."""

HEADER = "geo_unit_id | finest_position | race_codes_1_to_4 | race_codes_5_to_8\n-\n"


def several_codes(run_sql, *persons):
    given = {"persons": HEADER + "\n".join(persons)}
    return run_sql("several_codes", given=given, first_geo_unit_id=1, last_geo_unit_id=9)


def test_every_place_of_a_code_is_read(run_sql):
    rows = several_codes(run_sql, "7 | 5 | 1001100210031004 | 1005100610071008")
    assert rows == [(0, 7, 5, code) for code in range(1001, 1009)]


def test_whoever_gives_one_code_has_no_row(run_sql):
    assert several_codes(run_sql, "7 | 5 | 1001000000000000 | 0") == []


def test_empty_places_have_no_row(run_sql):
    assert several_codes(run_sql, "7 | 5 | 1001002000000000 | 0") == [(0, 7, 5, 20), (0, 7, 5, 1001)]


def test_two_people_alike_stay_two(run_sql):
    person = "7 | 5 | 1001100200000000 | 0"
    assert {row[0] for row in several_codes(run_sql, person, person)} == {0, 1}


def test_people_outside_the_slice_are_left_to_other_slices(run_sql):
    assert several_codes(run_sql, "10 | 5 | 1001100200000000 | 0") == []
