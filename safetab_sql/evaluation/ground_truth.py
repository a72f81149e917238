"""The exact tables of public or synthetic data, with which releases are compared."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, log, sqrt
from pathlib import Path

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import Here, count_finest_cells, make_group_totals
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Database, Resources, claimed_folder
from safetab_sql.kit.errors import InputError, refuse
from safetab_sql.kit.progress import SILENT, Line, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import PARQUET_MARK, marked_json, today, whole_folder
from safetab_sql.laws.noise import Law, TwoSidedGeometric
from safetab_sql.public.catalog import Selected, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake, changed_inputs
from safetab_sql.public.values import publishing_values
from safetab_sql.published.file_notes import folders_of
from safetab_sql.published.manifest import MANIFEST, Made, parameters_json, source_digests, write_manifest
from safetab_sql.published.selected_groups import selected_groups
from safetab_sql.settings.parameters import Parameters, load_parameters

MISSED = 1e-12  # chance that any group of a release gets a table and has fewer people than the floor of its level
_OPTIONS = "format parquet, compression zstd"
_PUBLIC = {"regions": "tabulated_regions", "iterations": "tabulated_iterations"}


def ground_truth(
    inputs: InputPaths,
    out: str | Path,
    *,
    dense: bool = False,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Made:
    """Write the EXACT tables to folder `out`: one of each ladder, and manifest.json, all of mode 0600.

    For public or synthetic data only, never for an extract that is also released. T1 has every population group with
    people; T2 has the bins of age4, age9 and age23 (shared bins once) and the sex marginals of every group that may
    plausibly get a table, where they hold anybody. regions.parquet and iterations.parquet tell which groups there are.
    dense: every zero is written, too, and T2 has every group that may get a table.
    Raises: InputError with every problem of the input. Source: evaluation.md section 1.
    """
    out, day, contents = Path(out), today(), [MANIFEST]
    with suppress(InputError):  # which is reported with the problems of other inputs
        contents = [*exact_files(load_parameters(inputs.parameters)), MANIFEST]
    claimed = claimed_folder(out, contents, resources, overwrite=overwrite)
    with claimed as problems, checked_inputs(inputs, resources, progress, problems) as intake:
        exact = exact_tables(intake, progress.warn, dense=dense)
        intake.stage("writing tables")
        with whole_folder(out, contents, overwrite=overwrite, day=day, is_exact=True) as folder:
            # the scratch folder is the only one that the database may write to
            for name in exact_files(intake.parameters):
                shutil.move(intake.scratch / name, folder / name)
            manifest = {
                "command": "ground-truth",
                "about": intake.parameters.about,
                "parameters": parameters_json(intake.parameters),
                "public_inputs": {name: source_digests(each) for name, each in intake.public.items()},
                "table_floors": exact.floors,
            }
            written = write_manifest(folder / MANIFEST, marked_json(manifest), day)
        return Made(out, written)


@dataclass(frozen=True, slots=True)
class ExactTables:
    """What was counted. floors: as of `table_floors`. selected: the groups that published totals list, by ladder."""

    plans: Sequence[LevelPlan]
    floors: Mapping[str, int]
    selected: Selected


def exact_tables(intake: Intake, warn: Line, *, dense: bool = False) -> ExactTables:
    """Count everybody, and write the exact tables to the scratch folder. warn: told which groups are left out."""
    catalog = build_catalog(intake.database, intake.parameters)
    selected = selected_groups(intake.database, intake.sources, warn)
    plans = level_plans(catalog, intake.parameters)
    floors = dict.fromkeys(table_floors(plans), 0) if dense else table_floors(plans)
    Here(intake).totals()
    make_group_totals(intake.database, catalog)
    refuse(changed_inputs(intake))  # nothing below reads an input but the code lists
    intake.stage("counting tables")
    _count_plausible_tables(intake.database, plans, floors)
    _write(intake.database, intake.parameters, plans, intake.scratch, dense=dense)
    return ExactTables(plans, floors, selected)


def exact_files(parameters: Parameters) -> list[str]:
    """The files of exact tables: the tables of every ladder, and which groups there are."""
    return [f"{name}.parquet" for name in (*(name for each in parameters.ladders for name in each.folders), *_PUBLIC)]


def table_floors(plans: Sequence[LevelPlan]) -> dict[str, int]:
    """By level, the fewest people with which a population group may plausibly get a table, persons."""
    chance = MISSED / max(1, sum(plan.catalog.population_groups for plan in plans))
    floors = dict.fromkeys((plan.name for plan in plans), 0)
    for plan in plans:
        if plan.calls.stage_1 is not None:  # a noisy total picks a table
            floors[plan.name] = max(0, min(plan.thresholds, default=0) - largest_noise(plan.calls.stage_1.law, chance))
    names = {(plan.ladder, plan.catalog.level_id): plan.name for plan in plans}
    return {plan.name: floors[names[plan.beside or plan.ladder, plan.catalog.level_id]] for plan in plans}


def largest_noise(law: Law, chance: float) -> int:
    """A bound b with P(noise > b) <= chance, persons.

    P(noise >= b) <= e^(-rho b^2) for the discrete Gaussian, and <= e^(-epsilon b) for the two-sided geometric.
    Source: Canonne, Kamath, Steinke, Proposition 25; evaluation.md section 1.2.
    """
    if isinstance(law, TwoSidedGeometric):
        return ceil(-log(chance) / float(law.epsilon))
    return ceil(sqrt(-log(chance) / float(law.rho)))


def _count_plausible_tables(database: Database, plans: Sequence[LevelPlan], floors: Mapping[str, int]) -> None:
    """Count the finest cells of every group that may plausibly get a table.

    Tables group_totals and `stat_levels` must exist, the latter made anew, and the tables of the catalog.
    """
    measures, slices = {plan.ladder: plan.measure for plan in plans}, []
    for plan in plans:
        first, size = plan.first_statistic, len(plan.sizes)
        of = {"ladder_id": plan.ladder_id, "first_statistic": first, "end_statistic": first + size}
        counted = {"measure": measures[plan.beside or plan.ladder], "table_floor": floors[plan.name]}
        slices.append({**of, **counted, **_groups_of(plan)})
    database.create_by_slices([sql_files()["plausible_tables"]], slices, len(slices), at_a_time=1)
    database.hand_over("stat_levels", database.table("plausible_tables"))
    count_finest_cells(database)


def _write(
    database: Database, parameters: Parameters, plans: Sequence[LevelPlan], folder: Path, *, dense: bool
) -> None:
    """Write the rows of every ladder, and which groups there are, to t1.parquet, t2.parquet, ...

    dense: every zero, too; else the rows with people. The finest cells must have been counted.
    """
    for ladder in parameters.ladders:
        database.set_values(publishing_values(parameters, ladder))
        for name in ("ladder_rows", "statistic_cells", "row_finest_cells", "exact_rows"):
            database.create(sql_files()[name])
        slices = [_groups_of(plan) for plan in plans if plan.ladder == ladder.name]
        for name, own in folders_of(ladder).items():
            file = folder / f"{own}.parquet"
            if ladder.choose == "published":
                for each in ("ladder_statistics", "statistic_sums"):
                    database.create(sql_files()[each])
                database.copy(sql_files()["selected_t2"], file, _OPTIONS, PARQUET_MARK)
            elif dense:
                database.copy(sql_files()[f"ground_truth_{name}"], file, _OPTIONS, PARQUET_MARK)
            else:
                database.create_by_slices([sql_files()[f"sparse_{name}"]], slices, len(slices), at_a_time=1)
                database.copy(f"sparse_{name}", file, _OPTIONS, PARQUET_MARK)
    for name, statement in _PUBLIC.items():
        database.copy(sql_files()[statement], folder / f"{name}.parquet", _OPTIONS, PARQUET_MARK)


def _groups_of(plan: LevelPlan) -> dict[str, int]:
    """The level of a plan, and its first and last population group."""
    level = plan.catalog
    first, last = level.first_population_group_id, level.end_population_group_id - 1
    return {"level_id": level.level_id, "first_group_id": first, "last_group_id": last}
