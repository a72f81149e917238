"""stage_1_gains: how much shorter the intervals of totals are that rest on both stages of noise."""

from tests.sql.reconciled_tables import MEASURED_GROUPS, T1, T2


def test_mean_lengths_of_intervals_are_those_of_totals_with_a_measurement(run_sql):
    given = {"t1": T1, "t2": T2, "measured_groups": MEASURED_GROUPS}
    assert run_sql("stage_1_gains", given=given) == [("COUNTY", 4, 1, 12.0, 10.0)]
