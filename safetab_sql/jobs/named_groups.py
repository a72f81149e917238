"""Which population groups a release could have published: from the public files it was made with, or from itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.gate import public_source
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.published.release import code_lists_of_release, public_problems
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.reconciliation.regions import read_geography
from safetab_sql.settings.parameters import Parameters

_REGION = ["REGION_TYPE", "REGION_ID"]
_ITERATION = ["REGION_TYPE", "ITERATION_CODE"]


@dataclass(frozen=True, slots=True)
class NamedGroups:
    """Population groups that are known to exist: every region of a region type, by every iteration of that type.

    regions: REGION_TYPE, REGION_ID. iterations: REGION_TYPE, ITERATION_CODE. are_all: whether these are all groups, or
    only the groups that a release names: regions and iterations that were suppressed everywhere are missing there.
    """

    regions: pa.Table
    iterations: pa.Table
    are_all: bool


def groups_of_release(t1: duckdb.DuckDBPyRelation) -> NamedGroups:
    """The groups that the totals of a release name."""
    regions, iterations = (t1.project(", ".join(names)).distinct().to_arrow_table() for names in (_REGION, _ITERATION))
    return NamedGroups(regions, iterations, are_all=False)


def groups_of_public_files(
    facts: ReleaseFacts, geography: str | Path | None, code_lists: str | Path | None
) -> NamedGroups | None:
    """The groups that the run of a release tabulated, with people or without; None where neither file is given.

    Raises: InputError where one of the two is missing, cannot be read, or is not what the run was made with.
    """
    if geography is None and code_lists is None:
        return None
    if geography is None or (code_lists is None and facts.parameters.questions.lists):
        missing = "--geography" if geography is None else "--code-lists"
        fix = "suppressed groups are counted from both; give both, or neither"
        raise InputError([Problem(missing, "not given", fix)])
    public = {
        "geography": public_source("geography", geography),
        **code_lists_of_release(code_lists, facts.parameters),
    }
    refuse(public_problems(public, facts))
    sources = {name: each.source for name, each in public.items()}
    readable = [file for source in sources.values() for file in source.files]
    with scratch_folder(None) as scratch, open_database(scratch, readable, [], Resources()) as database:
        return _catalog_groups(database, facts.parameters, sources, scratch)


def _catalog_groups(
    database: Database, parameters: Parameters, sources: Mapping[str, Source], scratch: Path
) -> NamedGroups:
    read_geography(database, sources["geography"], parameters, scratch)
    read_lists(database, sources, parameters.questions.lists, scratch, parameters)
    for file in folder_files("run/1_inputs"):
        if file.zone == "public" and database.has_values(file):
            database.create(file)
    build_catalog(database, parameters)
    levels = database.table("levels").select(["level_id", "region_type"])
    iterations = database.table("level_iterations").join(
        database.table("iterations", columns=["iteration_id", "iteration_code"]), "iteration_id", join_type="inner"
    )
    tabulated = levels.join(iterations.select(["level_id", "iteration_code"]), "level_id", join_type="inner")
    regions = database.table("regions").join(levels.select(["region_type"]), "region_type", join_type="left semi")
    return NamedGroups(
        regions.select(["region_type", "region_id"]).rename_columns(_REGION),
        tabulated.select(["region_type", "iteration_code"]).rename_columns(_ITERATION),
        are_all=True,
    )
