"""tables_below_floor: released tables of groups whose cells the ground truth does not hold."""

import pytest

from tests.sql.evaluated_tables import EVALUATED_GROUPS

COUNTS = """
    run | region_id | region_type | iteration_code | stat_level | noisy_count | exact_count | moe95
    ----+-----------+-------------+----------------+------------+-------------+-------------+------
      1 |     01003 |      COUNTY |           0102 |          1 |          91 |          90 |    11
      1 |     44007 |      COUNTY |           0102 |          0 |           3 |           0 |    11
"""


@pytest.mark.parametrize(("floor", "found"), [(90, []), (91, ["01003"])], ids=["at the floor", "below it"])
def test_a_table_of_a_group_with_fewer_people_than_the_floor_is_returned_and_a_total_is_not(run_sql, floor, found):
    floors = f"population_group_level | table_floor\n-\nCOUNTY-2 | {floor}"
    given = {"measured_counts": COUNTS, "evaluated_groups": EVALUATED_GROUPS, "table_floors": floors}
    assert [row[1] for row in run_sql("tables_below_floor", given=given)] == found
