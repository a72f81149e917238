"""published_rows: every row of both published tables."""

from tests.sql.test_possible_rows import T1, T2
from tests.sql.test_row_shapes import NAMES


def _with_margins(table):
    head, *rows = table.strip().splitlines()
    return "\n".join([f"{head} | VARIANCE | MOE95", *(f"{row} | 2.5 | 4.0" for row in rows)])


def test_every_row_of_both_tables_is_there_once_as_it_was_published_totals_in_the_table_too(run_sql):
    rows = run_sql("published_rows", given={"t1": _with_margins(T1), "t2": _with_margins(T2)}, **NAMES)
    assert rows == [
        ("T1", "1", "USA", "1110", None, None, None, None, 5, 2.5, 4.0),
        ("T1", "44007", "COUNTY", "2210", None, None, None, None, 3, 2.5, 4.0),
        ("T2", "1", "USA", "1110", "age4", "*", "*", "2", 5, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "age4", "*", "*", "1", 2, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "age4", "*", "*", "2", 1, 2.5, 4.0),
    ]
    columns = {"other_columns": ["OUTCOME"]}
    given = {"t1": _with_margins(T1), "t2": _with_margins(T2)}
    rows = run_sql("published_rows", given=given, **{**NAMES, "has_totals": False}, **columns)
    assert [row[4:9] for row in rows] == [("age4", "*", "*", sex, None) for sex in "212"]
