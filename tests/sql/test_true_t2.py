"""true_t2: the published tables with the exact counts of the same rows."""

from tests.sql.quality_tables import t2
from tests.sql.test_measured_counts import EXACT_T2


def test_a_published_row_gets_its_exact_count_or_0(run_sql):
    rows = t2("01003 | COUNTY | 0102 | 0 | 17 | 1 | 33 | 4.0 | 4", "01003 | COUNTY | 0102 | 18 | 115 | 1 | 3 | 4.0 | 4")
    assert [row[3:7] for row in run_sql("true_t2", given={"t2": rows, "exact_t2": EXACT_T2})] == [
        ("0", "17", "1", 30),
        ("18", "115", "1", 0),
    ]
