"""wanted_measurements: what stage 1 measured of the groups whose totals are wanted."""

from tests.sql.reconciled_tables import MEASURED_GROUPS

ASKED = """
    statistic_number | is_other | region_type | region_id | iteration_code | condition_number | row_id | term_number
                   0 |    false |      COUNTY |     01001 |           2210 |                0 |     -1 |           0
                   1 |    false |      COUNTY |     01001 |           2210 |                1 |      3 |           1
                   2 |     true |      COUNTY |     01001 |           2210 |                0 |     -1 |           2
                   3 |    false |      COUNTY |     01003 |           2210 |                0 |     -1 |           3
"""


def test_totals_of_measured_groups_have_a_measurement_and_nothing_else_has(run_sql):
    levels = "region_type | iteration_code | level_name | is_total_only\nCOUNTY | 2210 | COUNTY-2 | false"
    given = {"asked_terms": ASKED, "measured_groups": MEASURED_GROUPS, "group_levels": levels}
    assert run_sql("wanted_measurements", given=given) == [(0, 12, "COUNTY-2")]
