"""The exact tables of public or synthetic data, with which releases are compared."""

import shutil
from pathlib import Path

from safetab_sql.accounting.plan import level_plans
from safetab_sql.confidential.counts import all_totals, count_totals, make_group_totals
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.evaluation.exact_tables import (
    count_plausible_tables,
    exact_files,
    table_floors,
    write_dense_tables,
    write_sparse_tables,
)
from safetab_sql.kit.database import Resources, resources_within
from safetab_sql.kit.errors import InputError, refuse
from safetab_sql.kit.marks import marked_json
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, today, whole_folder
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, changed_inputs
from safetab_sql.public.published_totals import selected_groups
from safetab_sql.published.manifest import MANIFEST, Made, parameters_json, source_digests, write_manifest
from safetab_sql.settings.parameters import load_parameters


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
    out, day = Path(out), today()
    contents = _contents(inputs)
    problems = check_new_folder(out, contents, overwrite=overwrite) + resources_within(out, resources)
    with claimed_name(out) as conflicts, checked_inputs(inputs, resources, progress, problems + conflicts) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        selected_groups(intake.database, intake.sources, progress.warn)
        plans = level_plans(catalog, intake.parameters)
        floors = dict.fromkeys(table_floors(plans), 0) if dense else table_floors(plans)
        intake.stage("counting population groups")
        count_totals(intake)
        make_group_totals(intake.database, catalog)
        refuse(changed_inputs(intake))  # nothing below reads an input
        intake.stage("counting tables")
        if dense:
            totals = all_totals(intake.database)
            write_dense_tables(intake.database, intake.parameters, plans, totals, intake.scratch)
        else:
            count_plausible_tables(intake.database, plans, floors)
            write_sparse_tables(intake.database, intake.parameters, plans, intake.scratch)
        intake.stage("writing tables")
        with whole_folder(out, contents, overwrite=overwrite, day=day) as folder:
            for name in exact_files(
                intake.parameters.ladders
            ):  # the scratch folder is the only one that the database may write to
                shutil.move(intake.scratch / f"{name}.parquet", folder / f"{name}.parquet")
            manifest = {
                "command": "ground-truth",
                "about": intake.parameters.about,
                "parameters": parameters_json(intake.parameters),
                "public_inputs": {name: source_digests(each) for name, each in intake.public.items()},
                "table_floors": floors,
            }
            written = write_manifest(folder / MANIFEST, marked_json(manifest), day)
            for file in folder.iterdir():
                file.chmod(0o600)
        return Made(out, written)


def _contents(inputs: InputPaths) -> tuple[str, ...]:
    """The files of the folder; where the parameters cannot be read, its manifest."""
    try:
        ladders = load_parameters(inputs.parameters).ladders
    except InputError:  # the problems are reported with those of the other inputs
        return (MANIFEST,)
    return (*(f"{name}.parquet" for name in exact_files(ladders)), MANIFEST)
