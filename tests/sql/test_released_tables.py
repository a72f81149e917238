"""released_tables: which table of the ladder a group got."""

import pytest

from tests.sql.evaluated_tables import LADDER_STATISTICS, STATISTIC_CELLS, STATISTIC_SUMS
from tests.sql.test_measured_counts import TABLE


def found(run_sql, t2: str) -> list[tuple[object, ...]]:
    public = {"statistic_cells": STATISTIC_CELLS, "statistic_sums": STATISTIC_SUMS}
    return run_sql("released_tables", given={"released_t2": t2, "ladder_statistics": LADDER_STATISTICS, **public})


@pytest.mark.parametrize(
    ("named", "stat_level"),
    [("age4", 1), ("NULL", 1), ("age9", 2), ("age5", None)],
    ids=["named", "recognised by its four rows", "named against its rows", "unknown"],
)
def test_a_table_is_that_which_its_rows_name_or_else_that_of_their_number(run_sql, named, stat_level):
    rows = found(run_sql, TABLE.replace(" age4 |", f" {named} |"))
    assert rows == [(1, "01003", "COUNTY", "0102", stat_level)]


def test_a_total_alone_is_no_table(run_sql):
    head = TABLE.strip().splitlines()[0]
    assert found(run_sql, f"{head}\n1 | 01003 | COUNTY | 0102 | total | * | * | * | 9 | 9 | 4 | 7.5") == []
