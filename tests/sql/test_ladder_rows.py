"""ladder_rows: the rows that a population group may have in the table of the ladder, by their published codes."""

COLUMNS = {"AGE": ["*", "0-17"], "SEX": ["F", "F"]}
NUMBERS = {"AGE_START": [None, 0], "AGE_END": [None, 17]}


def test_rows_are_numbered_in_the_order_of_their_codes(run_sql):
    rows = run_sql("ladder_rows", ladder_columns=COLUMNS, number_columns=NUMBERS, ladder_rows=2)
    assert rows == [(0, "*", "F", None, None), (1, "0-17", "F", 0, 17)]
