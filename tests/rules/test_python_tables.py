"""The tables that Python fills have the columns and types that their headers under sql/ declare."""

from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.plan import level_plans
from safetab_sql.algorithm import ChosenGroups, chosen_tables
from safetab_sql.evaluation.compared import numbered_rows
from safetab_sql.evaluation.coverage import PublishedNoise, noise_laws_table, small_coverages_table
from safetab_sql.histograms.confidential.counts import coded_table, domain_codes
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.kit.database import Resources, declared_schema, declared_table
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.catalog import LevelCatalog
from safetab_sql.public.readers import no_region_names
from safetab_sql.published.margins import Cuts, selected_totals_table, suppressed_totals_table, uncertainty_table
from safetab_sql.published.measurements import MeasuredGroups, measurements_table
from safetab_sql.published.tables import PublishedCells, PublishedTotals, cells_table, totals_table
from safetab_sql.reconciliation.forest import statistics
from safetab_sql.reconciliation.least_squares import ReconciledRows
from safetab_sql.reconciliation.tables import Reconciled, counts_table
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.wanted import LadderColumns, _Given, _terms
from tests.conftest import declared_columns
from tests.sql.parameters import parameters

SETTINGS = parameters("COUNTY-2")
LEVEL = LevelCatalog(
    level_id=1,
    level=SETTINGS.levels[0].level,
    regions=1,
    iterations=2,
    first_population_group_id=0,
    total_only={1: np.array([False, False])},
    stability=9,
    is_exact=True,
)
(PLAN,) = level_plans((LEVEL,), SETTINGS)
ONE = np.array([1])
CELLS = cells_table([PublishedCells(PLAN, 1, ONE, np.zeros((1, 8), dtype=np.int64))])
NOISES = [PublishedNoise("COUNTY-2", "stage 2", PLAN.calls.stage_2.law, 3, is_clipped=True)]


def written_table(name: str) -> pa.Table:
    """A table of a run, or of the exact ones, as it is written: empty, with the columns that its header declares."""
    types = {"varchar": pa.string(), "bigint": pa.int64(), "double": pa.float64()}
    types |= {"integer": pa.int32(), "boolean": pa.bool_()}
    columns = declared_columns(name, {})
    return pa.schema([(column, types[kind]) for column, kind in columns.items()]).empty_table()


HOW = Reconciled(statistics([np.array([0])], [{}]), "zcdp", (), None, from_zero=False)
GROUPS_OF_NO_RELEASE = written_table("t1").select(["REGION_TYPE", "REGION_ID", "ITERATION_CODE"])
LADDERS = {ladder.name: LadderColumns(SETTINGS, ladder) for ladder in SETTINGS.ladders}


def wanted_columns(*rows: dict[str, str]) -> dict[str, list[str | None]]:
    """The columns of the counts of wanted statistics."""
    names = ("ATTRIBUTE", *GROUP, *dict.fromkeys(name for ladder in LADDERS.values() for name in ladder.names))
    return {name: [row.get(name) for row in rows] for name in names}


GROUP = {"REGION_TYPE": "COUNTY", "REGION_ID": "1", "ITERATION_CODE": "1", "TABLE": "T2", "SEX": "1"}
COUNTS = wanted_columns(GROUP, {**GROUP, "ATTRIBUTE": "AGE"})
WANTED = (
    *_terms(_Given("", [LADDERS], COUNTS, [0, 0]), ["ratio", "quantile"], np.arange(2), np.arange(2)),
    *_terms(_Given("", [LADDERS], wanted_columns()), [], ONE[:0], ONE[:0]),
)


def kept_codes() -> pa.Table:
    """Of a person with two records, of which one is counted."""
    sex, age = Domain("SEX", ("SEX",), values=((1,), (2,))), Domain("AGE", ("AGE",), minimum=0, maximum=9)
    stays = Unit("stay", "stays", person="P", most_records=1)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "stays.parquet"
        pq.write_table(pa.table({"P": ["ann"] * 2, "SEX": [1, 2], "AGE": [3, 4]}), file)
        with coded_table(file, (sex, age), Resources(threads=1), unit=stays) as table:
            return table.database.table("kept_codes", columns=["code_1", "code_2", "weight"])


MADE = {
    "stat_levels": [chosen_tables([ChosenGroups(PLAN, ONE, ONE, ONE)]), chosen_tables([])],
    "part_findings": [declared_table("part_findings", [(2, "persons_code_unknown", 0, 1, ("QRACE1=1",))])],
    "noisy_totals": [totals_table([PublishedTotals(PLAN, ONE, ONE)]), totals_table([])],
    "noisy_cells": [CELLS, cells_table([])],
    "domain_codes": [domain_codes([Domain("SEX", ("QSEX",), values=(("1",), ("2",)))]), domain_codes([])],
    "kept_codes": [kept_codes()],
    "count_uncertainty": [uncertainty_table([PLAN], [1, 8]), uncertainty_table([], [1])],
    "selected_totals": [selected_totals_table([PLAN], Cuts()), selected_totals_table([], Cuts())],
    "suppressed_totals": [suppressed_totals_table([PLAN]), suppressed_totals_table([])],
    "export_codes": [declared_table("export_codes", [("SEX", "", "1", "male")])],
    "given_region_names": [no_region_names()],
    "noisy_measurements": [
        measurements_table([MeasuredGroups(PLAN, 1, ONE, ONE, ONE)], Cuts()),
        measurements_table([], Cuts()),
    ],
    "asked_terms": [wanted.terms for wanted in WANTED],
    "asked_cells": [wanted.cells for wanted in WANTED],
    "released_t1": [numbered_rows(written_table("t1"), list(declared_columns("released_t1", {})), 1)],
    "released_t2": [numbered_rows(written_table("t2"), list(declared_columns("released_t2", {})), 1)],
    "exact_t1": [written_table("ground_truth_t1")],
    "exact_t2": [written_table("ground_truth_t2")],
    "exact_regions": [written_table("tabulated_regions")],
    "exact_iterations": [written_table("tabulated_iterations")],
    "table_floors": [declared_table("table_floors", floors) for floors in ([("COUNTY-2", 3)], [])],
    "noise_laws": [noise_laws_table(NOISES), noise_laws_table([])],
    "small_coverages": [small_coverages_table(NOISES), small_coverages_table([])],
    "reconciled_counts": [
        counts_table([ReconciledRows(ONE, ONE, ONE / 1, ONE / 1, ONE / 1, ONE / 1, ONE > 0)], 0, HOW),
        counts_table([], 0, HOW),
    ],
    "measured_groups": [written_table("measurements").select(declared_schema("measured_groups").names)],
    "asked_groups": [GROUPS_OF_NO_RELEASE],
}


@pytest.mark.parametrize(
    ("name", "table"),
    [pytest.param(name, table, id=f"{name}-{table.num_rows}") for name, tables in MADE.items() for table in tables],
)
def test_a_table_is_filled_with_the_declared_columns(name, table):
    with duckdb.connect(":memory:") as connection:
        connection.register("made", table)
        described = connection.execute("describe made").fetchall()
    found = {column: type_.lower() for column, type_, *_ in described}
    assert found == declared_columns(name, {})


def test_every_table_that_python_fills_is_looked_at_here():
    assert MADE.keys() == {name for name, file in sql_files().items() if file.kind == "python"}
