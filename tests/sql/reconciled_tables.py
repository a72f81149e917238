"""A small release that the tests of sql/tools/reconcile share: two counties in one state, and a place in neither.

Iteration 2210 has a table of two ages in county 01001 and a total elsewhere; 2220 has a total in the state alone.
"""

T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95
    ----------+-------------+----------------+-------+----------+------
        01001 |      COUNTY |           2210 |    10 |      8.0 |   6.0
        01003 |      COUNTY |           2210 |     5 |      2.0 |   3.0
      0100100 |       PLACE |           2210 |     7 |      2.0 |   3.0
           01 |       STATE |           2210 |    18 |      3.0 |   4.0
           01 |       STATE |           2220 |    -1 |      3.0 |   4.0
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
    ----------+-------------+----------------+----------+--------+-----+-------+----------+------
        01001 |      COUNTY |           2210 |        * |      * |   1 |     3 |      4.0 |   4.0
        01001 |      COUNTY |           2210 |        * |      * |   2 |     7 |      4.0 |   4.0
        01001 |      COUNTY |           2210 |        0 |     17 |   1 |     1 |      2.0 |   3.0
        01001 |      COUNTY |           2210 |        0 |     17 |   2 |     3 |      2.0 |   3.0
        01001 |      COUNTY |           2210 |       18 |    115 |   1 |     2 |      2.0 |   3.0
        01001 |      COUNTY |           2210 |       18 |    115 |   2 |     4 |      2.0 |   3.0
"""
REGIONS = """
    region_key | region_type | region_id
    -----------+-------------+----------
             1 |      COUNTY |     01001
             2 |      COUNTY |     01003
             3 |       PLACE |   0100100
             4 |       STATE |        01
"""
REGION_PARENTS = """
    region_key | region_type | parent_region_key
    -----------+-------------+------------------
             1 |      COUNTY |                 4
             2 |      COUNTY |                 4
             3 |       PLACE |              NULL
             4 |       STATE |              NULL
"""
NESTED_GROUPS = """
    group_id | iteration_number | region_key | region_type | region_id | iteration_code | stat_level | variance | is_evidence
    ---------+------------------+------------+-------------+-----------+----------------+------------+----------+------------
           0 |                1 |          1 |      COUNTY |     01001 |           2210 |          1 |      2.0 |        true
           1 |                1 |          2 |      COUNTY |     01003 |           2210 |          0 |      2.0 |       false
           2 |                1 |          4 |       STATE |        01 |           2210 |          0 |      3.0 |        true
           3 |                2 |          4 |       STATE |        01 |           2220 |          0 |      3.0 |        true
"""  # noqa: E501
# Group 0 was reconciled, all but the cell of the youngest boys; group 2 too.
RECONCILED_COUNTS = """
    group_id | cell_position | estimate | variance | moe95
    ---------+---------------+----------+----------+------
           0 |            -3 |      8.5 |      3.5 |   3.7
           0 |            -2 |      3.5 |      3.5 |   3.7
           0 |            -1 |     12.0 |      5.0 |   4.4
           0 |             1 |      2.5 |      1.5 |   2.4
           0 |             2 |      3.5 |      1.5 |   2.4
           0 |             3 |      5.0 |      1.5 |   2.4
           2 |            -1 |     17.5 |      2.0 |   2.8
"""
