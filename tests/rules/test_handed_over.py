"""The tables that Python hands to SQL have the columns and types that handed_over.py declares."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from safetab_sql.confidential.counts import GroupTotals, every_stat_level
from safetab_sql.handed_over import HANDED_OVER
from safetab_sql.planning import level_plan
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.published.tables import PublishedCells, PublishedTotals, cells_table, totals_table
from safetab_sql.published.uncertainty import uncertainty_table
from safetab_sql.run import ChosenGroups, _stat_levels_table
from tests.sql.parameters import parameters

SETTINGS = parameters("COUNTY-2")
LEVEL = LevelCatalog(
    level_id=1,
    parameters=SETTINGS.levels[0],
    is_sub_state=True,
    regions=1,
    iterations=2,
    first_population_group_id=0,
    is_total_only=np.array([False, False]),
    stability=9,
    is_nested=True,
)
PLAN = level_plan(LEVEL, SETTINGS)
CELLS = (8, 18, 46)
ONE = np.array([1])

MADE = {
    "stat_levels": [
        _stat_levels_table([ChosenGroups(PLAN, ONE, ONE)]),
        _stat_levels_table([]),
        every_stat_level(Catalog((LEVEL,), CELLS), GroupTotals(ONE, ONE)),
        every_stat_level(Catalog((), CELLS), GroupTotals(ONE[:0], ONE[:0])),
    ],
    "noisy_totals": [totals_table([PublishedTotals(ONE, ONE, ONE)]), totals_table([])],
    "noisy_cells": [cells_table([PublishedCells(1, 1, ONE, np.zeros((1, 8), dtype=np.int64))]), cells_table([])],
    "count_uncertainty": [uncertainty_table([PLAN], CELLS), uncertainty_table([], CELLS)],
}


@pytest.mark.parametrize(
    ("name", "table"),
    [pytest.param(name, table, id=f"{name}-{table.num_rows}") for name, tables in MADE.items() for table in tables],
)
def test_a_table_is_handed_over_with_the_declared_columns(name: str, table: pa.Table) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.register("made", table)
        described = connection.execute("describe made").fetchall()
    found = {column: type_.lower() for column, type_, *_ in described}
    assert found == {column.name: column.type for column in HANDED_OVER[name].columns}


def test_every_table_that_is_handed_over_is_looked_at_here() -> None:
    assert MADE.keys() == HANDED_OVER.keys()
