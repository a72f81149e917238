"""The exact tables of people who were counted: sparse, or with every zero. Source: evaluation.md section 1."""

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from pathlib import Path

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.confidential.counts import GroupTotals, count_finest_cells, every_statistic
from safetab_sql.kit.database import Database
from safetab_sql.kit.marks import PARQUET_MARK
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.values import publishing_values
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters

MISSED = 1e-12  # chance that any group of a release gets a table and has fewer people than the floor of its level
_OPTIONS = "format parquet, compression zstd"
_PUBLIC = {"regions": "tabulated_regions", "iterations": "tabulated_iterations"}


def table_floors(plans: Sequence[LevelPlan]) -> dict[str, int]:
    """By level, the fewest people with which a population group may plausibly get a table, persons."""
    groups = max(1, sum(plan.catalog.population_groups for plan in plans))
    return {plan.name: _table_floor(plan, groups) for plan in plans}


def _table_floor(plan: LevelPlan, groups: int) -> int:
    if plan.calls.stage_1 is None:  # no noise picks a table
        return 0
    return max(0, min(plan.thresholds, default=0) - largest_noise(plan.calls.stage_1.law, MISSED / groups))


def largest_noise(law: Law, chance: float) -> int:
    """A bound b with P(noise > b) <= chance, persons.

    P(noise >= b) <= e^(-rho b^2) for the discrete Gaussian, and <= e^(-epsilon b) for the two-sided geometric.
    Source: Canonne, Kamath, Steinke, Proposition 25; evaluation.md section 1.2.
    """
    if isinstance(law, TwoSidedGeometric):
        return ceil(-log(chance) / float(law.epsilon))
    return ceil(sqrt(-log(chance) / float(law.rho)))


def count_plausible_tables(database: Database, plans: Sequence[LevelPlan], floors: Mapping[str, int]) -> None:
    """Count the finest cells of every group that may plausibly get a table.

    Tables group_totals and `stat_levels` must exist, the latter made anew, and the tables of the catalog.
    """
    slices = [
        {
            "ladder_id": plan.ladder_id,
            "first_statistic": plan.first_statistic,
            "end_statistic": plan.first_statistic + len(plan.sizes),
            "table_floor": floors[plan.name],
            **_groups_of(plan),
        }
        for plan in plans
    ]
    database.create_by_slices([sql_files()["plausible_tables"]], slices, len(slices), at_a_time=1)
    database.hand_over("stat_levels", database.table("plausible_tables"))
    count_finest_cells(database)


def exact_files(ladders: Sequence[Ladder]) -> tuple[str, ...]:
    """The tables of a folder of exact tables, each a Parquet file: of every ladder, and which groups there are."""
    return (*(folder for ladder in ladders for folder in ladder.folders), *_PUBLIC)


def write_sparse_tables(database: Database, parameters: Parameters, plans: Sequence[LevelPlan], folder: Path) -> None:
    """Write the rows with people of every ladder, and which groups there are, to t1.parquet, t2.parquet, ...

    The finest cells must have been counted.
    """
    for ladder in parameters.ladders:
        _make_exact_rows(database, parameters, ladder)
        slices = [_groups_of(plan) for plan in plans if plan.ladder == ladder.name]
        if ladder.choose == "published":
            _write_selected(database, ladder, folder)
            continue
        for name, own in _statements(ladder).items():
            database.create_by_slices([sql_files()[f"sparse_{name}"]], slices, len(slices), at_a_time=1)
            database.copy_table(f"sparse_{name}", folder / f"{own}.parquet", _OPTIONS, PARQUET_MARK)
    _write_public_tables(database, folder)


def write_dense_tables(
    database: Database, parameters: Parameters, plans: Sequence[LevelPlan], totals: GroupTotals, folder: Path
) -> None:
    """Count the cells of every group that may get a table, and write the tables of every ladder with every zero."""
    database.hand_over("stat_levels", every_statistic(plans, totals))
    count_finest_cells(database)
    for ladder in parameters.ladders:
        _make_exact_rows(database, parameters, ladder)
        if ladder.choose == "published":
            _write_selected(database, ladder, folder)
            continue
        for name, own in _statements(ladder).items():
            database.copy(sql_files()[f"ground_truth_{name}"], folder / f"{own}.parquet", _OPTIONS, PARQUET_MARK)
    _write_public_tables(database, folder)


def _write_selected(database: Database, ladder: Ladder, folder: Path) -> None:
    """Write the tables of the groups that published totals list."""
    for name in ("ladder_statistics", "statistic_sums"):
        database.create(sql_files()[name])
    database.copy(sql_files()["selected_t2"], folder / f"{ladder.folder}.parquet", _OPTIONS, PARQUET_MARK)


def _groups_of(plan: LevelPlan) -> dict[str, int]:
    """The level of a plan, and its first and last population group."""
    level = plan.catalog
    first, last = level.first_population_group_id, level.end_population_group_id - 1
    return {"level_id": level.level_id, "first_group_id": first, "last_group_id": last}


def _statements(ladder: Ladder) -> dict[str, str]:
    """The folder in a release of each table of a ladder, by what statements call the table."""
    totals = {} if ladder.totals_folder is None else {"t1": ladder.totals_folder}
    return {**totals, "t2": ladder.folder}


def _make_exact_rows(database: Database, parameters: Parameters, ladder: Ladder) -> None:
    database.set_values(publishing_values(parameters, ladder))
    for name in ("ladder_rows", "statistic_cells", "row_finest_cells", "exact_rows"):
        database.create(sql_files()[name])


def _write_public_tables(database: Database, folder: Path) -> None:
    for name, statement in _PUBLIC.items():
        database.copy(sql_files()[statement], folder / f"{name}.parquet", _OPTIONS, PARQUET_MARK)
