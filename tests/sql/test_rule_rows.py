"""rule_rows: the exact rows from which the random rules are made."""


def test_the_chosen_rows_come_with_their_numbers(run_sql, write_parquet):
    one = write_parquet("SEX | AGE:integer\n-\n1 | 30\n2 | 40\nx | 50", "one.parquet")
    other = write_parquet("SEX | AGE:integer\n-\n1 | 60", "other.parquet")
    columns = [
        {"name": name, "exact": f"as_number(exact_rows.{field})"}
        for name, field in (("field_0", "SEX"), ("field_1", "AGE"))
    ]
    chosen = {"chosen_files": [one, one, other], "chosen_places": [1, 2, 0]}
    rows = run_sql("rule_rows", table_files=[one, other], rule_columns=columns, **chosen)
    assert [(row[1], *row[2:]) for row in rows] == [(1, 2, 40), (2, None, 50), (0, 1, 60)]
