"""Releases and their exact tables, in a database that holds the tables of sql/tools/evaluate, ladder by ladder."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import dataset

from safetab_sql.accounting.conversions import as_json
from safetab_sql.evaluation.coverage import PublishedNoise, noise_laws_table, published_noises, small_coverages_table
from safetab_sql.evaluation.ground_truth import exact_files
from safetab_sql.kit.database import Database, Resources, declared_schema, declared_table, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.public.values import parameter_values, publishing_values
from safetab_sql.published.file_notes import file_differences
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.release.folder import (
    ReleaseFolder,
    code_lists_of_release,
    file_problems,
    manifest_digest,
    open_folder,
    public_problems,
    released_table,
)
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.questions import MEMBERS_LIST

_OF_ITERATIONS = ("iteration_rows", "iteration_kinds", "iterations", "levels", "total_only_iterations")
_PUBLIC_STATEMENTS = (*_OF_ITERATIONS, "level_iterations", "ladder_levels", "ladder_iterations")
# How the rows of a ladder are made of its cells, and its counts beside the exact ones; made anew for each ladder.
_BY_LADDER = ("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums", "evaluated_iterations")
_OF_COUNTS = ("released_tables", "evaluated_groups", "measured_counts", "unmeasured_counts", "count_errors")
_BY_REGIONS = (*_OF_COUNTS, "group_errors")
_REGIONS_A_SLICE = 2**14  # of one release: a slice is about a million published totals where they are many
_TRUTH_FIX = "name a folder that `safetab-sql ground-truth` made of the people that were released"
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_REGION = ("REGION_TYPE", "REGION_ID")
_DRAWN = "NOISY_COUNT"  # of reconciled tables: the count as the noise left it


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: releases of the same people with the same parameters, and their exact tables.

    folders: in the order of their numbers, each with the tables of every ladder. truth: folder that holds the exact
    tables. table_floors: by level, the fewest people with which these have the cells of a group. lists: both lists of
    iterations. public_inputs: as in the manifest of a release. digests: SHA-256 of the manifests of releases that
    stand; empty for runs made to be compared.
    """

    folders: tuple[Path, ...]
    truth: Path
    table_floors: Mapping[str, int]
    lists: Mapping[str, Source]
    noises: tuple[PublishedNoise, ...]
    parameters: Parameters
    public_inputs: Mapping[str, Any]
    digests: tuple[str, ...]

    @property
    def is_reconciled(self) -> bool:
        """Whether counts were reconciled."""
        return any(noise.is_reconciled for noise in self.noises)


def find_releases(folders: Sequence[Path], truth: Path, code_lists: Path | None) -> Comparison:
    """The releases that the user names, with the code lists that they were made with, if they were made with any.

    Raises: InputError where a folder is no release, or where the releases do not belong together.
    """
    named = [folder.resolve() for folder in folders]
    twice = sorted({str(folder) for folder in named if named.count(folder) > 1})
    refuse([Problem(folder, "is named twice, and would count twice", "name each release once") for folder in twice])
    found = [open_folder(folder, or_reconciled=True) for folder in folders]
    first = found[0]
    lists, noises = code_lists_of_release(code_lists, first.facts.parameters), []
    for facts in (release.facts for release in found):
        is_reconciled = facts.reconciled is not None
        noises.append(published_noises(facts.levels, is_clipped=facts.is_clipped, is_reconciled=is_reconciled))
    fix = "evaluate releases together that were made of the same people, with the same parameters"
    problems = [
        Problem(str(release.folder), f"its parameters differ from the parameters of {first.folder}", fix)
        for release, own in zip(found, noises, strict=True)
        if (own, _tabulated(release.facts.parameters)) != (noises[0], _tabulated(first.facts.parameters))
    ]
    for release in found[1:]:
        inputs = as_json(release.facts.run.public_inputs)
        problems += _other_people(release.folder, inputs, release.facts.parameters, first, fix)
    manifest, parameters = _truth_manifest(truth)
    if _tabulated(parameters) != _tabulated(first.facts.parameters):
        what = f"it tabulates other parts, region types or levels, or other tables, than {first.folder}"
        problems.append(Problem(str(truth), what, _TRUTH_FIX))
    refuse([*problems, *_other_people(truth, manifest["public_inputs"], parameters, first, _TRUTH_FIX)])
    changed = [each for own in found for each in own.problems or file_differences(own.folder, own.facts.files)]
    refuse([*changed, *(each for own in found for each in public_problems(lists, own.facts))])
    return Comparison(
        folders=tuple(folders),
        truth=truth,
        table_floors=manifest["table_floors"],
        lists={name: lists[name] for name in lists if name.endswith("_iterations") and name != MEMBERS_LIST},
        noises=tuple(noises[0]),
        parameters=first.facts.parameters,
        public_inputs=first.facts.run.public_inputs,
        digests=tuple(map(manifest_digest, folders)),
    )


@contextmanager
def compared_ladders(releases: Comparison, resources: Resources) -> Iterator[Iterator[Database]]:
    """For each ladder in turn, a database of the errors of its measured counts: tables `count_errors`, `group_errors`.

    Regions are compared stretch by stretch, so that memory does not grow with their number. The database is the same
    for all; sql/tools/evaluate describes its tables.
    Raises: InputError where a release holds a group that the exact tables do not.
    """
    parameters = releases.parameters
    exact = [(releases.truth / file).resolve() for file in exact_files(parameters)]
    readable = [*(file for source in releases.lists.values() for file in source.files), *exact]
    with scratch_folder(resources.scratch) as scratch, open_database(scratch, readable, [], resources) as database:
        read_lists(database, releases.lists, scratch, parameters)
        database.set_values(parameter_values(parameters))
        for name in _PUBLIC_STATEMENTS:
            database.create(sql_files()[name])
        database.hand_over("table_floors", declared_table("table_floors", releases.table_floors.items()))
        database.hand_over("noise_laws", noise_laws_table(releases.noises))
        database.hand_over("small_coverages", small_coverages_table(releases.noises))
        for name in ("regions", "iterations"):
            file = (releases.truth / f"{name}.parquet").resolve()
            refuse(file_problems(file, dict.fromkeys(declared_schema(f"exact_{name}").names), _TRUTH_FIX))
            database.show(f"exact_{name}", [file])
        yield (_measured_ladder(database, releases, ladder, scratch) for ladder in parameters.ladders)


def _measured_ladder(database: Database, releases: Comparison, ladder: Ladder, scratch: Path) -> Database:
    """The database with the counts of one ladder. Raises: as `compared_ladders`."""
    parameters = releases.parameters
    database.set_values(publishing_values(parameters, ladder))
    for name in _BY_LADDER:
        database.create(sql_files()[name])
    # The totals, which may be rows of the table, and the table: what statements call t1 and t2.
    used, totals = attributes_of(ladder, parameters.attributes), ladder.totals_folder
    codes = {column: attribute.total for attribute in used for column in attribute.publish}
    of_totals = _TableFile(totals or ladder.folder, ladder.counted, totals={} if totals else codes)
    tables = {"t1": of_totals, "t2": _TableFile(ladder.folder, ladder.counted, (*_GROUP, *codes))}
    exact = _exact_sources(releases.truth, tables, scratch)
    database.show("exact_t1", [exact["t1"]], {ladder.counted: "COUNT"})
    regions_a_slice = max(1, _REGIONS_A_SLICE // len(releases.folders))
    stretches = region_stretches(releases.truth / "regions.parquet", regions_a_slice)
    slices = (
        {f"released_{name}": _released_rows(releases.folders, table, regions) for name, table in tables.items()}
        | {f"exact_{name}": _exact_rows(exact[name], table, regions) for name, table in tables.items()}
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
    ours, theirs = (
        {
            "unit.one": each.unit.one,
            "unit.where": {column: list(values) for column, values in each.unit.where.items()},
            "questions": {question.name: list(question.values) for question in each.questions.all},
        }
        for each in (parameters, first.facts.parameters)
    )
    for key in [key for key in ours if ours[key] != theirs[key]]:
        yield Problem(str(folder), f"its {key} is {ours[key]}; of {first.folder} it is {theirs[key]}", fix)
    others = as_json(first.facts.run.public_inputs)
    for name, files in inputs.items():
        digests, known = ({file["sha256"] for file in each} for each in (files, others.get(name, files)))
        if digests != known:
            what = f"SHA-256 {', '.join(sorted(digests))}, not {', '.join(sorted(known))}"
            yield Problem(str(folder), f"was made with another {name} than {first.folder}: {what}", fix)


def _truth_manifest(truth: Path) -> tuple[Any, Parameters]:
    """The manifest of the exact tables, and its parameters. Raises: InputError if the folder holds none."""
    try:
        manifest = json.loads((truth / "manifest.json").read_text(encoding="utf-8"))
        parameters = parameters_from_json(manifest["parameters"], truth)
        files = exact_files(parameters)
        _ = manifest["public_inputs"], manifest["table_floors"]
        found = manifest["command"] == "ground-truth" and all((truth / file).is_file() for file in files)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError([Problem(str(truth), f"holds no exact tables: {error}", _TRUTH_FIX)]) from error
    refuse([] if found else [Problem(str(truth), "holds no exact tables", _TRUTH_FIX)])
    return manifest, parameters


def _tabulated(parameters: Parameters) -> tuple[object, ...]:
    """What decides which population groups are tabulated, and in which tables."""
    ladders = [
        (each.name, each.statistics, sorted(level.level.name for level in each.levels if level.budget))
        for each in parameters.ladders
    ]
    attributes = [replace(attribute, column="", unknown=()) for attribute in parameters.attributes]
    return ladders, attributes, parameters.geography.parts_run, parameters.region_types


def _unmeasured_problems(database: Database, releases: Comparison) -> Iterator[Problem]:
    """Counts of a release that the exact tables do not have: of no known group, or of a table that was not kept."""
    where, file = ", ".join(map(str, releases.folders)), sql_files()["unmeasured_groups"]
    for is_unknown, what in (
        (True, "of population groups that {} or the code lists do not have"),
        (False, "in tables of groups of which {} holds a total alone: they have so few people"),
    ):
        database.set_values({"is_unknown": is_unknown})
        if found := database.found(file):
            examples = database.examples(file, 5, lambda row: ", ".join(f"{name}={row[name]}" for name in row))
            yield Problem(where, f"{found} published count(s) {what.format(releases.truth)}", _TRUTH_FIX, examples)


@dataclass(frozen=True, slots=True)
class _TableFile:
    """A table of a ladder, in a folder of a release or a file of exact tables. columns: that name its rows.

    counted: the column of its counts, called COUNT where they are compared. totals: where its totals are meant, which
    are rows of the table: the code for all in each column of an attribute.
    """

    name: str
    counted: str
    columns: tuple[str, ...] = _GROUP
    totals: Mapping[str, str] = field(default_factory=dict)

    @property
    def needed(self) -> list[str]:
        """The columns that are read of it, but for counts and margins."""
        return [*self.columns, *self.totals]

    @property
    def wanted(self) -> dataset.Expression:
        """The rows that are meant."""
        return reduce(and_, (dataset.field(name) == code for name, code in self.totals.items()), dataset.scalar(True))


def _exact_sources(truth: Path, tables: Mapping[str, _TableFile], scratch: Path) -> dict[str, Path]:
    """The files of the exact totals and of the exact table; totals that are rows of the table are written out."""
    files = {name: (truth / f"{table.name}.parquet").resolve() for name, table in tables.items()}
    for name, table in tables.items():
        refuse(file_problems(files[name], dict.fromkeys([*table.needed, table.counted]), _TRUTH_FIX))
        if table.totals:
            found = dataset.dataset(files[name])
            files[name] = scratch / f"{table.name}-totals.parquet"
            rows = found.scanner(columns=[*_GROUP, table.counted], filter=table.wanted).to_reader()
            with pq.ParquetWriter(files[name], rows.schema) as writer:
                for batch in rows:
                    writer.write_batch(batch)
    return files


def _exact_rows(file: Path, table: _TableFile, regions: dataset.Expression) -> pa.Table:
    """Table exact_t1 or exact_t2. regions: which rows."""
    rows = dataset.dataset(file).to_table([*table.columns, table.counted], filter=regions)
    return rows.rename_columns([*table.columns, "COUNT"])


def region_stretches(regions: Path, number: int) -> list[dataset.Expression]:
    """Conditions on REGION_TYPE and REGION_ID, of which every row meets one: each of about `number` regions.

    regions: the Parquet file of every region. The first and the last condition have no end, so that they hold for
    regions that the file lacks.
    """
    names = pq.read_table(regions, columns=list(_REGION)).sort_by([(name, "ascending") for name in _REGION])
    conditions, not_before = [], dataset.scalar(True)
    region_type, region_id = (dataset.field(name) for name in _REGION)
    for first in names.to_pylist()[number::number]:
        first_type, first_id = first.values()
        before = (region_type < first_type) | ((region_type == first_type) & (region_id < first_id))
        conditions.append(not_before & before)
        not_before = ~before
    return [*conditions, not_before]


def _released_rows(folders: Sequence[Path], table: _TableFile, regions: dataset.Expression) -> pa.Table:
    """Table released_t1 or released_t2: a table of every release, with the number of the run. regions: which rows."""
    keys = [*_GROUP, *(("STATISTIC",) if len(table.columns) > len(_GROUP) else ()), *table.columns[len(_GROUP) :]]
    columns, runs = ["run", *keys, "COUNT", _DRAWN, "MOE95", "VARIANCE"], []
    for run, folder in enumerate(folders, start=1):
        found = released_table(folder / table.name)
        named = {table.counted if name == "COUNT" else name: name for name in columns}
        read = [name for name in named if name in found.schema.names]
        rows = found.to_table(columns=read, filter=regions & table.wanted).rename_columns([named[own] for own in read])
        runs.append(numbered_rows(rows, columns, run))
    return pa.concat_tables(runs, promote_options="permissive")


def numbered_rows(rows: pa.Table, columns: Sequence[str], run: int) -> pa.Table:
    """Rows of a table of one release, with the number of the run, and with these columns.

    Reconciled counts that are fractions are rounded to whole persons: their margins leave room for half a person. What
    the noise left stands beside them in NOISY_COUNT; other tables have it in COUNT alone, and no VARIANCE here.
    """
    found = {name: rows[name] for name in rows.schema.names}
    if pa.types.is_floating(found["COUNT"].type):
        found["COUNT"] = pc.round(found["COUNT"]).cast(pa.int64())
    found["run"] = pa.array([run] * rows.num_rows, pa.int32())
    if found.setdefault(_DRAWN, found["COUNT"]) is found["COUNT"]:
        found["VARIANCE"] = pa.nulls(rows.num_rows, pa.float64())
    return pa.table({name: found[name] for name in columns})
