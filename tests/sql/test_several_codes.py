"""several_codes: the race codes of each answer with several codes."""

from tests.sql.packed import packed

HEADER = "answer_id | codes_1_to_4 | codes_5_to_8\n-\n"


def several_codes(run_sql, *codes):
    return run_sql("several_codes", given={"several_answers": HEADER + "7 | {} | {}".format(*packed(*codes))})


def test_every_place_of_a_code_is_read(run_sql):
    rows = several_codes(run_sql, *range(65528, 65536))
    assert rows == [(7, code) for code in range(65528, 65536)]


def test_empty_places_have_no_row(run_sql):
    assert several_codes(run_sql, 1001, 20) == [(7, 20), (7, 1001)]
