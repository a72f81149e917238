"""Releases beside the exact tables: a database in which the tables of sql/tools/evaluate stand."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import dataset

from safetab_sql.evaluation.coverage import PublishedNoise, noise_laws_table, noises_of_manifest, small_coverages_table
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.pipe_delimited import parquet_files
from safetab_sql.public.sources import Source, find_code_lists, stored_types
from safetab_sql.public.statement_values import list_values
from safetab_sql.published.public_inputs import manifest_digest, public_problems
from safetab_sql.published.release import RELEASE_FIX, read_manifest, release_facts

ITERATION_LISTS = ("race_iterations", "ethnicity_iterations")
_TRUTH_FIX = "name a folder that `safetab-sql ground-truth` made of the people that were released"
_PUBLIC_STATEMENTS = ("iteration_rows", "iterations", "age_bins", "statistic_cells")
_STATEMENTS = ("tabulated_groups", "measured_counts", "count_errors")


@dataclass(frozen=True, slots=True)
class Releases:
    """Releases of the same people with the same parameters, and their exact tables.

    folders: in the order of their numbers, each with t1/ and t2/. truth: folder with t1.parquet and t2.parquet.
    lists: both lists of iterations. parameters, public_inputs: as in the manifest of a release. digests: SHA-256 of the
    manifests of releases that stand; empty for runs made to be measured.
    """

    folders: tuple[Path, ...]
    truth: Path
    lists: Mapping[str, Source]
    noises: tuple[PublishedNoise, ...]
    parameters: Mapping[str, Any]
    public_inputs: Mapping[str, Any]
    digests: tuple[str, ...]


def find_releases(folders: Sequence[Path], truth: Path, code_lists: Path) -> Releases:
    """Releases as the user names them, whose code lists are those that they were made with.

    Raises: InputError where they do not belong together, or are none.
    """
    named = [folder.resolve() for folder in folders]
    twice = sorted({str(folder) for folder in named if named.count(folder) > 1})
    refuse([Problem(folder, "is named twice, and would count twice", "name each release once") for folder in twice])
    manifests = {folder: _release_manifest(folder) for folder in folders}
    noises = {folder: tuple(noises_of_manifest(manifest)) for folder, manifest in manifests.items()}
    parameters = {folder: manifest["parameters"] for folder, manifest in manifests.items()}
    first = folders[0]
    fix = "evaluate releases together that were made with the same parameters"
    problems = [
        Problem(str(folder), f"its parameters are not those of {first}", fix)
        for folder in folders
        if (noises[folder], _tabulated(parameters[folder])) != (noises[first], _tabulated(parameters[first]))
    ]
    truth_manifest = _truth_manifest(truth)
    if _tabulated(truth_manifest["parameters"]) != _tabulated(parameters[first]):
        what = f"it tabulates other states, region types or levels than {first}"
        problems.append(Problem(str(truth), what, _TRUTH_FIX))
    refuse(problems)
    lists = find_code_lists(code_lists)
    for folder, manifest in manifests.items():
        problems += public_problems(lists, manifest, folder / "manifest.json")
        problems += _truth_problems(truth, truth_manifest, folder, manifest)
    refuse(problems)
    return Releases(
        folders=tuple(folders),
        truth=truth,
        lists={name: lists[name] for name in ITERATION_LISTS},
        noises=noises[first],
        parameters=parameters[first],
        public_inputs=manifests[first]["public_inputs"],
        digests=tuple(map(manifest_digest, folders)),
    )


@contextmanager
def measured(releases: Releases, resources: Resources) -> Iterator[Database]:
    """A database with every measured count beside the exact one, of table `count_errors` of sql/tools/evaluate.

    Raises: InputError where a release holds a group that the exact tables do not.
    """
    readable = [file for source in releases.lists.values() for file in source.files]
    with (
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, readable, [], resources) as database,
    ):
        for name, source in releases.lists.items():
            files = parquet_files(database, source, scratch, name)
            types = stored_types(source, files)
            database.set_values(list_values(name, source.given, [str(file) for file in files], types))
        for name in _PUBLIC_STATEMENTS:
            database.create(sql_files()[name])
        for name, table in handed_over_tables(releases).items():
            database.hand_over(name, table)
        for name in _STATEMENTS:
            database.create(sql_files()[name])
        refuse(_unknown_group_problems(database, releases))
        yield database


def handed_over_tables(releases: Releases) -> dict[str, Any]:
    """The tables that sql/tools/evaluate is handed, as Arrow tables or as readers of them."""
    return {
        "released_t1": _released(releases.folders, "t1"),
        "released_t2": _released(releases.folders, "t2"),
        "exact_t1": _exact(releases.truth, "t1"),
        "exact_t2": _exact(releases.truth, "t2"),
        "noise_laws": noise_laws_table(releases.noises),
        "small_coverages": small_coverages_table(releases.noises),
    }


def _release_manifest(folder: Path) -> Any:
    """What the manifest of a release holds. Raises: InputError if it is none, or has no margins of error."""
    manifest = read_manifest(folder / "manifest.json")
    release_facts(manifest)
    return manifest


def _truth_problems(truth: Path, truth_manifest: Any, folder: Path, manifest: Any) -> list[Problem]:
    """Which public inputs of the exact tables are not those of a release, where both say what theirs were."""
    return [
        Problem(str(truth), f"was made with another {name} than {folder}: the digests differ", _TRUTH_FIX)
        for name, files in truth_manifest.get("public_inputs", {}).items()
        if _sha256s(files) != _sha256s(manifest["public_inputs"].get(name, files))
    ]


def _sha256s(files: Any) -> set[str]:
    return {file["sha256"] for file in files}


def _truth_manifest(truth: Path) -> Any:
    """The manifest of the exact tables. Raises: InputError if the folder holds none."""
    try:
        manifest = json.loads((truth / "manifest.json").read_text(encoding="utf-8"))
        _tabulated(manifest["parameters"])
        found = manifest["confidential"] and all((truth / f"{name}.parquet").is_file() for name in ("t1", "t2"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError([Problem(str(truth), f"holds no exact tables: {error}", _TRUTH_FIX)]) from error
    refuse([] if found else [Problem(str(truth), "holds no exact tables", _TRUTH_FIX)])
    return manifest


def _tabulated(parameters: Mapping[str, Any]) -> tuple[object, ...]:
    """What decides which population groups are tabulated."""
    levels = [level["level"] for level in parameters["levels"] if level["budget"]["exact"] != "0"]
    states = sorted(parameters["state_filter_us"]) if parameters["run_us"] else []
    return sorted(levels), states, parameters["run_pr"], parameters["region_types"]


def _released(folders: Sequence[Path], name: str) -> pa.Table:
    """Table t1 or t2 of every release, with the number of the run."""
    wanted = [column.name for column in sql_files()[f"released_{name}"].columns if column.name != "run"]
    tables = []
    for run, folder in enumerate(folders, start=1):
        files = sorted(map(str, (folder / name).glob("*.parquet")))
        refuse([] if files else [Problem(str(folder / name), "holds no Parquet file", RELEASE_FIX)])
        rows = _read(files, folder / name, RELEASE_FIX, wanted).to_table(columns=wanted)
        tables.append(numbered_rows(rows, f"released_{name}", run))
    return pa.concat_tables(tables)


def numbered_rows(rows: pa.Table, name: str, run: int) -> pa.Table:
    """Table `name` of sql/tools/evaluate: rows of t1 or t2 of one release, with the number of the run."""
    numbered = rows.append_column("run", pa.array([run] * rows.num_rows, pa.int32()))
    return numbered.select([column.name for column in sql_files()[name].columns])


def _exact(truth: Path, name: str) -> Any:
    """Exact table t1 or t2, read as it is needed."""
    wanted = [column.name for column in sql_files()[f"exact_{name}"].columns]
    found = _read([str(truth / f"{name}.parquet")], truth, _TRUTH_FIX, wanted)
    return found.scanner(columns=wanted).to_reader()


def _read(files: Sequence[str], where: Path, fix: str, wanted: Sequence[str]) -> Any:
    """A dataset of Parquet files. Raises: InputError where it cannot be read, or lacks a column."""
    try:
        found = dataset.dataset(files, format="parquet")
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(where), f"cannot be read: {error}", fix)]) from error
    missing = [name for name in wanted if name not in found.schema.names]
    refuse([Problem(str(where), f"missing columns {', '.join(missing)}", fix)] if missing else [])
    return found


def _unknown_group_problems(database: Database, releases: Releases) -> list[Problem]:
    """Population groups of a release that are not among the exact ones, or whose iteration no list has."""
    found = database.found(sql_files()["unknown_groups"])
    if not found:
        return []
    examples = database.examples(sql_files()["unknown_groups"], 5, _shown)
    what = f"{found} published count(s) of population groups that {releases.truth} or the code lists do not have"
    return [Problem(", ".join(map(str, releases.folders)), what, _TRUTH_FIX, examples)]


def _shown(row: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row.items())
