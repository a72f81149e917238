"""`parts`: a run whose people are counted in parts, each by a job of any scheduler; the jobs share a private folder.

prepare, count totals (each part), choose, count cells (each part), publish. Noise is drawn by `choose` and `publish`.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

import pyarrow as pa

from safetab_sql.accounting.ledger_file import LedgerFile, RefusedReleaseError, enter_release, keep_choice
from safetab_sql.algorithm import (
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
from safetab_sql.cluster.counting import count_chosen, count_part
from safetab_sql.cluster.job import absolute, new_job
from safetab_sql.cluster.key import new_key
from safetab_sql.cluster.merging import merge_cells, merge_first_pass
from safetab_sql.cluster.parts import person_files, planned_parts
from safetab_sql.cluster.sealed import can_encrypt
from safetab_sql.cluster.work import Plan, Settings, Work, open_work
from safetab_sql.confidential.inputs import inputs_in_parts, public_inputs
from safetab_sql.kit.database import Resources, resources_within, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import sha256_of
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import check_new_folder, given_away, inside_a_work_folder
from safetab_sql.public.inputs import InputPaths, changed_inputs
from safetab_sql.published.first_noise import charged_json, charged_of, noise_of_table, noise_table
from safetab_sql.published.manifest import MANIFEST, Made, parameters_json
from safetab_sql.published.new_release import Charged
from safetab_sql.published.new_run import contents_of
from safetab_sql.published.tables import Format
from safetab_sql.settings.parameters import load_parameters

Pass = Literal["totals", "cells"]
Bits = Callable[[int], bytes]
_USUAL = Resources()
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

    Raises: InputError with every problem but those of single records; then nothing is written.
    """
    key = None if work.key is None else Path(work.key)
    problems = _problems(Path(work.folder), Path(out), key)
    with (
        release_of_run(inputs, out, ledger_file, resources, overwrite=overwrite) as release,
        inputs_in_parts(inputs, resources, progress, [*release.problems, *problems]) as data,
    ):
        inputs = absolute(inputs)
        run = Tabulation(release, data, decide(data, format, progress), progress)
        records = known_records(release, data)
        declare(run, records)
        data.stage("planning parts")
        planned = planned_parts(person_files(data.sources["persons"]), work.parts)
        catalog = data.scratch / "catalog"
        catalog.mkdir()
        settings = Settings(inputs, str(Path(out).absolute()), format, overwrite, *_ledger(ledger_file), _path(key))
        job = new_job(data, inputs, catalog)
        plan = Plan(settings, _public(run), job, kept.table_digests(job), planned, records)
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
    prepared. Records that cannot be counted are reported by `choose`, those of all parts together.
    """
    opened = open_work(Path(work))
    refuse(resources_within(Path(opened.plan.settings.out), resources))
    its = kept.part_of(opened, part)
    parameters = parameters_json(load_parameters(opened.plan.job.parameters))
    refuse(_CHANGED if _as_read(parameters) != opened.plan.public["parameters"] else [])
    if what == "totals":
        kept.keep_counted(opened, part, count_part(opened.plan.job, its, resources))
        return
    run = kept.chosen_run(opened)
    stat_levels, _ = kept.kept_table(opened, "stat_levels", run)
    cells = count_chosen(opened.plan.job, kept.kept_units(opened, part), stat_levels, resources)
    kept.keep_cells(opened, part, run, cells)


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
    with _gone_on(opened, Path(opened.plan.settings.out), resources, progress, bits) as run:
        said = kept.kept_charge(opened)
        if said is not None and kept.has_kept(opened, "stat_levels", said["run"]):
            what = "its noisy totals were drawn before, and are drawn once"
            raise InputError([Problem(str(opened.folder), what, "count the cells, or prepare a new folder")])
        if said is None or not kept.has_kept(opened, "noise", said["run"]):
            said = _draw_first(opened, run, said)
        number, plans = said["run"], run.decided.plans
        noise, choice = kept.kept_table(opened, "noise", number)
        sha256 = kept.digest_of_table(opened, "noise", number)
        keep_choice(_ledger_file(opened), charged_of(choice["charged"]).charge, sha256)
        first = noise_of_table(noise, list(choice["stretches"]), plans)
        kept.keep_table(opened, "stat_levels", number, chosen_tables(first.chosen), {})


def _draw_first(work: Work, run: Tabulation, said: dict[str, Any] | None) -> dict[str, Any]:
    """The charge of the run whose noisy totals are drawn and kept here. said: the charge, if one was made before."""
    declare(run, work.plan.records_sha256, None if said is None else charged_of(said).charge)
    noise, stretches = noise_table(choose_tables(run, KeptCounts(work, run, said)), run.decided.plans)
    charged = charged_json(run.release.charged)
    kept.keep_table(work, "noise", charged["run"], noise, {"charged": charged, "stretches": stretches})
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
        totals = (kept.kept_totals(self.work, part) for part in _numbers(self.work))
        merge_first_pass(self.run.data, self.work.plan.job.places, totals, self.run.progress)
        if self.said is None:
            kept.keep_charge(self.work, charged_json(self.run.release.charged))

    def tables(self, _: pa.Table) -> None:
        """Merge the cells of all parts."""
        self.run.data.stage("merging the cells of all parts")
        number = kept.chosen_run(self.work)
        merge_cells(self.run.data.database, (kept.kept_cells(self.work, part, number) for part in _numbers(self.work)))


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
            enter_release(_ledger_file(opened), charge, sha256_of(folder / MANIFEST))
        except RefusedReleaseError:
            kept.discard_release(opened)  # its manifest says that it stands in a ledger, and it does not
            raise
        kept.give_out(opened, contents_of(opened.plan.settings.inputs.parameters))
    left = kept.remove_work(opened)
    if opened.folder.exists():
        holds = f"it still holds {', '.join(left)}: {_LEFT}" if left else "it is empty: remove it yourself"
        progress.warn(f"{opened.folder} was not removed; {holds}")
    return Made(Path(opened.plan.settings.out), manifest)


def _make_release(work: Work, folder: Path, resources: Resources, progress: Progress, bits: Bits | None) -> None:
    """The release, whole, in a folder of the private one."""
    number, said = kept.chosen_run(work), work.plan.settings
    contents = contents_of(said.inputs.parameters)
    refuse([*kept.uncounted(work, "cells"), *check_new_folder(Path(said.out), contents, overwrite=said.overwrite)])
    with _gone_on(work, folder, resources, progress, bits) as run:
        noise, choice = kept.kept_table(work, "noise", number)
        run.release.go_on(_with_right(work, charged_of(choice["charged"])))
        first = noise_of_table(noise, choice["stretches"], run.decided.plans)
        fill_tables(run, KeptCounts(work, run), first)


def _with_right(work: Work, charged: Charged) -> Charged:
    """The charge with what the ledger compares before the second noise: the digest of the first, and our nonce."""
    sha256, nonce = kept.digest_of_table(work, "noise", charged.charge.run), kept.kept_nonce(work)
    return replace(charged, charge=replace(charged.charge, noise_sha256=sha256, nonce=nonce))


@contextmanager
def _gone_on(
    work: Work, out: Path, resources: Resources, progress: Progress, bits: Bits | None
) -> Iterator[Tabulation]:
    """The run that was prepared, with its release to be made at `out`.

    Raises: InputError if these changed.
    """
    said, source = work.plan.settings, {} if bits is None else {"bits": bits}
    overwrite = said.overwrite and out == Path(said.out)
    with (
        release_of_run(said.inputs, out, _ledger_file(work), resources, overwrite=overwrite, **source) as release,
        public_inputs(said.inputs, resources, progress, release.problems) as data,
    ):
        run = Tabulation(release, data, decide(data, cast(Format, said.format), progress), progress)
        refuse(_CHANGED if _public(run) != work.plan.public else [])
        refuse(changed_inputs(data))
        yield run


def _ledger_file(work: Work) -> LedgerFile | None:
    said = work.plan.settings
    limit = None if said.ledger_limit is None else Fraction(said.ledger_limit)
    return None if said.ledger is None else LedgerFile(said.ledger, limit)


def _numbers(work: Work) -> range:
    return range(1, len(work.plan.parts) + 1)


def _problems(work: Path, out: Path, key: Path | None) -> list[Problem]:
    """Why the private folder or its key cannot be made there."""
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


def _public(run: Tabulation) -> dict[str, object]:
    """What the manifest says of parameters and public inputs, by which a change of them is noticed."""
    return {name: _as_read(run.decided.manifest[name]) for name in ("parameters", "public_inputs")}


def _as_read(said: object) -> object:
    """What was said as it is read again from a file: lists in place of tuples."""
    return json.loads(json.dumps(said))


def _path(path: str | Path | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _ledger(ledger_file: LedgerFile | None) -> tuple[str | None, str | None]:
    """Path and limit of the ledger, as text."""
    if ledger_file is None:
        return None, None
    return _path(ledger_file.path), None if ledger_file.limit is None else str(ledger_file.limit)
