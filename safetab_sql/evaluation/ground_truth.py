"""The exact tables of public or synthetic data, with which releases are compared."""

import shutil
from pathlib import Path

from safetab_sql.confidential.counts import all_totals, count_cells, count_totals, every_stat_level
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Database, Resources, resources_within
from safetab_sql.kit.errors import refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, today, whole_folder
from safetab_sql.public.about import about_json
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, changed_inputs
from safetab_sql.published.manifest import Made, digests, parameters_json, write_manifest

CONTENTS = ("t1.parquet", "t2.parquet", "manifest.json")


def ground_truth(
    inputs: InputPaths,
    out: str | Path,
    *,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Made:
    """Write the EXACT tables to folder `out`: t1.parquet, t2.parquet and manifest.json, all of mode 0600.

    For public or synthetic data only, never for an extract that is also released. T1 has every tabulated population
    group, with or without people; T2 has the bins of age4, age9 and age23 (shared bins once) and the sex marginals of
    every group that may get a table. Raises: InputError with every problem of the input. Source: evaluation.md section
    1.
    """
    out, day = Path(out), today()
    problems = check_new_folder(out, CONTENTS, overwrite=overwrite) + resources_within(out, resources)
    with claimed_name(out) as conflicts, checked_inputs(inputs, resources, progress, problems + conflicts) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        intake.stage("counting population groups")
        count_totals(intake)
        totals = all_totals(intake.database, catalog)
        refuse(changed_inputs(intake))  # nothing below reads an input
        intake.stage("counting sex by age")
        intake.database.hand_over("stat_levels", every_stat_level(catalog, totals))
        count_cells(intake.database)
        intake.stage("writing tables")
        with whole_folder(out, CONTENTS, overwrite=overwrite, day=day) as folder:
            _write_tables(intake.database, intake.scratch, folder)
            public = {name: digests(source.files) for name, source in intake.sources.items() if name != "persons"}
            manifest = {
                "confidential": True,
                "about": about_json(intake.parameters.about),
                "parameters": parameters_json(intake.parameters),
                "public_inputs": public,
            }
            written = write_manifest(folder / "manifest.json", manifest, day)
            for file in folder.iterdir():
                file.chmod(0o600)
        return Made(out, written)


def _write_tables(database: Database, scratch: Path, folder: Path) -> None:
    """Write both tables to `scratch`, the only folder that the database may write to, and move them."""
    for name in ("t1", "t2"):
        target = scratch / f"{name}.parquet"
        database.copy(sql_files()[f"ground_truth_{name}"], target, "format parquet, compression zstd")
        shutil.move(target, folder / target.name)
