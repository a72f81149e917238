"""A small release that the tests of sql/tools/reconcile share: two counties in one state, and a place in neither.

Iteration 2210 has a table of two ages in county 01001 and a total elsewhere; 2220 has a total in the state alone.
"""

T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
        01001 |      COUNTY |           2210 |    10 |      8.0 |   6.0 |     4 |     16
        01003 |      COUNTY |           2210 |     5 |      2.0 |   3.0 |     2 |      8
      0100100 |       PLACE |           2210 |     7 |      2.0 |   3.0 |     4 |     10
           01 |       STATE |           2210 |    18 |      3.0 |   4.0 |    14 |     22
           01 |       STATE |           2220 |    -1 |      3.0 |   4.0 |    -5 |      3
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
        01001 |      COUNTY |           2210 |        * |      * |   1 |     3 | 4.0 | 4.0 | -1 | 7
        01001 |      COUNTY |           2210 |        * |      * |   2 |     7 | 4.0 | 4.0 | 3 | 11
        01001 |      COUNTY |           2210 |        0 |     17 |   1 |     1 | 2.0 | 3.0 | -2 | 4
        01001 |      COUNTY |           2210 |        0 |     17 |   2 |     3 | 2.0 | 3.0 | 0 | 6
        01001 |      COUNTY |           2210 |       18 |    115 |   1 |     2 | 2.0 | 3.0 | -1 | 5
        01001 |      COUNTY |           2210 |       18 |    115 |   2 |     4 | 2.0 | 3.0 | 1 | 7
"""
REGIONS = """
    region_key | region_type | region_id
             1 |      COUNTY |     01001
             2 |      COUNTY |     01003
             3 |       STATE |        01
"""
REGION_PARENTS = """
    region_key | region_type | parent_region_key
             1 |      COUNTY |                 3
             2 |      COUNTY |                 3
             3 |       STATE |              NULL
"""
TREE_REGIONS = """
    region_key | region_type | region_id | parent_region_key
             1 |      COUNTY |     01001 |                 3
             2 |      COUNTY |     01003 |                 3
             3 |       STATE |        01 |              NULL
             4 |       PLACE |   0100100 |              NULL
"""
# Stage 1 measured the county with a table.
MEASURED_GROUPS = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STAGE_1 | STAGE_1_VARIANCE | LOW95 | HIGH95
        01001 |      COUNTY |           2210 |      12 |             18.0 |     5 |     15
"""
NO_NESTING = """
    iteration_code | parent_code | root_code | levels_above | parts
"""
NESTED_GROUPS = """
    group_id | iteration_number | root_code | region_key | region_type | region_id | iteration_code | stat_level | variance | is_evidence | stage_1 | level_name | low95 | high95
           0 |                1 |      2210 |          1 |      COUNTY |     01001 |           2210 |          1 |      2.0 |        true |      12 |   COUNTY-2 |     5 |     15
           1 |                1 |      2210 |          2 |      COUNTY |     01003 |           2210 |          0 |      2.0 |       false |    NULL |   COUNTY-2 |  NULL |   NULL
           2 |                1 |      2210 |          3 |       STATE |        01 |           2210 |          0 |      3.0 |        true |    NULL |    STATE-2 |  NULL |   NULL
           3 |                1 |      2210 |          4 |       PLACE |   0100100 |           2210 |          0 |      2.0 |       false |    NULL |       NULL |  NULL |   NULL
           4 |                2 |      2220 |          3 |       STATE |        01 |           2220 |          0 |      3.0 |        true |    NULL |    STATE-2 |  NULL |   NULL
"""  # noqa: E501
# Group 0 was reconciled, all but the cell of the youngest boys (row 2); group 2 too.
RECONCILED_COUNTS = """
    group_id | row_id | estimate | variance | moe95 | low95 | high95
           0 |      1 |      8.5 |      3.5 |   3.7 |     5 |     12
           0 |      0 |      3.5 |      3.5 |   3.7 |     0 |      7
           0 |     -1 |     12.0 |      5.0 |   4.4 |     8 |     16
           0 |      4 |      2.5 |      1.5 |   2.4 |     1 |      4
           0 |      3 |      3.5 |      1.5 |   2.4 |     2 |      5
           0 |      5 |      5.0 |      1.5 |   2.4 |     3 |      7
           2 |     -1 |     17.5 |      2.0 |   2.8 |    15 |     20
"""
