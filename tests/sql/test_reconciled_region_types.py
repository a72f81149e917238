"""reconciled_region_types: what reconciling changed, by table and region type."""

from tests.sql.reconciled_tables import T1, T2

RECONCILED_T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | NOISY_COUNT
        01001 |      COUNTY |           2210 |  12.0 |      5.0 |          10
        01003 |      COUNTY |           2210 |   5.0 |      1.0 |           5
      0100100 |       PLACE |           2210 |   7.0 |      2.0 |           7
           01 |       STATE |           2210 |  17.5 |      2.0 |          18
           01 |       STATE |           2220 |  -1.0 |      3.0 |          -1
"""
RECONCILED_T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | SEX | COUNT | VARIANCE | NOISY_COUNT
        01001 |      COUNTY |           2210 |        * |   1 |   3.5 |      2.0 |           3
        01001 |      COUNTY |           2210 |       18 |   1 |   2.0 |      1.0 |           2
"""


def test_rows_changed_rows_and_mean_variances_are_told_by_table_and_region_type(run_sql):
    given = {"released_totals": T1, "t2": T2, "reconciled_t1": RECONCILED_T1, "reconciled_t2": RECONCILED_T2}
    assert run_sql("reconciled_region_types", given=given) == [
        ("T1", "COUNTY", 2, 1, 5.0, 3.0),
        ("T1", "PLACE", 1, 0, 2.0, 2.0),
        ("T1", "STATE", 2, 1, 3.0, 2.5),
        ("T2", "COUNTY", 2, 1, 16 / 6, 1.5),
    ]
