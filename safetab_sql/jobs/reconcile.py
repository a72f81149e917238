"""`reconcile`: a release made consistent by least squares, from published files alone. Never sees a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.kit.database import Database, Resources, open_database, resources_within, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, today, whole_folder
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.sources import Source, find_code_lists, find_source
from safetab_sql.published.manifest import Made, source_digests, write_manifest
from safetab_sql.published.public_inputs import manifest_digest, public_problems
from safetab_sql.published.release import TABLES, Release, open_release, released_table, table_files
from safetab_sql.published.release_facts import without_times
from safetab_sql.reconciliation.orders import BrokenOrders, broken_orders
from safetab_sql.reconciliation.regions import (
    NamedTree,
    read_geography,
    read_released_regions,
    region_tree,
)
from safetab_sql.reconciliation.tables import MARGINS, reconciled_counts

CONTENTS = ("t1", "t2", "manifest.json")


@dataclass(frozen=True, slots=True)
class ReconciledType:
    """What changed in the rows of one table and region type. Variances are means over rows, persons squared."""

    published_table: str
    region_type: str
    published_rows: int
    changed_rows: int
    noisy_variance: float
    reconciled_variance: float


@dataclass(frozen=True, slots=True)
class Reconciliation(Made):
    """A reconciled release. divisions: region type -> the region type that it divides. types: what changed, by table.

    orders: totals that are larger than totals of iterations that include their people; None without code lists.
    """

    divisions: Mapping[str, str]
    types: tuple[ReconciledType, ...]
    orders: tuple[BrokenOrders, ...] | None


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What is reconciled. public: public inputs given with the release, by name."""

    release: Release
    parameters: Parameters
    public: Mapping[str, Source]


def reconcile(
    release: str | Path,
    out: str | Path,
    *,
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    integers: bool = False,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Reconciliation:
    """Make folder `out` from the folder `release`: its rows, their counts made consistent where regions divide regions.

    Post-processing: only published and public files are read, so reconciling has no privacy loss of its own.
    geography: the file of the run; without it, region types with suppressed totals are left as they are.
    code_lists: the lists of the run; the result then says which totals are larger than totals that include their
    people, which reconciling does not prevent. integers: whole numbers that are unbiased, instead of the estimates.
    Raises: InputError where `release` is no release or has counts cut off at 0, where the public files are not the ones
    it was made with, or where `out` may not be made.
    Source: reconciliation.md sections 4 and 5; least_squares.py.
    """
    release, out, day = Path(release), Path(out), today()
    out_problems = check_new_folder(out, CONTENTS, overwrite=overwrite) + resources_within(out, resources)
    with claimed_name(out) as taken:
        found = _checked_inputs(release, out, geography, code_lists, out_problems + taken)
        readable = [file for name in TABLES for file in table_files(release / name)]
        readable += [file for source in found.public.values() for file in source.files]
        with (
            scratch_folder(resources.scratch) as scratch,
            whole_folder(out, CONTENTS, overwrite=overwrite, day=day) as folder,
            open_database(scratch, readable, [folder], resources, step=progress.step) as database,
        ):
            divisions, types, orders = _reconciled(database, found, scratch, folder, progress, integers=integers)
            manifest = _manifest(found, divisions, integers=integers)
            written = write_manifest(folder / "manifest.json", manifest, day)
    return Reconciliation(out, written, divisions, types, orders)


def _reconciled(
    database: Database, inputs: _Inputs, scratch: Path, folder: Path, progress: Progress, *, integers: bool
) -> tuple[Mapping[str, str], tuple[ReconciledType, ...], tuple[BrokenOrders, ...] | None]:
    """Write t1/ and t2/ below `folder`, stage by stage; divisions, types and orders of the `Reconciliation`."""
    progress.stage("reading the release")
    for name in TABLES:
        released_table(inputs.release.folder / name)  # refuses what is no such table
        database.show(name, table_files((inputs.release.folder / name).resolve()))
    tree = _tree(database, inputs, scratch)
    progress.stage("reconciling")
    spool = scratch / "reconciled"
    spool.mkdir()
    reconciled_counts(
        database,
        tree.tree,
        spool,
        parameters=inputs.parameters,
        suppressed_types=inputs.release.facts.suppressed_types,
        rounding_seed=manifest_digest(inputs.release.folder) if integers else None,
        step=lambda part: progress.step(part, 1),
    )
    database.drop("nested_counts")  # the memory is needed
    progress.stage("writing tables")
    types = _write_tables(database, folder, integers=integers)
    orders = None
    if "codes_list" in inputs.public:
        orders = broken_orders(database, inputs.public, scratch, inputs.parameters)
    return tree.divisions, types, orders


def _checked_inputs(
    folder: Path, out: Path, geography: str | Path | None, code_lists: str | Path | None, out_problems: list[Problem]
) -> _Inputs:
    """What can be known of a release before its rows are read. Raises: InputError with every problem."""
    release = open_release(folder)
    facts, parameters = release.facts, release.facts.parameters
    problems = [*out_problems, *release.problems]
    if folder.resolve() == out.resolve():
        problems.append(Problem(str(out), "is the release itself", "name another folder: the release stays as it is"))
    if facts.is_clipped:
        what = "counts below 0 were published as 0: such counts are too large on average, and sums would spread that"
        problems.append(Problem(str(facts.where), what, "reconcile a release made with allow_negative_counts = true"))
    public: dict[str, Source] = {}
    try:
        public |= {} if geography is None else {"geography": find_source(geography)}
        public |= {} if code_lists is None else find_code_lists(Path(code_lists), parameters.questions.lists)
    except InputError as error:
        problems += error.problems
    problems += public_problems(public, facts)
    refuse(problems)
    return _Inputs(release, parameters, public)


def _tree(database: Database, inputs: _Inputs, scratch: Path) -> NamedTree:
    """Which regions of the release divide which."""
    if "geography" in inputs.public:
        read_geography(database, inputs.public["geography"], inputs.parameters, scratch)
    else:
        facts = inputs.release.facts
        read_released_regions(database, {name: name in facts.suppressed_types for name in facts.region_types})
    return region_tree(database)


def _write_tables(database: Database, folder: Path, *, integers: bool) -> tuple[ReconciledType, ...]:
    """Write t1/ and t2/ of the new folder; what changed in them. integers: whether all counts are whole numbers."""
    for name in TABLES:
        database.create(sql_files()[f"reconciled_{name}"])
        (folder / name).mkdir()
        target = folder / name / f"{name}.parquet"
        if integers:
            database.copy(sql_files()[f"whole_{name}"], target, "format parquet, compression zstd")
        else:
            database.copy_table(f"reconciled_{name}", target, "format parquet, compression zstd")
    database.create(sql_files()["reconciled_region_types"])
    types = database.table("reconciled_region_types", order_by=["published_table", "region_type"]).to_pylist()
    return tuple(ReconciledType(**row) for row in types)


def _manifest(inputs: _Inputs, divisions: Mapping[str, str], *, integers: bool) -> dict[str, object]:
    """The manifest of the new folder. It contains the whole manifest of the release."""
    definition, manifest = inputs.parameters.privacy_definition, inputs.release.facts.manifest
    said = {"about": manifest["about"]} if "about" in manifest else {}
    return {
        **said,
        "reconciled": {
            "method": "generalised least squares; see README, Reconcile",
            "privacy": "post-processing of the release and of public files: no privacy loss of its own",
            "divisions": dict(divisions),
            "public_inputs": {name: source_digests(source) for name, source in inputs.public.items()},
            "integers": integers,
            "moe95": (
                f"{MARGINS[definition]:.4f} standard deviations and half a person, at least 1, where a row was "
                "reconciled; else as released"
            ),
            "survived_suppression": "such totals bind nothing; they become the sum of their parts where these bind",
            "rows_are_independent": False,
        },
        "release": without_times(manifest),
    }
