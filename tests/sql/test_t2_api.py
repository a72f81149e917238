"""t2_api: a table of sex by age as one row of variables of the Census API."""

GIVEN = {
    "api_groups": """
        region_type | region_id | iteration_code | geo_id      | region_name | iteration_name | noisy_count | moe95
              STATE | 06        |           0102 | 0400000US06 |        NULL |          Irish |          99 |   9.0
                USA | 1         |           0102 | 0100000US   |  the nation |          Irish |          21 |   5.0
                USA | 1         |           0101 | 0100000US   |  the nation |        Italian |           8 |   2.0
    """,
    "t2": """
        REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | MOE95
                1 |         USA |           0102 |      age2 |       18 |    115 |   2 |     6 |   2.0
                1 |         USA |           0102 |      age2 |       18 |    115 |   1 |     3 |   2.0
                1 |         USA |           0102 |      age2 |        5 |     17 |   2 |     5 |   2.0
                1 |         USA |           0102 |      age2 |        5 |     17 |   1 |     2 |   2.0
                1 |         USA |           0102 |      age2 |        * |      * |   2 |    11 |   4.0
                1 |         USA |           0102 |      age2 |        * |      * |   1 |     5 |   4.0
               06 |       STATE |           0102 |      age9 |        * |      * |   1 |     5 |   4.0
    """,
}
VARIABLES = {
    f"api_{what}": {f"T02001_{place:03}{end}": place for place in range(1, 8)}
    for what, end in (("counts", "N"), ("margins", "M"))
}


def test_a_table_is_one_row_total_first_then_men_then_women_in_the_order_of_ages(run_sql):
    """Ages are in the order of numbers; tables of other statistics, and groups without a table, have no row."""
    (row,) = run_sql("t2_api", given=GIVEN, published_statistic="age2", **VARIABLES)
    assert row == ("0100000US", "the nation", "0102", "Irish", 21, 5, 2, 3, 11, 5, 6, 5.0, 4.0, 2.0, 2.0, 4.0, 2.0, 2.0)
