"""unselected_totals: how many published totals of each region no ladder tabulates."""

from tests.sql.published_tables import PUBLIC
from tests.sql.totals_tables import total_rows

LADDER_LEVELS = """
    ladder_id | level_id | total_only_flag | is_by_totals | thresholds
    ----------+----------+-----------------+--------------+-----------
            1 |        2 |                 |         true | [10, 20]
            2 |        1 |                 |        false | []
"""


def test_what_is_left_out_says_whether_its_region_is_unknown(run_sql):
    totals = [
        "COUNTY | 44007 | 0102 | 3",
        "COUNTY | 44007 | 0101 | 3",
        "COUNTY | 44007 | 0103 | 3",
        "COUNTY | 99999 | 0102 | 3",
        "TRACT | 1 | 0102 | 3",
        "USA | 1 | 0101 | 3",
    ]
    given = {name: PUBLIC[name] for name in ("levels", "regions", "iterations", "ladder_iterations")}
    given |= {"ladder_levels": LADDER_LEVELS, "total_rows": total_rows(*totals)}
    assert run_sql("unselected_totals", given=given) == [
        ("COUNTY", "44007", False, 2),
        ("COUNTY", "99999", True, 1),
        ("TRACT", "1", False, 1),
        ("USA", "1", False, 1),
    ]
