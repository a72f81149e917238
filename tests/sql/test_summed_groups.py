"""summed_groups: the groups of a sum, the table of each, and its independent noisy counts (atoms)."""

import pytest

from tests.sql.evaluated_tables import LADDER_STATISTICS, STATISTIC_CELLS, STATISTIC_SUMS

HEAD = """
    TABLE | REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
"""
# County 44007 has a table of two cells and a total; county 44009 and iteration 2220 have a total alone.
T1 = """
       T1 |     44009 |      COUNTY |           2210 |      NULL |     NULL |   NULL | NULL |   -3 |      2.0 |   1.0
       T1 |     44007 |      COUNTY |           2210 |      NULL |     NULL |   NULL | NULL |    6 |      8.0 |   1.0
       T1 |     44007 |      COUNTY |           2220 |      NULL |     NULL |   NULL | NULL |    7 |      2.0 |   1.0
"""
T2 = """
       T2 |     44007 |      COUNTY |           2210 |      age4 |        0 |     17 |    2 |    4 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        0 |     17 |    1 |    2 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        * |      * |    2 |    4 |      4.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        * |      * |    1 |    2 |      4.0 |   1.0
"""
GROUPS = """
    REGION_TYPE | REGION_ID | ITERATION_CODE
         COUNTY |     44009 |           2210
         COUNTY |     44007 |           2210
         COUNTY |     44007 |           2220
"""
LEVELS = "region_type | iteration_code | level_name | is_total_only\nCOUNTY | 2210 | COUNTY-2 | false"


def rows_of(*parts: str) -> str:
    return "\n".join(part.strip("\n") for part in (HEAD, *parts))


def found(run_sql, *parts: str, groups: str = GROUPS) -> list[tuple[object, ...]]:
    public = {
        "ladder_statistics": LADDER_STATISTICS,
        "statistic_cells": STATISTIC_CELLS,
        "statistic_sums": STATISTIC_SUMS,
        "group_levels": LEVELS,
    }
    given = {"published_rows": rows_of(*parts), "asked_groups": groups, **public}
    return run_sql("summed_groups", table_name="T2", given=given)


def test_a_group_has_the_cells_of_its_table_or_its_total_numbered_without_gaps(run_sql):
    assert found(run_sql, T1, T2) == [
        *(("44007", "COUNTY", "2210", 1, 0, 2, "COUNTY-2", False), ("44007", "COUNTY", "2220", 0, 2, 1, None, None)),
        ("44009", "COUNTY", "2210", 0, 3, 1, "COUNTY-2", False),
    ]


@pytest.mark.parametrize(("named", "stat_level"), [("NULL", 1), ("age9", 2), ("age5", None)])
def test_a_table_is_that_which_its_rows_name_or_else_that_of_their_number(run_sql, named, stat_level):
    assert found(run_sql, T1, T2.replace("age4", named))[0][3] == stat_level
