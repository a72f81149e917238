"""tables_below_floor: released tables of groups whose cells the ground truth does not hold."""

UNMEASURED = """
    run | region_id | region_type | iteration_code | is_unknown
    ----+-----------+-------------+----------------+-----------
      1 |     01003 |      COUNTY |           0102 |       true
      1 |     44007 |      COUNTY |           0102 |      false
"""


def test_counts_of_groups_with_few_people_are_returned(run_sql):
    assert run_sql("tables_below_floor", given={"unmeasured_counts": UNMEASURED}) == [(1, "44007", "COUNTY", "0102")]
