"""summed_rows: the rows of the groups of a sum, and which independent noisy count (atom) each is."""

import pytest

from tests.sql.evaluated_tables import LADDER_ROWS, STATISTIC_CELLS
from tests.sql.test_summed_groups import T1, T2, rows_of

GROUPS = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | stat_level | first_atom | atoms | level_name | is_total_only
        44007 |      COUNTY |           2210 |          1 |          5 |     2 |   COUNTY-2 |         false
        44009 |      COUNTY |           2210 |          0 |          7 |     1 |   COUNTY-2 |          true
"""
TABLED = ("COUNTY-2", False)


@pytest.fixture
def summed_rows(run_sql):
    """Key of each row (table, region, age, sex) -> count, variance, margin, stat level, row, first atom, atom."""
    given = {"published_rows": rows_of(T1, T2), "summed_groups": GROUPS}
    public = {"ladder_rows": LADDER_ROWS, "statistic_cells": STATISTIC_CELLS}
    rows = run_sql("summed_rows", given={**given, **public})
    return {(*row[:2], row[5], row[7]): row[8:] for row in rows}


def test_a_cell_is_the_atom_of_its_place_a_total_alone_is_one_and_a_sum_is_none(summed_rows):
    assert summed_rows["T2", "44007", "0", "1"] == (2, 2.0, 1.0, 1, *TABLED, 0, 5, 5)
    assert summed_rows["T2", "44007", "0", "2"] == (4, 2.0, 1.0, 1, *TABLED, 1, 5, 6)
    assert [summed_rows["T2", "44007", "*", sex][3:] for sex in "12"] == [(1, *TABLED, row, 5, None) for row in (3, 4)]
    assert summed_rows["T1", "44007", None, None][3:] == (1, *TABLED, -1, 5, None)
    assert summed_rows["T1", "44009", None, None] == (-3, 2.0, 1.0, 0, "COUNTY-2", True, -1, 7, 7)
