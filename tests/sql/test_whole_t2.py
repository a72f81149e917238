"""whole_t2: the published sex-by-age tables after least squares, whose counts are whole numbers, stored as such."""

RECONCILED_T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | AGE_START | AGE_END | IS_MARGINAL | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95 | NOISY_COUNT
        01001 |      COUNTY |           2210 |      age4 |        * |      * |   1 |      NULL |    NULL |        true |   3.0 |      2.5 |   3.7 |     0 |      6 |           3
"""  # noqa: E501


def test_counts_are_whole_numbers_and_all_else_stays(run_sql):
    (row,) = run_sql("whole_t2", given={"reconciled_t2": RECONCILED_T2})
    assert row == ("01001", "COUNTY", "2210", "age4", "*", "*", "1", None, None, True, 3, 2.5, 3.7, 0, 6, 3)
    assert isinstance(row[10], int)
