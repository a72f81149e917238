"""published_rows: every row of both published tables."""

from tests.sql.test_possible_rows import T1, T2


def _with_margins(table):
    head, line, *rows = table.strip().splitlines()
    return "\n".join(
        [f"{head} | VARIANCE | MOE95", f"{line}+----------+------", *(f"{row} | 2.5 | 4.0" for row in rows)]
    )


def test_every_row_of_both_tables_is_there_as_it_was_published_a_total_without_age_and_sex(run_sql):
    rows = run_sql("published_rows", given={"t1": _with_margins(T1), "t2": _with_margins(T2)})
    assert rows == [
        ("T1", "1", "USA", "1110", None, None, None, 5, 2.5, 4.0),
        ("T1", "44007", "COUNTY", "2210", None, None, None, 3, 2.5, 4.0),
        ("T2", "1", "USA", "1110", "*", "*", "2", 5, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "*", "*", "1", 2, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "*", "*", "2", 1, 2.5, 4.0),
    ]
