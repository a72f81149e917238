"""Tables that the tests of sql/tools/statistics share: county 01003 has a table of two sexes by two ages."""

T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE
    ----------+-------------+----------------+----------+--------+-----+-------+---------
        01003 |      COUNTY |           0102 |        * |      * |   1 |    30 |        8
        01003 |      COUNTY |           0102 |        0 |     17 |   1 |    10 |        4
        01003 |      COUNTY |           0102 |       18 |    115 |   1 |    20 |        4
        01003 |      COUNTY |           0102 |        0 |     17 |   2 |    11 |        4
        01003 |      COUNTY |           0102 |       18 |    115 |   2 |    21 |        4
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE
    ----------+-------------+----------------+-------+---------
        01003 |      COUNTY |           0102 |    62 |       16
        44007 |      COUNTY |           0102 |    40 |        4
"""
TERMS = """
    statistic_number | is_other | region_type | region_id | iteration_code | sex  | age_start | age_end
    -----------------+----------+-------------+-----------+----------------+------+-----------+--------
                   0 |    false |      COUNTY |     01003 |           0102 |    1 |      NULL |    NULL
                   0 |     true |      COUNTY |     01003 |           0102 | NULL |        18 |     115
                   1 |    false |      COUNTY |     44007 |           0102 | NULL |      NULL |    NULL
                   2 |    false |      COUNTY |     01003 |           0102 |    2 |        10 |      17
                   3 |    false |      COUNTY |     44007 |           0102 |    1 |      NULL |    NULL
                   4 |    false |      COUNTY |     44007 |           0102 | NULL |      NULL |    NULL
                   4 |     true |      COUNTY |     44007 |           0102 | NULL |      NULL |    NULL
"""
