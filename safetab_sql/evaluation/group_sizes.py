"""How many groups of each level have how many people: counted from made-up people, which need no protection."""

from pathlib import Path

import numpy as np

from safetab_sql.accounting.plan import level_plans
from safetab_sql.confidential.counts import all_totals, count_totals, make_group_totals
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.group_sizes import GroupSizes, counted
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters


def simulated_group_sizes(
    folder: Path,
    parameters: Path,
    code_lists: Path | None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> GroupSizes:
    """The sizes of the groups with people, by the names of level plans, of a folder that `simulate` made.

    Groups that get a total alone, where others of their level get a table, are left out.
    Raises: InputError with every problem, also where the parameters in the folder do not say that people are made up.
    """
    refuse(_not_simulated(folder))
    people = next(each for each in (folder / "persons", folder / "persons.parquet") if each.exists())
    own_lists = folder / "code-lists"
    lists = code_lists or (own_lists if own_lists.exists() else None)
    paths = InputPaths(parameters, people, folder / "geography.parquet", lists)
    with checked_inputs(paths, resources, SILENT, []) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        count_totals(intake)
        make_group_totals(intake.database, catalog)
        totals = all_totals(intake.database)
    found = {}
    for plan in plans:
        level = plan.catalog
        first, end = np.searchsorted(
            totals.population_group_ids, [level.first_population_group_id, level.end_population_group_id]
        )
        place = (totals.population_group_ids[first:end] - level.first_population_group_id) % max(1, level.iterations)
        is_meant = ~plan.is_total_only[place] if plan.thresholds else np.ones(end - first, dtype=bool)
        found[plan.name] = counted(totals.exact_counts[first:end][is_meant])
    return found


def _not_simulated(folder: Path) -> list[Problem]:
    fix = "name a folder that `simulate` made, or a public table of sizes: sizes of real groups are confidential"
    file = folder / "parameters.toml"
    if not file.is_file() or not any((folder / name).exists() for name in ("persons", "persons.parquet")):
        return [Problem(str(folder), "holds no simulated people", fix)]
    if not load_parameters(file).about.is_simulated:
        return [Problem(str(file), "does not say is_simulated = true", fix)]
    return []
