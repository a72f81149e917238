"""Tables that the tests of sql/tools/statistics share: county 01003 has a table of two sexes by two ages.

Condition 0 is everything, condition 1 the men, condition 2 the people of 18 and over, condition 3 women from 10 to 17,
condition 4 everything, of which a quantile of age is wanted.
"""

TERMS = """
    statistic_number | is_other | region_type | region_id | iteration_code | condition_number | row_id | times | term_number
                   0 |    false |      COUNTY |     01003 |           0102 |                1 |      0 |     1 |           0
                   0 |     true |      COUNTY |     01003 |           0102 |                2 |   NULL |     1 |           1
                   1 |    false |      COUNTY |     44007 |           0102 |                0 |     -1 |     1 |           2
                   2 |    false |      COUNTY |     01003 |           0102 |                3 |   NULL |     1 |           3
                   3 |    false |      COUNTY |     44007 |           0102 |                1 |      0 |     1 |           4
                   5 |    false |      COUNTY |     01003 |           0102 |                4 |     -1 |     1 |           5
"""  # noqa: E501
CELLS = """
    condition_number | stat_level | cell_position | is_whole | bin_start | bin_end
                   0 |          0 |             0 |     true |      NULL |    NULL
                   1 |          0 |             0 |    false |      NULL |    NULL
                   1 |          1 |             0 |     true |      NULL |    NULL
                   1 |          1 |             1 |     true |      NULL |    NULL
                   2 |          1 |             1 |     true |      NULL |    NULL
                   2 |          1 |             3 |     true |      NULL |    NULL
                   3 |          1 |             2 |    false |      NULL |    NULL
                   4 |          1 |             0 |     true |         0 |      17
                   4 |          1 |             1 |     true |        18 |     115
                   4 |          1 |             2 |     true |         0 |      17
                   4 |          1 |             3 |     true |        18 |     115
"""
GROUPS = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | stat_level | first_atom | atoms | level_name | is_total_only
        01003 |      COUNTY |           0102 |          1 |          7 |     4 |   COUNTY-2 |         false
        44007 |      COUNTY |           0102 |          0 |         11 |     1 |   COUNTY-2 |         false
"""
ROWS = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | atom
        01003 |      COUNTY |           0102 |    62 |       16 |     8 | NULL
        01003 |      COUNTY |           0102 |    10 |        4 |     4 |    7
        01003 |      COUNTY |           0102 |    20 |        4 |     4 |    8
        01003 |      COUNTY |           0102 |    11 |        4 |     4 |    9
        01003 |      COUNTY |           0102 |    21 |        4 |     4 |   10
        44007 |      COUNTY |           0102 |    40 |        4 |     4 |   11
"""
GIVEN = {"asked_terms": TERMS, "asked_cells": CELLS, "summed_groups": GROUPS, "summed_rows": ROWS}
WANTED_CELLS = """
    statistic_number | is_other |  level_name | is_total_only | stat_level | atom | noisy_count | variance | is_whole | bin_start | bin_end | times
                   0 |    false |    COUNTY-2 |         false |          1 |    7 |          10 |        4 |     true |      NULL |    NULL |     1
                   0 |    false |    COUNTY-2 |         false |          1 |    8 |          20 |        4 |     true |      NULL |    NULL |     1
                   0 |     true |    COUNTY-2 |         false |          1 |    8 |          20 |        4 |     true |      NULL |    NULL |     1
                   0 |     true |    COUNTY-2 |         false |          1 |   10 |          21 |        4 |     true |      NULL |    NULL |     1
                   1 |    false |    COUNTY-2 |         false |          0 |   11 |          40 |        4 |     true |      NULL |    NULL |     1
                   2 |    false |    COUNTY-2 |         false |          1 |    9 |          11 |        4 |    false |      NULL |    NULL |     1
                   3 |    false |    COUNTY-2 |         false |          0 |   11 |          40 |        4 |    false |      NULL |    NULL |     1
                   5 |    false |    COUNTY-2 |         false |          1 |    7 |          10 |        4 |     true |         0 |      17 |     1
                   5 |    false |    COUNTY-2 |         false |          1 |    8 |          20 |        4 |     true |        18 |     115 |     1
                   5 |    false |    COUNTY-2 |         false |          1 |    9 |          11 |        4 |     true |         0 |      17 |     1
                   5 |    false |    COUNTY-2 |         false |          1 |   10 |          21 |        4 |     true |        18 |     115 |     1
"""  # noqa: E501
