"""reported_groups: the groups of some region types with the rows of their tables."""

TABLES = (
    "region_type | region_id | iteration_code | statistic | level_name | noisy_count | total_moe95 | total_low95"
    " | total_high95\n"
    "WARD | A | 01 | sex | WARD-1 | 30 | 6 | 24 | 36\n"
    "WARD | B | 01 | total | WARD-1 | 4 | 5 | -2 | 8\n"
    "CITY | C | 01 | total | CITY-1 | 9 | 4 | 5 | 13"
)
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | SEX | AGESTART | COUNT | MOE95 | LOW95 | HIGH95
            A |        WARD |             01 |   F |        * |    12 |     3 |     9 |     15
            C |        CITY |             01 |   F |        * |     7 |     6 |     1 |     13
"""
COUNTED = {"count": 12, "low": 9, "high": 15, "moe95": 3}


def test_a_group_has_the_codes_counts_and_intervals_of_its_rows(run_sql):
    columns = ["SEX", "AGESTART"]
    given = {"reported_tables": TABLES, "t2": T2}
    rows = run_sql("reported_groups", picked_types=["WARD"], ladder_columns=columns, given=given)
    assert rows == [
        ("WARD", "A", "01", "sex", "WARD-1", 30, 6, 24, 36, [["F", "*"]], [COUNTED]),
        ("WARD", "B", "01", "total", "WARD-1", 4, 5, -2, 8, None, None),
    ]
