"""exported_rows: totals and tables alike, by the number of the row."""

from tests.sql.published_tables import LADDER_ROWS
from tests.sql.test_labelled_t1 import T1
from tests.sql.test_labelled_t2 import T2

INDEX = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | TABLE_ROWS
           06 |       STATE |           0102 |      age2 |          6
           44 |       STATE |           0102 |     total |          0
"""
VALUES = {
    "ladder_columns": {"AGESTART": [], "AGEEND": [], "SEX": []},
    "counted": ["COUNT"],
    "noisy_counts": [],
    "ladder_rows": 6,
}


def rows(run_sql, *, has_totals):
    t1 = T1.replace(" | NOISY_COUNT:bigint", "")
    t1 = t1.replace(" |          -2\n", "\n").replace(" |           8\n", "\n")
    given = {"t1": t1, "t2": T2, "ladder_rows": LADDER_ROWS, "exported_index": INDEX}
    return run_sql("exported_rows", given=given, has_totals=has_totals, **VALUES)


def test_a_total_has_the_number_after_all_rows_and_comes_once_and_rows_of_the_table_stay(run_sql):
    found = [row for row in rows(run_sql, has_totals=True) if row[3] == 6]
    assert [(row[1], *row[4:7]) for row in found] == [("06", "age2", True, 9), ("44", "total", False, -3)]
    assert [row[4:7] for row in rows(run_sql, has_totals=False)] == [("age2", True, 8), ("age2", False, 7)]
