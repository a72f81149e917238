"""`parts`: a run whose people are counted in parts, each by a job of any scheduler; the jobs share a private folder.

prepare, count totals (each part), choose, count cells (each part), publish. Noise is drawn by `choose` and `publish`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import pyarrow as pa

from safetab_sql.accounting.ledger_file import LedgerFile, RefusedReleaseError, enter_release, keep_choice
from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.accounting.written import members_of
from safetab_sql.algorithm import (
    ChosenGroups,
    FirstNoise,
    Tabulation,
    choose_tables,
    chosen_tables,
    decide,
    declare,
    fill_tables,
    known_records,
    release_of_run,
)
from safetab_sql.cluster import work as kept
from safetab_sql.cluster.counting import count_chosen, count_part, new_job
from safetab_sql.cluster.merging import merge_first_pass, merge_rows
from safetab_sql.cluster.parts import person_files, planned_parts
from safetab_sql.cluster.sealed import can_encrypt, new_key
from safetab_sql.cluster.work import Plan, Work, open_work
from safetab_sql.confidential.inputs import inputs_in_parts, public_inputs
from safetab_sql.kit.database import Resources, resources_within, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import check_new_folder, given_away, inside_a_work_folder, sha256_of
from safetab_sql.public.gate import records_at
from safetab_sql.public.inputs import InputPaths, attempt, changed_inputs
from safetab_sql.published.manifest import MANIFEST, Made, parameters_json
from safetab_sql.published.manifest_models import contents_of
from safetab_sql.published.measurements import MeasuredGroups
from safetab_sql.published.new_release import Charged, charged_of
from safetab_sql.published.tables import Format, PublishedTotals
from safetab_sql.settings.parameters import load_parameters

Pass = Literal["totals", "cells"]
Bits = Callable[[int], bytes]
_USUAL = Resources()
_OPTIONAL = ("code_lists", "totals", "region_names")
_BLOCK = pa.schema(  # of the first noise
    [("kind", pa.string()), ("plan", pa.int64()), ("stat_level", pa.int64())]
    + [(name, pa.large_list(pa.int64())) for name in ("population_group_ids", "first", "second")]
)
_LEFT = "move away what you put there and remove the rest, which may hold exact counts"
_CHANGED = [
    Problem("--work", "parameters or public inputs changed since it was prepared", "prepare a new folder, count again")
]


@dataclass(frozen=True, slots=True)
class NewWork:
    """The private folder to make. parts: how many there are. key: a file to make, whose key encrypts what jobs keep.

    Without a key, exact counts rest in plain files.
    """

    folder: str | Path
    parts: int
    key: str | Path | None


def prepare(
    inputs: InputPaths,
    out: str | Path,
    work: NewWork,
    *,
    format: Format = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = _USUAL,
    progress: Progress = SILENT,
) -> None:
    """Check the public inputs, plan the parts and make the private folder. The options hold for all later steps.

    Raises: InputError with every problem that is not of a single record; then nothing is written.
    """
    key = None if work.key is None else Path(work.key)
    problems = _problems(Path(work.folder), Path(out), key)
    problems += _too_few_parts(inputs, work.parts) if problems else []  # else they are planned below, once
    with (
        release_of_run(inputs, out, ledger_file, resources, overwrite=overwrite) as release,
        inputs_in_parts(inputs, resources, progress, [*release.problems, *problems]) as data,
    ):
        inputs = _absolute(inputs)
        run = decide(release, data, format, progress)
        records = known_records(release, data)
        declare(run, records)
        data.stage("planning parts")
        planned = planned_parts(
            person_files(data.sources["persons"]), work.parts, whole_persons=data.parameters.unit.person is not None
        )
        ledger = None if ledger_file is None else replace(ledger_file, path=str(Path(ledger_file.path).absolute()))
        kept_key = None if key is None else str(key.absolute())
        job, where = new_job(data, inputs), str(Path(out).absolute())
        facts = _public(run), job, kept.table_digests(job), planned, records
        plan = Plan(inputs, where, format, overwrite, ledger, kept_key, *facts)
        refuse(changed_inputs(data))
        secret = None if key is None else new_key(key)
        try:
            kept.make_work(Path(work.folder), plan, secret)
        except BaseException:
            if key is not None:
                key.unlink(missing_ok=True)
            raise


def count(work: str | Path, part: int, what: Pass, *, resources: Resources = _USUAL) -> None:
    """Count one part, numbered from 1. what: totals, or, once `choose` has ended, cells.

    It may be done again: what was kept before is replaced. Raises: InputError where the part cannot be read as it was
    prepared. `choose` reports the records of all parts that cannot be counted.
    """
    opened = open_work(Path(work))
    refuse(resources_within(Path(opened.plan.out), resources))
    its = kept.part_of(opened, part)
    parameters = parameters_json(load_parameters(opened.plan.job.parameters))
    refuse(_CHANGED if _as_read(parameters) != opened.plan.public["parameters"] else [])
    if what == "totals":
        kept.keep_counted(opened, part, count_part(opened.plan.job, its, resources))
        return
    run = kept.chosen_run(opened)
    stat_levels, units = (kept.kept(opened, name)[0] for name in (f"stat_levels-{run}", f"units-{part}"))
    kept.keep(opened, f"cells-{part}", count_chosen(opened.plan.job, units, stat_levels, resources), {"run": run})


def choose(
    work: str | Path, *, resources: Resources = _USUAL, progress: Progress = SILENT, bits: Bits | None = None
) -> None:
    """Merge the totals of all parts, charge the run and draw the noisy totals that choose the tables, once.

    It may be called again after it was killed at any moment, and then charges no second run: the charge rests in the
    private folder before the ledger gets it. The noise is kept in one step, before anything that depends on it is
    written. So it is drawn again only if no value of it was kept, and then none can have been seen: noise leaves this
    process by that file alone. What a kill leaves of that file half-written lies beside exact counts, read by nobody.
    The ledger gets the digest of the file before anything depends on it; noise of a copy of the folder is refused.

    Raises: InputError with every problem of the records; if a part has not been counted; if tables were chosen before,
    here or in a copy of the folder; or if the ledger's limit forbids the run.
    """
    opened = open_work(Path(work))
    refuse(kept.uncounted(opened, "totals"))
    with _gone_on(opened, Path(opened.plan.out), resources, progress, bits) as run:
        said = kept.kept_charge(opened)
        if said is not None and kept.is_kept(opened, f"stat_levels-{said['run']}"):
            what = "its noisy totals were drawn before, and are drawn once"
            raise InputError([Problem(str(opened.folder), what, "count the cells, or prepare a new folder")])
        if said is None or not kept.is_kept(opened, f"noise-{said['run']}"):
            said = _draw_first(opened, run, said)
        number = said["run"]
        noise, choice = kept.kept(opened, f"noise-{number}")
        sha256 = kept.digest_of(opened, f"noise-{number}")
        keep_choice(opened.plan.ledger, charged_of(choice["charged"]).charge, sha256)
        first = _noise_of_table(noise, run.plans)
        kept.keep(opened, f"stat_levels-{number}", chosen_tables(first.chosen), {})


def _draw_first(work: Work, run: Tabulation, said: dict[str, Any] | None) -> dict[str, Any]:
    """The charge of the run whose noisy totals are drawn and kept here. said: the charge, if one was made before."""
    declare(run, work.plan.records_sha256, None if said is None else charged_of(said).charge)
    noise = _noise_table(choose_tables(run, KeptCounts(work, run, said)), run.plans)
    charged: dict[str, Any] = members_of(run.release.charged)
    kept.keep(work, f"noise-{charged['run']}", noise, {"charged": charged})
    return charged


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """Merges what the jobs have counted and kept in the private folder. said: the charge, if one was made before."""

    work: Work
    run: Tabulation
    said: dict[str, Any] | None = None

    def totals(self) -> None:
        """Merge the totals of all parts; then keep the charge, before the ledger gets it.

        Raises: InputError with every problem of the records.
        """
        self.run.data.stage("merging the totals of all parts")
        totals = (kept.kept_totals(self.work, part) for part in kept.part_numbers(self.work))
        merge_first_pass(self.run.data, self.work.plan.job.places, totals, self.run.progress)
        if self.said is None:
            kept.keep_charge(self.work, members_of(self.run.release.charged))

    def tables(self, _: pa.Table) -> None:
        """Merge the cells of all parts."""
        self.run.data.stage("merging the cells of all parts")
        number = kept.chosen_run(self.work)
        cells = (kept.kept_cells(self.work, part, number) for part in kept.part_numbers(self.work))
        merge_rows(self.run.data.database, "group_finest_cells", cells)


def publish(
    work: str | Path, *, resources: Resources = _USUAL, progress: Progress = SILENT, bits: Bits | None = None
) -> Made:
    """Merge the cells of all parts, draw their noise and publish; then the private folder and its key are removed.

    It may be called again after it was killed at any moment: the release is first made whole in the private folder, so
    that noise is drawn again only if nothing of it was kept, and then is copied to OUT, the same bytes each time. The
    ledger gives the right to draw to one copy of the private folder, and gets the digest of the manifest before OUT is
    made: a run has one release, however often its folder is copied.

    Raises: InputError if a part has not been counted, if the choice was published before, here or from a copy of the
    folder, or if the ledger does not hold its charge; then nothing is published. A complete release that the ledger
    refuses is removed.
    """
    folder = kept.kept_release(Path(work))
    opened = open_work(Path(work))
    if folder.is_dir():
        with scratch_folder(resources.scratch):  # removes what a publish that was killed left there: exact counts
            pass
    else:
        _make_release(opened, folder, resources, progress, bits)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    if (said := kept.kept_charge(opened)) is not None:
        charge = replace(charged_of(said).charge, nonce=kept.kept_nonce(opened))
        try:
            enter_release(opened.plan.ledger, charge, sha256_of(folder / MANIFEST))
        except RefusedReleaseError:
            kept.discard_release(opened)  # its manifest says that it stands in a ledger, and it does not
            raise
        kept.give_out(opened, contents_of(opened.plan.inputs.parameters))
    left = kept.remove_work(opened)
    if opened.folder.exists():
        holds = f"it still holds {', '.join(left)}: {_LEFT}" if left else "it is empty: remove it yourself"
        progress.warn(f"{opened.folder} was not removed; {holds}")
    return Made(Path(opened.plan.out), manifest)


def _make_release(work: Work, folder: Path, resources: Resources, progress: Progress, bits: Bits | None) -> None:
    number, said = kept.chosen_run(work), work.plan
    contents = contents_of(said.inputs.parameters)
    refuse([*kept.uncounted(work, "cells"), *check_new_folder(Path(said.out), contents, overwrite=said.overwrite)])
    with _gone_on(work, folder, resources, progress, bits) as run:
        noise, choice = kept.kept(work, f"noise-{number}")
        run.release.go_on(_with_right(work, charged_of(choice["charged"])))
        first = _noise_of_table(noise, run.plans)
        fill_tables(run, KeptCounts(work, run), first)


def _with_right(work: Work, charged: Charged) -> Charged:
    """The charge with what the ledger compares before the second noise: the digest of the first, and our nonce."""
    sha256, nonce = kept.digest_of(work, f"noise-{charged.charge.run}"), kept.kept_nonce(work)
    return replace(charged, charge=replace(charged.charge, noise_sha256=sha256, nonce=nonce))


@contextmanager
def _gone_on(
    work: Work, out: Path, resources: Resources, progress: Progress, bits: Bits | None
) -> Iterator[Tabulation]:
    """The run that was prepared, with its release to be made at `out`.

    Raises: InputError if these changed.
    """
    said = work.plan
    overwrite = said.overwrite and out == Path(said.out)
    with (
        release_of_run(said.inputs, out, said.ledger, resources, bits, overwrite=overwrite) as release,
        public_inputs(said.inputs, resources, progress, release.problems) as data,
    ):
        run = decide(release, data, cast(Format, said.format), progress)
        refuse(_CHANGED if _public(run) != work.plan.public else [])
        refuse(changed_inputs(data))
        yield run


def _problems(work: Path, out: Path, key: Path | None) -> list[Problem]:
    problems = check_new_folder(work, kept.CONTENTS, overwrite=False)
    problems += inside_a_work_folder(work) + inside_a_work_folder(out)
    if work.resolve() in (out.resolve(), *out.resolve().parents) or out.resolve() in work.resolve().parents:
        problems.append(Problem(f"--work {work}", f"lies in --out {out}, or the reverse", "keep them apart"))
    if key is None:
        return problems
    if not can_encrypt():
        fix = "install a newer pyarrow, or accept plain files: --plain"
        problems.append(Problem(f"--key {key}", "this version of pyarrow cannot encrypt with it", fix))
    if key.exists():
        problems.append(Problem(f"--key {key}", "exists already", "name a new file: each folder has a key of its own"))
    problems += given_away(key, "--key")
    if {work.resolve(), out.resolve()} & {key.resolve(), *key.resolve().parents}:
        problems.append(Problem(f"--key {key}", "lies in what it protects, or is given away", "keep it elsewhere"))
    if not key.absolute().parent.is_dir():
        problems.append(Problem(f"--key {key}", f"its folder {key.absolute().parent} does not exist", "make it first"))
    return problems


def _too_few_parts(inputs: InputPaths, number: int) -> list[Problem]:
    """A problem where the persons do not fit into so few parts; none where they are not found, which is told anyway."""
    problems: list[Problem] = []
    for source in records_at(str(inputs.persons)):
        with suppress(InputError):
            files = person_files(source)
            attempt(problems, partial(planned_parts, files, number))
    return problems


def _public(run: Tabulation) -> dict[str, object]:
    """What the manifest says of parameters and public inputs, by which a change of them is noticed."""
    return {name: _as_read(run.manifest[name]) for name in ("parameters", "public_inputs")}


def _as_read(said: object) -> object:
    """What was said as it is read again from a file: lists in place of tuples."""
    return json.loads(json.dumps(said))


def _absolute(inputs: InputPaths) -> InputPaths:
    """The inputs by paths that hold from any folder. None of them may be a table of Python."""
    given = {name: getattr(inputs, name) for name in ("parameters", "persons", "geography", *_OPTIONAL)}
    absolute = {name: str(Path(path).absolute()) for name, path in given.items() if path is not None}
    return replace(inputs, **cast(dict[str, Any], absolute))


def _noise_table(first: FirstNoise, plans: Sequence[LevelPlan]) -> pa.Table:
    """A row for each block of it: what it is, the place of its plan, its stat level, and three arrays of int64."""
    places = {(plan.ladder, plan.catalog.level_id): place for place, plan in enumerate(plans)}
    rows: list[tuple[object, ...]] = [
        ("totals", places[each.ladder, each.level_id], 0, each.population_group_ids, each.noisy_counts, ())
        for each in first.totals
    ]
    for groups in first.chosen:
        place = places[groups.plan.ladder, groups.plan.catalog.level_id]
        rows.append(("chosen", place, 0, groups.population_group_ids, groups.stat_levels, groups.stage_1))
    for known in first.measured:
        place = places[known.plan.ladder, known.plan.catalog.level_id]
        rows.append(("measured", place, known.stat_level, known.population_group_ids, known.stage_1, known.summed))
    return pa.table([[row[column] for row in rows] for column in range(len(_BLOCK))], schema=_BLOCK)


def _noise_of_table(table: pa.Table, plans: Sequence[LevelPlan]) -> FirstNoise:
    """What `_noise_table` was made of."""
    first, names = FirstNoise([], [], []), _BLOCK.names
    for row, (kind, place, stat_level) in enumerate(zip(*(table[name].to_pylist() for name in names[:3]), strict=True)):
        plan = plans[place]
        ids, one, other = (table[name][row].values.to_numpy() for name in names[3:])
        if kind == "totals":
            first.totals.append(PublishedTotals(plan.ladder, plan.catalog.level_id, ids, one))
        elif kind == "chosen":
            first.chosen.append(ChosenGroups(plan, ids, one, other))
        else:
            first.measured.append(MeasuredGroups(plan, stat_level, ids, one, other))
    return first
