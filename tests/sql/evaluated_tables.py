"""What the tests of sql/tools/evaluate share: two groups of one level, one with a table and one without, in one run."""

EXACT_REGIONS = """
    REGION_TYPE | REGION_ID
    ------------+----------
            USA |         1
         COUNTY |     01003
         COUNTY |     44007
"""
EXACT_ITERATIONS = """
    REGION_TYPE | ITERATION_CODE
    ------------+---------------
            USA |           0101
         COUNTY |           0102
"""
ITERATIONS = (
    "iteration_id | iteration_code | iteration_name | iteration_level | iteration_kind | flags\n-\n"
    "1 | 0101 | Danes | 2 | alone | {DETAILED_ONLY=true, COARSE_ONLY=false}\n"
    "2 | 0102 | Northern | 2 | alone | {DETAILED_ONLY=false, COARSE_ONLY=true}"
)
LEVELS = """
    level_id | region_type | iteration_level | iteration_kind | excluded_flag
    ---------+-------------+-----------------+-------------------------------
           1 |         USA |               2 |                |   COARSE_ONLY
           2 |      COUNTY |               2 |                | DETAILED_ONLY
"""
EVALUATED_ITERATIONS = """
    region_type | iteration_code | level_id | population_group_level | is_by_totals
    ------------+----------------+----------+------------------------+-------------
            USA |           0101 |        1 |                  USA-2 |        false
         COUNTY |           0102 |        2 |               COUNTY-2 |        false
"""
LADDER_ITERATIONS = """
    ladder_id | level_id | iteration_id | iteration_position | is_total_only
    ----------+----------+--------------+--------------------+--------------
            1 |        1 |            1 |                  0 |          true
            1 |        2 |            2 |                  0 |         false
"""
EXACT_T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
    ----------+-------------+----------------+------
        01003 |      COUNTY |           0102 |    90
"""
EVALUATED_GROUPS = (
    "region_id | region_type | iteration_code | population_group_level | is_detailed_only | is_coarse_only"
    " | is_total_only | population_group_size | size_start\n-\n"
    "01003 | COUNTY | 0102 | COUNTY-2 | false | true | false | 90 | 10\n"
    "44007 | COUNTY | 0102 | COUNTY-2 | false | true | false | 0 | 0"
)
NOISE_LAWS = """
    population_group_level |       noise | law_id | moe95 | variance | expected_coverage | free_total_from | free_cell_from
    -
    COUNTY-2 |     stage 2 | 0 |  11 | 30.25 |  0.96 | 50 | 20
    COUNTY-2 |  total only | 0 |  10 |  25.0 |  0.97 | 40 | 10
    COUNTY-2 | SEX of age4 | 1 | 4.5 |   4.0 | 0.951 |  0 |  0
"""  # noqa: E501
# age4 is measured with the table of SEX and with the total; age9 alone.
MEASURED_ROWS = """
    population_group_level | is_total_only | stat_level | row_id |     statistic |         noise | law_id | shared
    -----------------------+---------------+------------+--------+---------------+---------------+--------+-------
                  COUNTY-2 |          true |          0 |     -1 |    total only |    total only |      0 |    1.0
                  COUNTY-2 |         false |          0 |     -1 |         total |       stage 2 |      0 |    1.0
                  COUNTY-2 |         false |          1 |      0 |          age4 |       stage 2 |      0 |    1.0
                  COUNTY-2 |         false |          1 |      1 |          age4 |       stage 2 |      0 |    1.0
                  COUNTY-2 |         false |          1 |      3 |   SEX of age4 |   SEX of age4 |      1 |    1.5
                  COUNTY-2 |         false |          1 |     -1 | TOTAL of age4 | TOTAL of age4 |      0 |    1.0
                  COUNTY-2 |         false |          2 |      0 |          age9 |       stage 2 |      0 |    1.0
"""
# One row of count_errors each: level, bucket, stat level, statistic, noise, error, covered, free, chance.
COUNT_ERRORS_HEAD = (
    "run | population_group_level | size_start | stat_level | statistic | noise | error | residual | is_covered"
    " | is_free | expected_coverage | law_id | is_cell | stated_moe95 | stated_variance | shared"
)


def count_errors(*rows: str, end: str = "0 | true | 11.0 | 30.25 | 1.0") -> str:
    """Table count_errors of run 1: rows such as `COUNTY-2 | 10 | 0 | age4 | stage 2 | -3 | true | true | 0.96`.

    end: its law, whether it is a cell, margin, variance and what it shares; of rows that do not say it.
    """
    parts = [row.split(" | ") for row in rows]
    lines = [" | ".join(["1", *row[:6], row[5], *row[6:], *([end] if len(row) == 9 else [])]) for row in parts]
    return "\n".join([COUNT_ERRORS_HEAD, "-", *lines])


LADDER_LEVELS = """
    ladder_id | level_id | total_only_flag | is_by_totals | thresholds
    ----------+----------+-----------------+--------------+-----------
            1 |        1 |   DETAILED_ONLY |        false |        [5]
            1 |        2 |   DETAILED_ONLY |        false |        [5]
            2 |        2 |            NULL |         true |        [5]
"""
LADDER_ROWS = """
    row_id | AGESTART | AGEEND | SEX
    -------+----------+--------+----
         0 |        0 |     17 |   1
         1 |        0 |     17 |   2
         2 |       18 |    115 |   1
         3 |        * |      * |   1
         4 |        * |      * |   2
"""
STATISTIC_CELLS = """
    stat_level | cell_position | row_id | AGESTART | AGEEND | SEX
    -----------+---------------+--------+----------+--------+----
             1 |             0 |      0 |        0 |     17 |   1
             1 |             1 |      1 |        0 |     17 |   2
             2 |             0 |      0 |        0 |     17 |   1
             2 |             1 |      2 |       18 |    115 |   1
             2 |             2 |      1 |        0 |     17 |   2
"""
STATISTIC_SUMS = """
    stat_level | row_id | cell_position
    -----------+--------+--------------
             1 |      3 |             0
             1 |      4 |             1
             2 |      3 |             0
             2 |      3 |             1
             2 |      4 |             2
"""
LADDER_STATISTICS = """
    stat_level | statistic_name
    -----------+---------------
             0 |          total
             1 |           age4
             2 |           age9
             3 |          age23
"""
