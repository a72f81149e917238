"""ladder_rows: the rows that a population group may have in the table of the ladder, by their published codes."""

COLUMNS = [
    {"name": "AGE", "quoted": '"AGE"', "codes": "['*', '0-17']"},
    {"name": "SEX", "quoted": '"SEX"', "codes": "['F', 'F']"},
]
NUMBERS = [
    {"name": "AGE_START", "quoted": '"AGE_START"', "numbers": "[null, 0]"},
    {"name": "AGE_END", "quoted": '"AGE_END"', "numbers": "[null, 17]"},
]


def test_rows_are_numbered_in_the_order_of_their_codes(run_sql):
    rows = run_sql("ladder_rows", ladder_columns=COLUMNS, number_columns=NUMBERS, ladder_rows=2)
    assert rows == [(0, "*", "F", None, None), (1, "0-17", "F", 0, 17)]
