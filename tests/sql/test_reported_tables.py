"""reported_tables: the table and the total of each population group, wherever totals stand."""

HEAD = (
    "REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC: varchar | SEX: varchar | COUNT | VARIANCE | MOE95 | LOW95"
    " | HIGH95\n-\n"
)
TOTALS = [
    "A | WARD | 01 | sex | * | 30 | 8.0 | 6 | 24 | 36",
    "B | WARD | 01 | total | * | 4 | 3.0 | 4 | -2 | 8",
]
CELLS = [f"A | WARD | 01 | sex | {sex} | 10 | 4.0 | 4 | 6 | 14" for sex in "FM"]
LEVELS = "region_type | iteration_code | level_name | is_total_only\n-\nWARD | 01 | WARD-1 | false"
COLUMNS = {"SEX": "*"}


def test_totals_that_are_rows_of_the_table_are_told_by_the_code_for_all(run_sql):
    table = HEAD + "\n".join([*TOTALS, *CELLS])
    given = {"t1": table, "t2": table, "group_levels": LEVELS}
    rows = run_sql("reported_tables", total_name="total", columns_of_totals=COLUMNS, given=given)
    assert rows == [
        ("WARD", "A", "01", "WARD-1", False, "sex", 4, 30, 6, 6, 24, 36),
        ("WARD", "B", "01", "WARD-1", False, "total", 4, 4, 4, 4, -2, 8),
    ]


def test_a_group_with_a_total_in_a_folder_of_its_own_and_no_table_has_a_total_alone(run_sql):
    given = {"t1": HEAD + "\n".join(TOTALS), "t2": HEAD + "\n".join(CELLS), "group_levels": LEVELS}
    rows = run_sql("reported_tables", total_name="none", columns_of_totals=[], given=given)
    assert [(*row[1:3], *row[5:7]) for row in rows] == [("A", "01", "sex", 4), ("B", "01", "none", 4)]
