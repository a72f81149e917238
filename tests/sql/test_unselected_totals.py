"""unselected_totals: the published totals that no ladder tabulates."""

from tests.sql.published_tables import PUBLIC
from tests.sql.totals_tables import total_rows

SELECTED = "region_type | region_id | iteration_code\n-\nCOUNTY | 44007 | 0102"


def test_what_is_left_out_says_whether_its_region_is_unknown(run_sql):
    totals = [
        "COUNTY | 44007 | 0102 | 3",
        "COUNTY | 44007 | 0101 | 3",
        "COUNTY | 99999 | 0102 | 3",
        "TRACT | 1 | 0102 | 3",
    ]
    given = {name: PUBLIC[name] for name in ("levels", "regions")}
    rows = run_sql("unselected_totals", given={**given, "total_rows": total_rows(*totals), "selected_groups": SELECTED})
    assert rows == [
        ("COUNTY", "44007", "0101", False),
        ("COUNTY", "99999", "0102", True),
        ("TRACT", "1", "0102", False),
    ]
