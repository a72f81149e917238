"""scored_rows: the exact rows and the synthetic ones below each other."""

COLUMNS = [
    {"name": name, "exact": f"as_text(exact_rows.{field})", "synthetic": f"as_text(synthetic_rows.{field})"}
    for name, field in (("field_1", "SEX"), ("field_2", "AGE"))
]


def test_rows_of_both_tables_are_told_apart_and_fields_that_are_not_scored_left_out(run_sql, write_parquet):
    exact = write_parquet("SEX | AGE:integer\n1 | 30\n2 | 30", "exact.parquet")
    synthetic = write_parquet("AGE:integer | SEX\n31 | 1", "synthetic.parquet")
    rows = run_sql("scored_rows", table_files=[exact], synthetic_files=[synthetic], scored_columns=COLUMNS)
    assert rows == [(False, "1", "31"), (True, "1", "30"), (True, "2", "30")]
    exact = write_parquet("SEX | NAME\n1 | a", "exact.parquet")
    synthetic = write_parquet("SEX\n2", "synthetic.parquet")
    rows = run_sql("scored_rows", table_files=[exact], synthetic_files=[synthetic], scored_columns=COLUMNS[:1])
    assert rows == [(False, "2"), (True, "1")]
