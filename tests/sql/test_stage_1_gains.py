"""stage_1_gains: how much shorter the intervals of totals are that rest on both stages of noise."""

from tests.sql.reconciled_tables import MEASURED_GROUPS

TABLES = """
    region_type | region_id | iteration_code | statistic | total_low95 | total_high95
         COUNTY |     01001 |           2210 |      age4 |           4 |           16
         COUNTY |     01003 |           2210 |     total |           2 |            8
"""


def test_mean_lengths_of_intervals_are_those_of_totals_with_a_measurement(run_sql):
    given = {"reported_tables": TABLES, "measured_groups": MEASURED_GROUPS}
    assert run_sql("stage_1_gains", given=given) == [("COUNTY", "age4", 1, 12.0, 10.0)]
