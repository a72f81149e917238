"""Releases and their exact tables, in a database that holds the tables of sql/tools/evaluate, ladder by ladder."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.written import as_json
from safetab_sql.evaluation.coverage import PublishedNoise, noise_laws_table, published_noises, small_coverages_table
from safetab_sql.evaluation.table_files import (
    TRUTH_FIX,
    check_columns,
    exact_rows,
    exact_table_files,
    exact_tables,
    ladder_tables,
    region_stretches,
    released_rows,
)
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.public.values import parameter_values, publishing_values
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.published.public_inputs import code_lists_of_release, manifest_digest, public_problems
from safetab_sql.published.release import ReleaseFolder, open_folder
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters, by_kind
from safetab_sql.settings.questions import MEMBERS_LIST

_DENSE = "name a folder that `safetab-sql ground-truth --dense` made"
_PUBLIC_STATEMENTS = (
    *("iteration_rows", "iterations", "levels", "total_only_iterations", "level_iterations"),
    *("ladder_levels", "ladder_iterations"),
)
# How the rows of a ladder are made of its cells, and its counts beside the exact ones; made anew for each ladder.
_ROWS = ("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums")
_BY_REGIONS = (
    *("released_tables", "evaluated_groups", "measured_counts", "unmeasured_counts", "count_errors", "group_errors"),
)
_REGIONS_A_SLICE = 2**14  # of one release: a slice is about a million published totals where they are many
_EXACT = {f"exact_{name}": f"{name}.parquet" for name in ("regions", "iterations")}


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is measured: releases of the same people with the same parameters, and their exact tables.

    folders: in the order of their numbers, each with the tables of every ladder. truth: folder that holds the exact
    tables. table_floors: by level, the fewest people with which these have the cells of a group. lists: both lists of
    iterations. parameters, public_inputs: as in the manifest of a release. digests: SHA-256 of the manifests of
    releases that stand; empty for runs made to be measured.
    """

    folders: tuple[Path, ...]
    truth: Path
    table_floors: Mapping[str, int]
    lists: Mapping[str, Source]
    noises: tuple[PublishedNoise, ...]
    parameters: Mapping[str, Any]
    public_inputs: Mapping[str, Any]
    digests: tuple[str, ...]

    @property
    def is_reconciled(self) -> bool:
        """Whether counts were reconciled."""
        return any(noise.is_reconciled for noise in self.noises)


def find_releases(folders: Sequence[Path], truth: Path, code_lists: Path | None) -> Measurement:
    """The releases that the user names, with the code lists that they were made with, if they were made with any.

    Raises: InputError where a folder is no release, or where the releases do not belong together.
    """
    named = [folder.resolve() for folder in folders]
    twice = sorted({str(folder) for folder in named if named.count(folder) > 1})
    refuse([Problem(folder, "is named twice, and would count twice", "name each release once") for folder in twice])
    found = [open_folder(folder, or_reconciled=True) for folder in folders]
    first = found[0]
    lists = code_lists_of_release(code_lists, first.facts.parameters)
    noises = [release_noises(release.facts) for release in found]
    fix = "evaluate releases together that were made of the same people, with the same parameters"
    problems = [
        Problem(str(release.folder), f"its parameters are not those of {first.folder}", fix)
        for release, own in zip(found, noises, strict=True)
        if (own, _tabulated(release.facts.parameters)) != (noises[0], _tabulated(first.facts.parameters))
    ]
    for release in found[1:]:
        inputs = as_json(release.facts.run.public_inputs)
        problems += _other_people(release.folder, inputs, release.facts.parameters, first, fix)
    truth_manifest, truth_parameters = _truth_manifest(truth)
    if _tabulated(truth_parameters) != _tabulated(first.facts.parameters):
        what = f"it tabulates other parts, region types or levels, or other tables, than {first.folder}"
        problems.append(Problem(str(truth), what, TRUTH_FIX))
    problems += _other_people(truth, truth_manifest["public_inputs"], truth_parameters, first, TRUTH_FIX)
    refuse(problems)
    refuse([problem for release in found for problem in public_problems(lists, release.facts)])
    return Measurement(
        folders=tuple(folders),
        truth=truth,
        table_floors=truth_manifest["table_floors"],
        lists={
            name: each.source for name, each in lists.items() if name.endswith("_iterations") and name != MEMBERS_LIST
        },
        noises=tuple(noises[0]),
        parameters=first.facts.run.parameters,
        public_inputs=first.facts.run.public_inputs,
        digests=tuple(map(manifest_digest, folders)),
    )


def release_noises(facts: ReleaseFacts) -> list[PublishedNoise]:
    """The published noises of a release, reconciled or not."""
    return published_noises(facts.levels, is_clipped=facts.is_clipped, is_reconciled=facts.reconciled is not None)


@contextmanager
def measured(releases: Measurement, resources: Resources) -> Iterator[Iterator[tuple[Ladder, Database]]]:
    """Each ladder in turn, with a database of the errors of its measured counts: tables `count_errors`, `group_errors`.

    Regions are compared stretch by stretch, so that memory does not grow with their number. The database is the same
    for all; sql/tools/evaluate describes its tables.
    Raises: InputError where a release holds a group that the exact tables do not.
    """
    parameters = parameters_from_json(releases.parameters, releases.truth)
    exact = {name: (releases.truth / file).resolve() for name, file in _EXACT.items()}
    tables = [(releases.truth / file).resolve() for file in exact_table_files(parameters)]
    readable = [*(file for source in releases.lists.values() for file in source.files), *exact.values(), *tables]
    with (
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, readable, [], resources) as database,
    ):
        read_lists(database, releases.lists, releases.lists, scratch, parameters)
        database.set_values(parameter_values(parameters))
        for name in _PUBLIC_STATEMENTS:
            database.create(sql_files()[name])
        database.hand_over("table_floors", table_floors_table(releases.table_floors))
        database.hand_over("noise_laws", noise_laws_table(releases.noises))
        database.hand_over("small_coverages", small_coverages_table(releases.noises))
        for name, file in exact.items():
            check_columns(file, [column.name for column in sql_files()[name].columns])
            database.show(name, [file])
        yield (
            (ladder, _measured_ladder(database, releases, parameters, ladder, scratch)) for ladder in parameters.ladders
        )


def _measured_ladder(
    database: Database, releases: Measurement, parameters: Parameters, ladder: Ladder, scratch: Path
) -> Database:
    """The database with the counts of one ladder. Raises: as `measured`."""
    database.set_values(publishing_values(parameters, ladder))
    for name in _ROWS:
        database.create(sql_files()[name])
    database.create(sql_files()["evaluated_iterations"])
    tables = ladder_tables(parameters, ladder)
    exact = exact_tables(releases.truth, tables, scratch)
    database.show("exact_t1", [exact["t1"]])
    stretches = region_stretches(
        releases.truth / _EXACT["exact_regions"], max(1, _REGIONS_A_SLICE // len(releases.folders))
    )
    slices = (
        {f"released_{name}": released_rows(releases.folders, table, regions) for name, table in tables.items()}
        | {f"exact_{name}": exact_rows(exact[name], table, regions) for name, table in tables.items()}
        for regions in stretches
    )
    files = [sql_files()[name] for name in _BY_REGIONS]
    database.create_by_slices(files, slices, len(stretches), at_a_time=1)
    refuse(list(_unmeasured_problems(database, releases)))
    return database


def _other_people(
    folder: Path, inputs: Mapping[str, Any], parameters: Parameters, first: ReleaseFolder, fix: str
) -> Iterator[Problem]:
    """What shows that a release or exact tables are of other people than the first release. inputs: public, by name.

    Records are not compared, since no release tells of them: what the parameters say of records is, and every public
    input that both manifests name.
    """
    ours, theirs = _records(parameters), _records(first.facts.parameters)
    for key in [key for key in ours if ours[key] != theirs[key]]:
        yield Problem(str(folder), f"its {key} is {ours[key]}; of {first.folder} it is {theirs[key]}", fix)
    others = as_json(first.facts.run.public_inputs)
    for name, files in inputs.items():
        digests, known = _sha256s(files), _sha256s(others.get(name, files))
        if digests != known:
            what = f"SHA-256 {', '.join(sorted(digests))}, not {', '.join(sorted(known))}"
            yield Problem(str(folder), f"was made with another {name} than {first.folder}: {what}", fix)


def _records(parameters: Parameters) -> dict[str, object]:
    """What the parameters say of the records that count."""
    unit = parameters.unit
    asked = {question.name: list(question.values) for question in parameters.questions.all}
    where = {column: list(values) for column, values in unit.where.items()}
    return {"unit.one": unit.one, "unit.where": where, "questions": asked}


def _sha256s(files: Any) -> set[str]:
    return {file["sha256"] for file in files}


def _truth_manifest(truth: Path) -> tuple[Any, Parameters]:
    """The manifest of the exact tables, and its parameters. Raises: InputError if the folder holds none."""
    try:
        manifest = json.loads((truth / "manifest.json").read_text(encoding="utf-8"))
        parameters = parameters_from_json(manifest["parameters"], truth)
        files = [*exact_table_files(parameters), *_EXACT.values()]
        _ = manifest["public_inputs"], manifest["table_floors"]
        found = manifest["command"] == "ground-truth" and all((truth / file).is_file() for file in files)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError([Problem(str(truth), f"holds no exact tables: {error}", TRUTH_FIX)]) from error
    refuse([] if found else [Problem(str(truth), "holds no exact tables", TRUTH_FIX)])
    return manifest, parameters


def _tabulated(parameters: Parameters) -> tuple[object, ...]:
    """What decides which population groups are tabulated, and in which tables."""
    ladders = [
        (
            *(ladder.name, ladder.statistics),
            sorted(part.level.name for level in ladder.levels if level.budget for part in by_kind(level)),
        )
        for ladder in parameters.ladders
    ]
    attributes = [replace(attribute, column="", unknown=()) for attribute in parameters.attributes]
    return ladders, attributes, parameters.geography.parts_run, parameters.region_types


def table_floors_table(floors: Mapping[str, int]) -> pa.Table:
    """Table `table_floors` of sql/tools/evaluate."""
    return pa.table(
        {
            "population_group_level": pa.array(floors.keys(), pa.string()),
            "table_floor": pa.array(floors.values(), pa.int64()),
        }
    )


def _unmeasured_problems(database: Database, releases: Measurement) -> Iterator[Problem]:
    """Counts of a release that the exact tables do not have: of no known group, or of a table that was not kept."""
    where = ", ".join(map(str, releases.folders))
    for name, what, fix in (
        ("unknown_groups", "of population groups that {} or the code lists do not have", TRUTH_FIX),
        ("tables_below_floor", "in tables of groups of which {} holds a total alone: they have so few people", _DENSE),
    ):
        if found := database.found(sql_files()[name]):
            examples = database.examples(sql_files()[name], 5, _shown)
            yield Problem(where, f"{found} published count(s) {what.format(releases.truth)}", fix, examples)


def _shown(row: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row.items())
