"""true_t1: the published totals with the exact counts of the same groups."""

from tests.sql.evaluated_tables import EXACT_T1
from tests.sql.quality_tables import t1


def test_a_published_total_gets_its_exact_count_or_0(run_sql):
    rows = t1("01003 | COUNTY | 0102 | 91 | 4.0 | 4", "44007 | COUNTY | 0102 | 3 | 4.0 | 4")
    assert run_sql("true_t1", given={"t1": rows, "exact_t1": EXACT_T1}) == [
        ("01003", "COUNTY", "0102", 90, 4.0),
        ("44007", "COUNTY", "0102", 0, 4.0),
    ]
