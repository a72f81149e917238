"""nested_remainders: the sums of groups without a table, by the numbers of their parents."""

from tests.sql.reconciled_tables import NESTED_GROUPS, TREE_REGIONS

REMAINDERS = """
    PARENT_TYPE | PARENT_ID | REGION_TYPE | ITERATION_CODE | MEMBERS | COUNT | VARIANCE
    ------------+-----------+-------------+----------------+---------+-------+---------
          STATE |        01 |      COUNTY |           2220 |       2 |     9 |      4.0
          STATE |        02 |      COUNTY |           2220 |       1 |     3 |      2.0
          STATE |        01 |      COUNTY |           2230 |       1 |     3 |      2.0
"""


def test_a_sum_of_a_known_region_and_a_published_iteration_is_numbered(run_sql):
    given = {"remainders": REMAINDERS, "tree_regions": TREE_REGIONS, "nested_groups": NESTED_GROUPS}
    assert run_sql("nested_remainders", given=given) == [(2, 3, "COUNTY", 2, 9, 4.0)]
