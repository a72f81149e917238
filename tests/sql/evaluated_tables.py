"""What the tests of sql/tools/evaluate share: two groups of one level, one with a table and one without, in one run."""

EXACT_REGIONS = """
    REGION_TYPE | REGION_ID
            USA |         1
         COUNTY |     01003
         COUNTY |     44007
"""
EXACT_ITERATIONS = """
    REGION_TYPE | ITERATION_CODE
            USA |           0101
         COUNTY |           0102
"""
ITERATIONS = (
    "iteration_id | iteration_code | iteration_name | iteration_level | iteration_kind | flags\n"
    "1 | 0101 | Danes | 2 | alone | {DETAILED_ONLY=true, COARSE_ONLY=false}\n"
    "2 | 0102 | Northern | 2 | alone | {DETAILED_ONLY=false, COARSE_ONLY=true}"
)
LEVELS = """
    level_id | region_type | iteration_level | excluded_flag
           1 |         USA |               2 |   COARSE_ONLY
           2 |      COUNTY |               2 | DETAILED_ONLY
"""
EVALUATED_ITERATIONS = """
    region_type | iteration_code | level_id | population_group_level | is_by_totals
            USA |           0101 |        1 |                  USA-2 |        false
         COUNTY |           0102 |        2 |               COUNTY-2 |        false
"""
LADDER_ITERATIONS = """
    ladder_id | level_id | iteration_id | iteration_position | is_total_only
            1 |        1 |            1 |                  0 |          true
            1 |        2 |            2 |                  0 |         false
"""
EXACT_T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
        01003 |      COUNTY |           0102 |    90
"""
EVALUATED_GROUPS = (
    "region_id | region_type | iteration_code | population_group_level | is_detailed_only | is_coarse_only"
    " | is_total_only | population_group_size | size_start\n"
    "01003 | COUNTY | 0102 | COUNTY-2 | false | true | false | 90 | 10\n"
    "44007 | COUNTY | 0102 | COUNTY-2 | false | true | false | 0 | 0"
)
NOISE_LAWS = """
    population_group_level |      noise | moe95 | deviation | expected_coverage | free_total_from | free_cell_from
                  COUNTY-2 |    stage 2 |    11 |       5.5 |              0.96 |              50 |             20
                  COUNTY-2 | total only |    10 |       5.0 |              0.97 |              40 |             10
"""
# One row of count_errors each: level, bucket, stat level, noise, error (and residual), covered, free, chance.
COUNT_ERRORS_HEAD = (
    "run | population_group_level | size_start | stat_level | noise | error | residual | is_covered | is_free"
    " | expected_coverage"
)


def count_errors(*rows: str) -> str:
    """Table count_errors of run 1: rows such as `COUNTY-2 | 10 | 0 | stage 2 | -3 | true | true | 0.96`."""
    parts = [row.split(" | ") for row in rows]
    return "\n".join([COUNT_ERRORS_HEAD, *(" | ".join(["1", *row[:5], row[4], *row[5:]]) for row in parts)])


LADDER_LEVELS = """
    ladder_id | level_id | total_only_flag | is_by_totals | thresholds
            1 |        1 |   DETAILED_ONLY |        false |        [5]
            1 |        2 |   DETAILED_ONLY |        false |        [5]
            2 |        2 |            NULL |         true |        [5]
"""
LADDER_ROWS = """
    row_id | AGESTART | AGEEND | SEX
         0 |        0 |     17 |   1
         1 |        0 |     17 |   2
         2 |       18 |    115 |   1
         3 |        * |      * |   1
         4 |        * |      * |   2
"""
STATISTIC_CELLS = """
    stat_level | cell_position | row_id | AGESTART | AGEEND | SEX
             1 |             0 |      0 |        0 |     17 |   1
             1 |             1 |      1 |        0 |     17 |   2
             2 |             0 |      0 |        0 |     17 |   1
             2 |             1 |      2 |       18 |    115 |   1
             2 |             2 |      1 |        0 |     17 |   2
"""
STATISTIC_SUMS = """
    stat_level | row_id | cell_position
             1 |      3 |             0
             1 |      4 |             1
             2 |      3 |             0
             2 |      3 |             1
             2 |      4 |             2
"""
LADDER_STATISTICS = "stat_level | statistic_name\n0 | total\n1 | age4\n2 | age9\n3 | age23"
