"""whole_t1: the published totals after least squares, whose counts are whole numbers, stored as such."""

RECONCILED_T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95 | NOISY_COUNT
        01001 |      COUNTY |           2210 |  12.0 |      5.5 |   3.7 |     9 |     15 |          10
           01 |       STATE |           2220 |  -1.0 |      3.0 |   2.0 |    -3 |      1 |          -1
"""


def test_counts_are_whole_numbers_and_all_else_stays(run_sql):
    rows = run_sql("whole_t1", given={"reconciled_t1": RECONCILED_T1})
    assert sorted(rows) == [
        ("01", "STATE", "2220", -1, 3.0, 2.0, -3, 1, -1),
        ("01001", "COUNTY", "2210", 12, 5.5, 3.7, 9, 15, 10),
    ]
    assert {type(row[3]) for row in rows} == {int}
