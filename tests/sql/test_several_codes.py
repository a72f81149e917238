"""several_codes: the race codes of each answer with several codes."""

HEADER = "answer_id | race_codes_1_to_4 | race_codes_5_to_8\n-\n"


def several_codes(run_sql, *answers):
    return run_sql("several_codes", given={"several_answers": HEADER + "\n".join(answers)})


def test_every_place_of_a_code_is_read(run_sql):
    rows = several_codes(run_sql, "7 | 1001100210031004 | 1005100610071008")
    assert rows == [(7, code) for code in range(1001, 1009)]


def test_empty_places_have_no_row(run_sql):
    assert several_codes(run_sql, "7 | 1001002000000000 | 0") == [(7, 20), (7, 1001)]
