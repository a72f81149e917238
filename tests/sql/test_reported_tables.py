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
COLUMNS = [{"quoted": '"SEX"', "code": "'*'"}]


def test_totals_that_are_rows_of_the_table_are_told_by_the_code_for_all(run_sql):
    table = HEAD + "\n".join([*TOTALS, *CELLS])
    rows = run_sql("reported_tables", total_name="total", columns_of_totals=COLUMNS, given={"t1": table, "t2": table})
    assert rows == [
        ("WARD", "A", "01", "sex", 4.0, 4, 30, 6, 24, 36),
        ("WARD", "B", "01", "total", 3.0, 4, 4, 4, -2, 8),
    ]


def test_a_group_with_a_total_in_a_folder_of_its_own_and_no_table_has_a_total_alone(run_sql):
    given = {"t1": HEAD + "\n".join(TOTALS), "t2": HEAD + "\n".join(CELLS)}
    rows = run_sql("reported_tables", total_name="none", columns_of_totals=[], given=given)
    assert [row[1:6] for row in rows] == [("A", "01", "sex", 4.0, 4), ("B", "01", "none", 3.0, 4)]
