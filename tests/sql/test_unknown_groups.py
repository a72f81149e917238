"""unknown_groups: measured counts of groups that the ground truth or the code lists do not have."""

UNMEASURED = """
    run | region_id | region_type | iteration_code | is_unknown
    ----+-----------+-------------+----------------+-----------
      1 |     01003 |      COUNTY |           0102 |       true
      1 |     44007 |      COUNTY |           0102 |      false
"""


def test_counts_of_what_is_unknown_are_returned(run_sql):
    assert run_sql("unknown_groups", given={"unmeasured_counts": UNMEASURED}) == [(1, "01003", "COUNTY", "0102")]
