"""t1_census: the published totals with the columns of the production system."""

T1 = {
    "t1": """
        REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95
                1 |         USA |           0102 |    -3 |      2.5 |     3
            44007 |      COUNTY |           0101 |    12 |      2.5 |     3
                1 |         USA |           0101 |     7 |      2.5 |     3
    """
}


def test_rows_come_in_order_without_columns_of_uncertainty(run_sql, run_sql_in_order):
    assert ("1", "USA", "0102", -3) in run_sql("t1_census", given=T1)
    rows = run_sql_in_order("t1_census", given=T1)
    assert [row[3] for row in rows] == [12, 7, -3]
