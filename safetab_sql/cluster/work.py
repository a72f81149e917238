"""The private folder in which the jobs of a run hand one another what they counted and chose.

plan.json says what is run, on which inputs, and never changes: every file is bound to its digest. Whatever depends on
the records, such as how many each part has, rests in sealed tables alone.
"""

import hashlib
import json
import shutil
import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.cluster.counting import CountedPart, Job, installed_software, other_software
from safetab_sql.cluster.parts import RecordPart
from safetab_sql.cluster.sealed import read_key, seal, unseal
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.marks import marked_json
from safetab_sql.kit.whole_folders import claimed_name, sha256_of, whole_folder, write_whole_file
from safetab_sql.public.checks import Found
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.reading import adapter

CONTENTS = ("plan.json", "catalog", "parts", "nonce", "release")
_PLANNED, _CHARGE, _NONCE, _MANIFEST = "planned", "charge", "nonce", "manifest.json"
# What `parts` writes in the folder beside its plan and its catalog, with what a kill leaves half-written.
_KEPT = ("units-*", "totals-*", "cells-*", "noise-*", "stat_levels-*", _CHARGE)
_SEALED = tuple(f"parts/{name}" for each in _KEPT for name in (f"{each}.parquet", f".{each}.parquet.partial-*"))
_OTHERS = (f"parts/{_PLANNED}.parquet", _NONCE, f".{_NONCE}.partial-*", "release", ".release.*")
_AGAIN = "prepare a new folder, and count again"
_NO_ROWS = pa.table({})


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run, as it was said when the parts were prepared; paths are absolute.

    key: of the key's file; None for plain files. public: what the manifest will say of parameters and public inputs.
    catalog: digests of tables. records_sha256: of the run's charge; it and the parts depend on the records.
    """

    inputs: InputPaths
    out: str
    format: str
    overwrite: bool
    ledger: LedgerFile | None
    key: str | None
    public: Mapping[str, Any]
    job: Job
    catalog: Mapping[str, str]
    parts: tuple[RecordPart, ...] = ()
    records_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """A work folder that has been opened. digest: of its plan.json."""

    folder: Path
    digest: str
    key: bytes | None
    plan: Plan


def make_work(folder: Path, plan: Plan, key: bytes | None) -> None:
    """Make the work folder (mode 0700, its files 0600), whole or not at all. Raises: InputError where one stands."""
    said = {**asdict(plan), "software": installed_software(), "name": uuid.uuid4().hex}  # no other plan has its digest
    said["job"].pop("catalog")  # of the folder
    planned = {name: said.pop(name) for name in ("parts", "records_sha256")}
    text = json.dumps(marked_json(said), indent=1, default=str)
    with whole_folder(folder, CONTENTS, overwrite=False, mode=0o700) as made:
        (made / "catalog").mkdir(mode=0o700)
        (made / "parts").mkdir(mode=0o700)
        for name in plan.job.tables:
            copy = made / "catalog" / f"{name}.parquet"
            copy.write_bytes((plan.job.catalog / copy.name).read_bytes())
            copy.chmod(0o600)
        write_whole_file(made / "plan.json", text, overwrite=False, mode=0o600)
        keep(Work(made, hashlib.sha256(text.encode()).hexdigest(), key, plan), _PLANNED, _NO_ROWS, planned)


def open_work(folder: Path) -> Work:
    """The work folder; of one whose release is at OUT, and which is being removed, no sealed table is read.

    Raises: InputError where it is none, or was prepared with other software.
    """
    file, fix = folder / "plan.json", "name the folder that `parts prepare` made"
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(folder), "is no work folder: it holds no plan.json", fix)]) from error
    try:
        said = json.loads(text)
        other = other_software(said["software"])
        what = f"was prepared with another version of {', '.join(other)} than is installed here"
        refuse([Problem(str(file), what, "install the same software wherever parts are counted")] if other else [])
        plan = adapter(Plan).validate_python({**said, "job": {**said["job"], "catalog": folder / "catalog"}})
        work = Work(folder, hashlib.sha256(text).hexdigest(), None, plan)
        key = None if work.plan.key is None else Path(work.plan.key)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError([Problem(str(file), "is no plan", fix)]) from error
    if is_given_out(work):
        return work
    work = replace(work, key=None if key is None else read_key(key))
    planned = kept(work, _PLANNED)[1]  # what depends on the records
    parts = adapter(tuple[RecordPart, ...]).validate_python(planned["parts"])
    return replace(work, plan=replace(work.plan, parts=parts, records_sha256=planned["records_sha256"]))


def part_of(work: Work, number: int) -> RecordPart:
    """The part of this number, from 1. Raises: InputError where there is none, or the catalog is not as prepared."""
    parts = work.plan.parts
    if not 1 <= number <= len(parts):
        raise InputError([Problem(f"--part {number}", f"there are parts 1 to {len(parts)}", "name one of them")])
    catalog = work.plan.job.catalog
    damaged = [name for name, digest in work.plan.catalog.items() if _digest(catalog / f"{name}.parquet") != digest]
    refuse([Problem(str(catalog), f"{name} is not as it was prepared", _AGAIN) for name in damaged])
    return parts[number - 1]


def part_numbers(work: Work) -> range:
    """The numbers of the parts."""
    return range(1, len(work.plan.parts) + 1)


def keep(work: Work, name: str, table: pa.Table, facts: Mapping[str, Any], *, overwrite: bool = True) -> None:
    """Keep a table and what else is known: of a part, or of the choice. overwrite: what was kept before."""
    seal(_file(work, name), work.digest, work.key, table, facts, overwrite=overwrite)


def kept(work: Work, name: str) -> tuple[pa.Table, dict[str, Any]]:
    """A table that was kept, and what else is known. Raises: InputError if it cannot be read, or is of another plan."""
    return unseal(_file(work, name), work.digest, work.key)


def is_kept(work: Work, name: str) -> bool:
    """Whether a table has been kept."""
    return _file(work, name).is_file()


def digest_of(work: Work, name: str) -> str:
    """SHA-256 of the file of a table that was kept."""
    return _digest(_file(work, name))


def keep_counted(work: Work, number: int, counted: CountedPart) -> None:
    """Keep a part after the first pass."""
    facts = {"records": counted.records, "found": [asdict(found) for found in counted.found]}
    keep(work, f"units-{number}", counted.units, {})
    keep(work, f"totals-{number}", counted.totals, facts)  # last: where it stands, the part has been counted


def kept_totals(work: Work, number: int) -> tuple[pa.Table, list[Found]]:
    """Totals of a part, and what the checks found in it. Raises: InputError if they cannot be read."""
    table, facts = kept(work, f"totals-{number}")
    return table, adapter(list[Found]).validate_python(facts["found"])


def kept_cells(work: Work, number: int, run: str) -> pa.Table:
    """Cells of a part. Raises: InputError if they cannot be read, or were counted for another run."""
    cells, facts = kept(work, f"cells-{number}")
    if facts["run"] != run:
        raise InputError([Problem(f"part {number}", "its cells are of another choice", _count(work, number, "cells"))])
    return cells


def uncounted(work: Work, what: str) -> list[Problem]:
    """A problem for each part that has not been counted. what: totals or cells."""
    return [
        Problem(f"part {number}", f"its {what} have not been counted", _count(work, number, what))
        for number in part_numbers(work)
        if not is_kept(work, f"{what}-{number}")
    ]


def keep_charge(work: Work, charge: Mapping[str, Any]) -> None:
    """Keep the charge of this folder's run, before the ledger gets it: after a kill the same run is charged."""
    keep(work, _CHARGE, _NO_ROWS, charge, overwrite=False)


def kept_charge(work: Work) -> dict[str, Any] | None:
    """The charge of this folder's run, if one was made. Raises: InputError where it is of another plan."""
    return kept(work, _CHARGE)[1] if is_kept(work, _CHARGE) else None


def is_given_out(work: Work) -> bool:
    """Whether the release is at OUT for good: the charge, without which none is made, has been removed."""
    return kept_release(work.folder).is_dir() and not is_kept(work, _CHARGE)


def kept_nonce(work: Work) -> str:
    """By what the ledger knows that this folder, and no copy made before, may draw the second noise.

    It is made once, and rests here before the ledger gets it: after a kill the same folder goes on.
    """
    file = work.folder / _NONCE
    if not file.is_file():
        write_whole_file(file, uuid.uuid4().hex, overwrite=False, mode=0o600)
    return file.read_text(encoding="utf-8")


def chosen_run(work: Work) -> str:
    """The run that the first noise was drawn for. Raises: InputError where tables have not been chosen."""
    charge = kept_charge(work)
    if charge is None or not is_kept(work, f"stat_levels-{charge['run']}"):
        fix = f"safetab-sql parts choose --work {work.folder}"
        raise InputError([Problem(str(work.folder), "no tables have been chosen", fix)])
    return str(charge["run"])


def kept_release(folder: Path) -> Path:
    """Where the complete release is kept before it becomes OUT: its noise is drawn once, however often it is copied."""
    return folder / "release"


def give_out(work: Work, contents: Collection[str]) -> None:
    """Copy the kept release to OUT, whole or not at all, unless it stands there.

    contents: of a release. Raises: InputError where something else stands at OUT, or another command makes it.
    """
    kept, out = kept_release(work.folder), Path(work.plan.out)
    with claimed_name(out) as problems:
        refuse(problems)
        manifest = (kept / _MANIFEST).read_bytes()
        if (out / _MANIFEST).is_file() and (out / _MANIFEST).read_bytes() == manifest:
            return
        day = date.fromisoformat(json.loads(manifest)["date"])
        with whole_folder(out, contents, overwrite=work.plan.overwrite, day=day) as folder:
            shutil.copytree(kept, folder, dirs_exist_ok=True)
            folder.chmod(0o700)  # not as the kept one: a folder that a kill leaves is known as stale by this mode


def discard_release(work: Work) -> None:
    """Remove the kept release, which the ledger refused. The name that it has meanwhile is removed after a kill."""
    kept, stale = kept_release(work.folder), work.folder / ".release.partial-refused"
    kept.chmod(0o700)
    kept.rename(stale)
    shutil.rmtree(stale)


def remove_work(work: Work) -> list[str]:
    """Remove the key and all that `parts` made in the folder, and the folder if nothing else is in it; what is left.

    Counts and charge go first, then the key and the plan, so that a call after a kill goes on.
    """
    folder = work.folder
    _remove(folder, _SEALED)
    if work.plan.key is not None:
        Path(work.plan.key).unlink(missing_ok=True)
    (folder / "plan.json").unlink()
    _remove(folder, (*(f"catalog/{name}.parquet" for name in work.plan.job.tables), *_OTHERS))
    for emptied in (folder / "parts", folder / "catalog", folder):
        with suppress(OSError):  # something else lies in it
            emptied.rmdir()
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if _is_last(path))


def _is_last(path: Path) -> bool:
    """Whether nothing lies in it: a file, a link or an empty folder."""
    return path.is_symlink() or not path.is_dir() or not any(path.iterdir())


def _remove(folder: Path, patterns: Collection[str]) -> None:
    """Remove files and folders of ours; one that cannot be removed is left."""
    for path in [path for pattern in patterns for path in folder.glob(pattern)]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _count(work: Work, number: int, what: str) -> str:
    return f"safetab-sql parts count {what} --work {work.folder} --part {number}"


def _file(work: Work, name: str) -> Path:
    return work.folder / "parts" / f"{name}.parquet"


def table_digests(job: Job) -> dict[str, str]:
    """SHA-256 of each public table of a job. Raises: InputError where one is not there."""
    return {name: _digest(job.catalog / f"{name}.parquet") for name in job.tables}


def _digest(file: Path) -> str:
    try:
        return sha256_of(file)
    except OSError as error:
        raise InputError([Problem(str(file), error.strerror or "cannot be read", _AGAIN)]) from error
