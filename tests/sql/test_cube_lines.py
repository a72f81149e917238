"""cube_lines: the numbers of each group that got a table, cell by cell, as entries of a file."""

GROUP = "REGION_TYPE | REGION_ID | ITERATION_CODE"
ROWS = f"""{GROUP} | row_id | STATISTIC | IS_MARGINAL | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
    STATE | 44 | 0102 | 7 |  age2 |  true |  5 | NULL | NULL |  2 |  8
    STATE | 44 | 0102 | 3 |  age2 | false | -1 |  2.5 |    3 | -4 |  2
    STATE | 06 | 0102 | 7 |  age2 |  true |  6 |  2.5 |    3 |  3 |  9
    STATE | 06 | 0102 | 3 |  age2 | false |  7 |  2.5 |    3 |  4 | 10
    STATE | 01 | 0102 | 7 | total | false |  9 |  2.5 |    3 |  6 | 12
"""
INDEX = """
    REGION_TYPE | REGION_ID | ITERATION_CODE | STATISTIC | REGION_NAME | ITERATION_NAME
          STATE |        44 |           0102 |      age2 |        NULL |          Irish
          STATE |        06 |           0102 |      age2 |     "Golden |           NULL
          STATE |        01 |           0102 |     total |     Alabama |          Irish
"""
PX = {"separator": " ", "missing": "..", "mark": "'", "backslash": "/", "no_cell": "-"}


def lines(run_sql_in_order, cells):
    given = {"exported_rows": ROWS, "exported_index": INDEX}
    values = {"table_statistic": "age2", "cell_rows": cells, "noisy_counts": []}
    return run_sql_in_order("cube_lines", given=given, **values, **PX)


def test_cells_come_in_order_with_what_is_missing_and_a_group_is_called_by_names_and_codes(run_sql_in_order):
    assert [row[3] for row in lines(run_sql_in_order, [3, None, 7])] == [
        "7 2.5 3.0 4 10 0 - 6 2.5 3.0 3 9 1",
        "-1 2.5 3.0 -4 2 0 - 5 .. .. 2 8 1",
    ]
    first, second = (row[:3] for row in lines(run_sql_in_order, [3, 7]))
    assert first == (code := '"STATE.06.0102"', label := '"\'Golden, STATE 06: 0102"', f"{code}: {label}")
    assert second[1] == '"STATE 44: Irish, 0102"'
