"""group_errors: the error report, in production's columns."""

from tests.sql.evaluated_tables import EVALUATED_GROUPS

COUNTS = """
    run | region_id | region_type | iteration_code | stat_level | noisy_count | exact_count | moe95
      1 |     44007 |      COUNTY |           0102 |          0 |          30 |           0 |    11
      2 |     01003 |      COUNTY |           0102 |          0 |          91 |          90 |    11
      1 |     01003 |      COUNTY |           0102 |          1 |          27 |          30 |    11
      1 |     01003 |      COUNTY |           0102 |          1 |          64 |          60 |    11
"""


def test_errors_of_a_group_are_added_up_over_its_measured_counts_without_their_signs(run_sql_in_order):
    given = {"measured_counts": COUNTS, "evaluated_groups": EVALUATED_GROUPS}
    assert run_sql_in_order("group_errors", given=given) == [
        (1, "01003", "COUNTY", "0102", False, True, False, "COUNTY-2", 90, 1, 2, 7, 25),
        (2, "01003", "COUNTY", "0102", False, True, False, "COUNTY-2", 90, 0, 1, 1, 1),
        (1, "44007", "COUNTY", "0102", False, True, False, "COUNTY-2", 0, 0, 1, 30, 900),
    ]
