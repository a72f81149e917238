"""The exact tables of people who were counted: sparse, or with every zero. Source: evaluation.md section 1."""

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from pathlib import Path

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.confidential.counts import GroupCells, GroupTotals, count_cells, every_stat_level
from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.catalog import Catalog

MISSED = 1e-12  # chance that any group of a release gets a table and has fewer people than the floor of its level
TABLES = ("t1", "t2", "regions", "iterations")  # each a Parquet file
_OPTIONS = "format parquet, compression zstd"
_PUBLIC = {"regions": "tabulated_regions", "iterations": "tabulated_iterations"}


def table_floors(plans: Sequence[LevelPlan]) -> dict[str, int]:
    """By level, the fewest people with which a population group may plausibly get a sex-by-age table, persons."""
    groups = max(1, sum(plan.catalog.population_groups for plan in plans))
    return {
        plan.name: max(0, min(plan.thresholds, default=0) - largest_noise(plan.calls.stage_1.law, MISSED / groups))
        for plan in plans
    }


def largest_noise(law: Law, chance: float) -> int:
    """A bound b with P(noise > b) <= chance, persons.

    P(noise >= b) <= e^(-rho b^2) for the discrete Gaussian, and <= e^(-epsilon b) for the two-sided geometric.
    Source: Canonne, Kamath, Steinke, Proposition 25; evaluation.md section 1.2.
    """
    if isinstance(law, TwoSidedGeometric):
        return ceil(-log(chance) / float(law.epsilon))
    return ceil(sqrt(-log(chance) / float(law.rho)))


def count_plausible_tables(
    database: Database, plans: Sequence[LevelPlan], floors: Mapping[str, int]
) -> dict[int, GroupCells]:
    """The cells of every table that a group may plausibly get, by stat level; makes sparse_t1 and sparse_t2.

    Table group_totals must exist, and the tables of the catalog.
    """
    slices = [
        {
            "level_id": plan.catalog.level_id,
            "first_group_id": plan.catalog.first_population_group_id,
            "last_group_id": plan.catalog.end_population_group_id - 1,
            "table_floor": floors[plan.name],
        }
        for plan in plans
    ]
    database.create_by_slices([sql_files()["plausible_tables"], sql_files()["sparse_t1"]], slices, at_a_time=1)
    database.hand_over("stat_levels", database.table("plausible_tables"))
    cells = count_cells(database)
    for name in ("exact_bins", "sparse_t2"):
        database.create(sql_files()[name])
    return cells


def write_sparse_tables(database: Database, folder: Path) -> None:
    """Write what `count_plausible_tables` made, and which groups there are, to t1.parquet, t2.parquet, ..."""
    for name in ("t1", "t2"):
        database.copy_table(f"sparse_{name}", folder / f"{name}.parquet", _OPTIONS)
    _write_public_tables(database, folder)


def write_dense_tables(database: Database, catalog: Catalog, totals: GroupTotals, folder: Path) -> None:
    """Count the cells of every group that may get a table, and write both tables with every zero."""
    database.hand_over("stat_levels", every_stat_level(catalog, totals))
    count_cells(database)
    database.create(sql_files()["exact_bins"])
    for name in ("t1", "t2"):
        database.copy(sql_files()[f"ground_truth_{name}"], folder / f"{name}.parquet", _OPTIONS)
    _write_public_tables(database, folder)


def _write_public_tables(database: Database, folder: Path) -> None:
    for name, statement in _PUBLIC.items():
        database.copy(sql_files()[statement], folder / f"{name}.parquet", _OPTIONS)
