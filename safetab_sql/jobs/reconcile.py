"""`reconcile`: a release made consistent by least squares, from published files alone. Never sees a person."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from safetab_sql.accounting.conversions import members_of
from safetab_sql.kit.database import Database, Resources, claimed_folder, declared_schema, open_database, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import today, whole_folder
from safetab_sql.kit.words import printed
from safetab_sql.public.gate import Public, public_code_lists, public_source
from safetab_sql.public.inputs import attempt
from safetab_sql.published import manifest as manifests
from safetab_sql.published.file_notes import CSVW, file_differences, file_digests, reconciled_notes
from safetab_sql.reconciliation import forest, tables
from safetab_sql.release import folder as releases
from safetab_sql.settings.ladders import CODES, GROUP_INDEX, MEASUREMENTS, Ladder
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.intervals import width


@dataclass(frozen=True, slots=True)
class Reconciliation(manifests.Made):
    """A reconciled release. divisions: region type -> the region type that it divides.

    types: what changed, rows of reconciled_region_types.sql. orders: totals above totals of iterations that include
    their people, rows of broken_orders.sql; None without code lists. nested: how many iterations are part of another.
    uses_stage_1, leaves_out_stage_1: whether the release has measurements that were used, or that could not be.
    """

    divisions: Mapping[str, str]
    types: tuple[forest.Row, ...]
    orders: tuple[forest.Row, ...] | None
    nested: int
    uses_stage_1: bool
    leaves_out_stage_1: bool


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What is reconciled. public: public inputs given with the release, by name. known: the statistics of each ladder.

    uses_stage_1: whether stage-1 totals are used, where the release has them.
    """

    release: releases.ReleaseFolder
    public: Mapping[str, Public]
    known: Mapping[str, forest.Statistics]
    uses_stage_1: bool


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
    """Make folder `out` from the folder `release`: its rows, made consistent and more precise, with new margins.

    Post-processing: only published and public files are read, so reconciling has no privacy loss of its own. geography:
    the file of the run; without it, region types with suppressed totals are in no tree. code_lists: the lists of the
    run; iterations that make up others then add up to them, and the result says which totals are larger than totals
    that include their people, which reconciling does not prevent. integers: whole numbers that are unbiased, instead of
    the estimates. Raises: InputError where `release` is no release or has counts cut off at 0, where the public files
    are not the ones it was made with, or where `out` may not be made. Source: reconciliation.md sections 3 to 7;
    least_squares.py.
    """
    opened, out, day = releases.open_folder(Path(release)), Path(out), today()
    release, facts, folders = opened.folder, opened.facts, opened.facts.folders
    contents = (*folders, GROUP_INDEX, CODES, CSVW, manifests.MANIFEST)
    with claimed_folder(out, contents, resources, overwrite=overwrite) as problems:
        found = _checked_inputs(opened, out, geography, code_lists, problems)
        tables_read = [release / name for name in (*folders, GROUP_INDEX, MEASUREMENTS)]
        readable = [file for table in tables_read for file in releases.table_files(table)]
        readable += [file for source in found.public.values() for file in source.files]
        with (
            scratch_folder(resources.scratch) as scratch,
            whole_folder(out, contents, overwrite=overwrite, day=day) as folder,
            open_database(scratch, readable, [folder], resources, step=progress.step) as database,
        ):
            notes = reconciled_notes(members_of(facts.manifest), facts.parameters.unit, day)
            writing = tables.Writing(folder, notes, integers)
            done = _reconciled(database, found, writing, scratch, progress)
            tables.write_beside(release, replace(facts.parameters, about=facts.about), writing)
            manifest = {**members_of(_said(found, done, integers=integers)), "files": file_digests(folder)}
            written = manifests.write_manifest(folder / manifests.MANIFEST, manifest, day)
    return replace(done, out=out, manifest=written)


def _reconciled(
    database: Database, inputs: _Inputs, writing: tables.Writing, scratch: Path, progress: Progress
) -> Reconciliation:
    """Write the tables of every ladder, stage by stage; the manifest is not written yet."""
    progress.stage("reading the release")
    facts, parameters, folder = inputs.release.facts, inputs.release.facts.parameters, inputs.release.folder
    has_lists, has_geography = "codes_list" in inputs.public, "geography" in inputs.public
    if has_lists:
        forest.read_nesting(database, inputs.public, scratch, parameters)
    else:
        database.hand_over("iteration_nesting", declared_schema("iteration_nesting").empty_table())
    if has_geography:
        releases.read_geography(database, inputs.public["geography"], parameters, scratch)
    types: list[forest.Row] = []
    orders: list[forest.Row] = []
    divisions: dict[str, str] = {}
    for number, ladder in enumerate(parameters.ladders):
        progress.stage(f"reconciling {ladder.name}" if len(parameters.ladders) > 1 else "reconciling")
        _read_ladder(database, inputs, ladder)
        if not has_geography:
            names = {each.region_type for each in facts.levels_of(ladder.name)}
            whole = names - {*facts.suppressed_types(ladder.name), *(names if parameters.geography.null else ())}
            forest.read_released_regions(database, {name: name not in whole for name in names})
        tree = forest.region_tree(database)
        spool = scratch / f"reconciled{number}"
        spool.mkdir()
        how = tables.Reconciled(
            inputs.known[ladder.name],
            parameters.privacy_definition,
            facts.levels_of(ladder.name),
            f"{releases.manifest_digest(folder)}{ladder.name if number else ''}" if writing.integers else None,
            parameters.intervals_from_zero,
        )
        tables.reconciled_counts(database, tree, spool, how, lambda part: progress.step(part, 1))
        database.drop("nested_counts")  # the memory is needed
        progress.stage("writing tables")
        types += tables.written_tables(database, parameters, ladder, writing)
        divisions |= tree.divisions
        orders += forest.broken_orders(database) if has_lists else ()
    nested = sum(row["levels_above"] > 0 for row in database.table("iteration_nesting").to_pylist())
    found = divisions, tuple(types), tuple(orders) if has_lists else None, nested, inputs.uses_stage_1
    return Reconciliation(writing.folder, {}, *found, parameters.publish_stage_1 and not inputs.uses_stage_1)


def _read_ladder(database: Database, inputs: _Inputs, ladder: Ladder) -> None:
    """Show the tables of one ladder under the names that statements know."""
    folder = inputs.release.folder.resolve()
    measured = folder / MEASUREMENTS / f"{ladder.totals_folder or ladder.folder}.parquet"
    totals = [] if ladder.totals_folder is None else releases.table_files(folder / ladder.totals_folder)
    database.show("t2", releases.table_files(folder / ladder.folder))
    for name, files, like in (
        ("t1", totals, "released_totals"),
        ("measured_groups", [measured] if inputs.uses_stage_1 else [], "measured_groups"),
    ):
        if files:
            database.show(name, files)
        else:
            database.hand_over(f"no_{name}", declared_schema(like).empty_table())
            database.call(name, f"no_{name}")
    tables.ladder_tables(database, inputs.release.facts.parameters, ladder, inputs.known[ladder.name])
    database.show(GROUP_INDEX, releases.table_files(folder / GROUP_INDEX))
    for name in ("released_totals", "group_levels"):
        database.create(sql_files()[name])


def _checked_inputs(
    release: releases.ReleaseFolder,
    out: Path,
    geography: str | Path | None,
    code_lists: str | Path | None,
    out_problems: list[Problem],
) -> _Inputs:
    """What can be known of a release before its rows are read. Raises: InputError with every problem."""
    folder, facts, parameters = release.folder, release.facts, release.facts.parameters
    problems = [*out_problems, *release.problems]
    if folder.resolve() == out.resolve():
        problems.append(Problem(str(out), "is the release itself", "name another folder: the release stays as it is"))
    if facts.is_clipped:
        what = "counts below 0 were published as 0: such counts are too large on average, and sums would spread that"
        problems.append(Problem(str(facts.where), what, "reconcile a release made with allow_negative_counts = true"))
    known = {}
    for ladder in parameters.ladders:
        if ladder.sum is not None:
            what = f"{ladder.name} is a {ladder.sum.words}, and reconcile takes counts alone"
            fix = "leave its rows as they are: `moe` and `statistics` give sums, means and their intervals"
            problems.append(Problem(str(facts.where), what, fix))
        found = tables.ladder_statistics(parameters, ladder)
        if found is None:
            what = f"{ladder.name}: a statistic does not split the cells of the one before it, so tables do not add up"
            fix = "reconcile needs statistics of which each has the cells of the one before, or parts of them"
            problems.append(Problem(str(facts.where), what, fix))
        else:
            known[ladder.name] = found
    place = None if geography is None else attempt(problems, lambda: public_source("geography", geography))
    wanted = parameters.questions.lists
    lists = None if code_lists is None else attempt(problems, lambda: public_code_lists(code_lists, wanted))
    public = {**({} if place is None else {"geography": place}), **(lists or {})}
    problems += [*releases.public_problems(public, facts), *file_differences(folder, facts.files)]
    refuse(problems)
    # Two-sided geometric noise has no sum that says all that both stages say: see reconciliation.md section 4.
    uses_stage_1 = parameters.publish_stage_1 and parameters.privacy_definition == "zcdp"
    return _Inputs(release, public, known, uses_stage_1)


def _said(inputs: _Inputs, done: Reconciliation, *, integers: bool) -> manifests.ReconcileRun:
    """The manifest of the new folder, without its files. It contains the whole manifest of the release."""
    facts = inputs.release.facts
    reconciled = manifests.ReconciledCounts(
        method="generalised least squares; see docs/specification/reconciliation.md",
        privacy="post-processing of the release and of public files: no privacy loss of its own",
        divisions=done.divisions,
        nested_iterations=done.nested,
        stage_1=inputs.uses_stage_1,
        public_inputs={name: manifests.source_digests(source) for name, source in inputs.public.items()},
        integers=integers,
        moe95=(
            f"{width(facts.definition):.4f} standard deviations and half a {facts.parameters.unit.one}, at least 1, "
            "where a row was reconciled, and more near a limit of what stage 1 chose; else as released"
        ),
        survived_suppression="such totals bind nothing; they become the sum of their parts where that is more precise",
        rows_are_independent=False,
    )
    return manifests.ReconcileRun("reconcile", facts.about, reconciled, facts.manifest)


def reconciliation_text(done: Reconciliation, unit: Unit) -> str:
    """What was done, for people to read. unit: what a record is."""
    return printed(__file__, "reconcile", {"done": done, "unit": unit})
