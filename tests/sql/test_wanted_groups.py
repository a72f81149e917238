"""wanted_groups: the population groups that wanted counts are of, and what is known of those without a row."""

from tests.sql.wanted_tables import GROUPS

TERMS = """
    statistic_number | is_other | region_type | region_id | iteration_code | condition_number | row_id
                   0 |    false |      COUNTY |     01003 |           0102 |                0 |     -1
                   0 |     true |      COUNTY |     44007 |           0102 |                0 |     -1
                   1 |    false |      COUNTY |     01003 |           0103 |                0 |     -1
                   1 |     true |      COUNTY |     09999 |           0103 |                0 |     -1
                   2 |    false |         USA |         1 |           0103 |                0 |     -1
"""
INDEX = """
    REGION_TYPE | REGION_ID
         COUNTY |     01003
         COUNTY |     01003
         COUNTY |     44007
            USA |         1
"""
SUPPRESSED = """
    REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95
         COUNTY |           0102 |               20 |     29
         COUNTY |           0103 |               21 |     31
"""


def found(run_sql):
    given = {"asked_terms": TERMS, "summed_groups": GROUPS, "group_index": INDEX, "suppressed": SUPPRESSED}
    return {row[:2]: row[3:] for row in run_sql("wanted_groups", given=given)}


def test_a_group_has_its_table_or_the_limit_of_its_kind_or_nothing_is_known(run_sql):
    assert [found(run_sql)[0, is_other] for is_other in (False, True)] == [(1, None, None), (0, None, None)]
    assert found(run_sql)[1, False] == (None, 21, 31)
    assert [found(run_sql)[each] for each in ((1, True), (2, False))] == [(None, None, None)] * 2
