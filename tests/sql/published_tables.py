"""The catalog that the tests of sql/run/6_publish and of the ground truth share.

Level 1 (USA) has one region and iterations 0101, a total and nothing else, and 0102; level 2 (COUNTY) has two regions
and iteration 0102. So groups 0 and 1 are USA 0101 and 0102, group 2 is county 01003 and group 3 county 44007.
"""

PUBLIC = {
    "levels": """
        level_id | level_name | region_type
               1 |      USA-1 |         USA
               2 |   COUNTY-2 |      COUNTY
    """,
    "level_sizes": """
        level_id | iterations | first_population_group_id
               1 |          2 |                         0
               2 |          1 |                         2
    """,
    "level_regions": """
        level_id | region_key | first_population_group_id
               1 |          3 |                         0
               2 |          1 |                         2
               2 |          2 |                         3
    """,
    "level_iterations": """
        level_id | iteration_id | iteration_position
               1 |            1 |                  0
               1 |            2 |                  1
               2 |            2 |                  0
    """,
    "ladder_iterations": """
        ladder_id | level_id | iteration_id | iteration_position | is_total_only
                1 |        1 |            1 |                  0 |          true
                1 |        1 |            2 |                  1 |         false
                1 |        2 |            2 |                  0 |         false
                2 |        1 |            1 |                  0 |         false
                2 |        1 |            2 |                  1 |          true
    """,
    "regions": """
        region_key | region_type | region_id
                 1 |      COUNTY |     01003
                 2 |      COUNTY |     44007
                 3 |         USA |         1
    """,
    "iterations": """
        iteration_id | iteration_code
                   1 |           0101
                   2 |           0102
    """,
}
# Sex by two age groups, and the sum of each sex.
STATISTIC_CELLS = """
    stat_level | cell_position | row_id | AGESTART | AGEEND | SEX
             1 |             0 |      2 |        0 |     17 |   1
             1 |             1 |      4 |       18 |    115 |   1
             1 |             2 |      3 |        0 |     17 |   2
             1 |             3 |      5 |       18 |    115 |   2
"""
STATISTIC_SUMS = """
    stat_level | cell_position | row_id
             1 |             0 |      0
             1 |             1 |      0
             1 |             2 |      1
             1 |             3 |      1
"""
LADDER_ROWS = """
    row_id | AGESTART | AGEEND | SEX | AGE_START | AGE_END
         0 |        * |      * |   1 |      NULL |    NULL
         1 |        * |      * |   2 |      NULL |    NULL
         2 |        0 |     17 |   1 |         0 |      17
         3 |        0 |     17 |   2 |         0 |      17
         4 |       18 |    115 |   1 |        18 |     115
         5 |       18 |    115 |   2 |        18 |     115
"""
LADDER_STATISTICS = "stat_level | statistic_name\n0 | total\n1 | age2"
NO_TOTALS = "level_id | population_group_id | noisy_count"
NO_CELLS = "level_id | population_group_id | stat_level | cell_position | noisy_count"
# How groups 0 to 3 are named in ladder 1. Level 99 has no iterations, so no groups.
NAMED_GROUPS = {
    "level_sizes": PUBLIC["level_sizes"],
    "published_regions": """
        level_id | first_population_group_id | level_name | region_key | region_type | region_id
               1 |                         0 |      USA-1 |          3 |         USA |         1
               2 |                         2 |   COUNTY-2 |          1 |      COUNTY |     01003
               2 |                         3 |   COUNTY-2 |          2 |      COUNTY |     44007
              99 |                         3 |      USA-2 |          3 |         USA |         1
    """,
    "published_iterations": """
        level_id | iteration_position | iteration_id | iteration_code | is_total_only
               1 |                  0 |            1 |           0101 |          true
               1 |                  1 |            2 |           0102 |         false
               2 |                  0 |            2 |           0102 |         false
    """,
}
# Every kind of count has a variance and sides of its own, so that no two can be mistaken for one another.
COUNT_UNCERTAINTY = """
    level_id | is_total_only | summed_counts | variance | moe95 | below95 | above95 | least_count
           1 |          true |             1 |     10.5 |     1 |      11 |      21 |        NULL
           1 |         false |             1 |     11.5 |     2 |      12 |      22 |        NULL
           1 |         false |             2 |     12.5 |     3 |      13 |      23 |        NULL
           1 |         false |             4 |     14.5 |     4 |      14 |      24 |        NULL
           2 |         false |             1 |     21.5 |     5 |      15 |      25 |        NULL
           2 |         false |             2 |     22.5 |     6 |      16 |      26 |        NULL
           2 |         false |             4 |     24.5 |     7 |      17 |      27 |           0
"""
NO_SELECTED_TOTALS = "level_id | is_total_only | noisy_count | low95 | high95"
