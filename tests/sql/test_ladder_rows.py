"""ladder_rows: the rows that a population group may have in the table of the ladder, by their published codes."""

COLUMNS = [
    {"name": "AGE", "quoted": '"AGE"', "codes": "['*', '0-17']"},
    {"name": "SEX", "quoted": '"SEX"', "codes": "['F', 'F']"},
]


def test_rows_are_numbered_in_the_order_of_their_codes(run_sql):
    assert run_sql("ladder_rows", ladder_columns=COLUMNS, ladder_rows=2) == [(0, "*", "F"), (1, "0-17", "F")]
