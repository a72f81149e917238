"""unmeasured_groups: measured counts of groups, or of tables, that the ground truth does not have."""

import pytest

UNMEASURED = """
    run | region_id | region_type | iteration_code | is_unknown
      1 |     01003 |      COUNTY |           0102 |       true
      1 |     44007 |      COUNTY |           0102 |      false
"""


@pytest.mark.parametrize(("is_unknown", "region"), [(True, "01003"), (False, "44007")])
def test_counts_of_unknown_groups_or_of_groups_with_few_people_are_returned(run_sql, is_unknown, region):
    found = run_sql("unmeasured_groups", given={"unmeasured_counts": UNMEASURED}, is_unknown=is_unknown)
    assert found == [(1, region, "COUNTY", "0102")]
