"""The custodian's ledger: every run gets a line in it before it draws noise, and its limit may refuse a run.

Lines are only appended, under an exclusive lock, and flushed to the disk. Each line holds a digest of the line before
it, and all lines are checked under the lock whenever the file is read or written: ledger_lines.py says what the digests
can and cannot show. A run that ends before its last line counts: its noise may have been seen.

A run takes each of its steps by comparing what the ledger says with what it knows, and appending a line, under one
lock. So of two processes, or of two copies of a private folder, one takes a step, and the other is refused.
"""

import fcntl
import hashlib
import json
import os
import stat
import tempfile
import uuid
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from safetab_sql.accounting.charges import (
    Charge,
    Limit,
    Spending,
    identity,
    part_losses,
    spent_of,
    with_bounds,
)
from safetab_sql.accounting.ledger_lines import FIRST_LINE, STATES, STEPS, LedgerLines, ledger_line, ledger_lines
from safetab_sql.accounting.loss import bounded_records
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import exact_text
from safetab_sql.kit.whole_folders import flush, given_away, locked_descriptor
from safetab_sql.settings.budgets import UNITS

_ANEW = "count and choose anew"
_COPY = "publish nothing from this copy"


class RefusedReleaseError(InputError):
    """The ledger holds another release of the run, or gave the right to draw to another copy of the private folder."""


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The ledger that a run is entered in.

    limit: in the run's rho or epsilon; a ledger without one gets it. None: the limit is what the ledger says.
    """

    path: str | Path
    limit: Fraction | None = None


def ledger_file_problems(ledger_file: LedgerFile | None, out: Path) -> list[Problem]:
    """The problems that prevent entering a run that makes folder `out`; none if there is no ledger."""
    if ledger_file is None:
        return []
    path = Path(ledger_file.path)
    if out.resolve() in (path.resolve(), *path.resolve().parents):
        fix = "keep it elsewhere: a release is given away, the ledger stays with the custodian"
        return [Problem(f"--ledger {path}", f"lies in --out {out}", fix)]
    if not os.path.lexists(path):
        return given_away(path, "--ledger") or _new_file_problems(path)
    if not os.access(path, os.W_OK):
        return [Problem(str(path), "no permission to write", "name another ledger, or ask for access")]
    try:
        refuse(given_away(path, "--ledger"))
        read_charges(path)
    except InputError as error:
        return list(error.problems)
    return []


def new_charge(out: Path, parameters: Mapping[str, object], spending: Spending, records_sha256: str = "") -> Charge:
    """The charge of a run that is about to start. parameters: as its manifest will hold them.

    records_sha256: of everything that says which records are in which part; empty if that was not taken. A run that
    keeps so many records of a person is entered without it: runs of two parts may each keep as many of one person, so
    that this person loses both budgets. Source: accounting.md section 8.4.
    """
    first = next(iter(spending.parts.values()))
    return Charge(
        run=new_name(),
        state="reserved",
        when=_now(),
        out="".join(letter if letter.isprintable() else "?" for letter in out.absolute().name),
        parameters_sha256=_sha256(parameters),
        privacy_definition=first.definition,
        record=first.record,
        parts=part_losses(spending.parts),
        most=bounded_records(spending.unit),
        caveat=spending.caveat,
        records_sha256=records_sha256 if spending.unit.person is None else "",
    )


def new_name() -> str:
    """A name that nothing else has: of a run, or the nonce by which a run is known to go on."""
    return uuid.uuid4().hex


def _sha256(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def check_limit(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Refuse early a run that exceeds the limit as the ledger stands now. Raises: InputError."""
    if ledger_file is not None:
        path = Path(ledger_file.path)
        found = read_ledger(path) if os.path.lexists(path) else LedgerLines((), None, 0, "")
        _limit_for(path, ledger_file.limit, found, charge)


def reserve(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter a run; when this returns, its line is on the disk and it counts. Must be called before any noise is drawn.

    A ledger without a limit gets `ledger_file`'s limit. A run that is reserved is not entered again: its process ended
    before it kept any noise. If two runs enter at once, the second sees the line of the first. Raises: InputError if
    the total would exceed the limit, if the run's noise was kept or the run was entered as something else, or if the
    file is no ledger; then the run is not entered.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    if not os.path.lexists(path):
        _limit_for(path, ledger_file.limit, LedgerLines((), None, 0, ""), charge)  # refused before a file is made
        _make_ledger(path)
    with _locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        if any(each.run == charge.run for each in found.charges):
            fix = "use the private folder in which it was drawn; this one is a copy"
            refuse(_problems(path, found.charges, charge, _first_refused, fix))
            return
        limit = _limit_for(path, ledger_file.limit, found, charge)
        flush(path.absolute().parent)  # the run that made the file may have been stopped before it did so
        if limit is not None and limit != found.limit:
            found = _append_limit(path, file, found, limit)
        _append_line(path, file, ledger_line(replace(charge, when=_now()), found.last_sha256))


def keep_choice(ledger_file: LedgerFile | None, charge: Charge, noise_sha256: str) -> None:
    """Enter the digest of a run's first noise, which has been kept: from here on no other first noise serves this run.

    Raises: InputError if another process, with a copy of the private folder, has entered other noise.
    """
    _take_step(ledger_file, replace(charge, state="chosen", noise_sha256=noise_sha256), _choice_refused)


def second_problems(ledger_file: LedgerFile | None, charge: Charge) -> list[Problem]:
    """Why the run's second noise may not be drawn by whoever holds the charge, with its nonce; none without a ledger.

    Raises: InputError with every line that cannot be read.
    """
    if ledger_file is None:
        return []
    return _problems(ledger_file.path, read_charges(ledger_file.path), charge, _second_refused, _COPY)


def take_second(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter that the run's second noise is drawn by the holder of the charge's nonce; nobody else may from here on.

    The same holder may take it again: its process ended before it kept any of this noise. Raises: InputError if the
    run has drawn this noise elsewhere, or was released, if its first noise is another one, or if it is not charged.
    """
    _take_step(ledger_file, replace(charge, state="drawing"), _second_refused)


def enter_release(ledger_file: LedgerFile | None, charge: Charge, manifest_sha256: str) -> None:
    """Enter, once, the digest of the manifest of the run's complete release: the run has no other release.

    Raises: RefusedReleaseError if the ledger holds another one, or another holder of the right to draw.
    """
    _take_step(ledger_file, replace(charge, state="released", manifest_sha256=manifest_sha256), _release_refused)


def _take_step(ledger_file: LedgerFile | None, step: Charge, refused: Callable[[Charge, Charge], str]) -> None:
    """Enter the next state of a run, unless it has it or a later one. Raises: InputError with what `refused` says.

    A run whose line was removed is entered again when it is released: it counts in any case.
    """
    if ledger_file is None:
        return
    path, is_release = Path(ledger_file.path), step.state == "released"
    with _locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        begun = replace(step, state="reserved", manifest_sha256="")
        charges = (*found.charges, begun) if is_release else found.charges
        if problems := _problems(path, charges, step, refused, _COPY):
            raise RefusedReleaseError(problems) if is_release else InputError(problems)
        entered = next(each for each in charges if each.run == step.run)
        if STATES.index(entered.state) < STATES.index(step.state):
            known = {name: getattr(step, name) or getattr(entered, name) for name in STEPS}
            _append_line(path, file, ledger_line(replace(step, when=_now(), **known), found.last_sha256))


def mark_released(ledger_file: LedgerFile | None, charge: Charge, manifest_sha256: str) -> None:
    """As `enter_release`, for a folder that stands already: a failure is a warning, and the run counts the same."""
    try:
        enter_release(ledger_file, charge, manifest_sha256)
    except (InputError, OSError, KeyboardInterrupt) as error:
        problems = error.problems if isinstance(error, InputError) else (str(error) or "interrupted",)
        reason = "; ".join(map(str, problems))
        path = "" if ledger_file is None else ledger_file.path
        what = f"{charge.out} is complete, but its run {charge.run} could not be marked as released in {path}"
        warnings.warn(f"{what}; check that its line is there, for it counts: {reason}", RuntimeWarning, stacklevel=2)


def set_limit(path: str | Path, limit: Limit) -> Fraction:
    """Enter another limit, whatever the ledger has spent: no run that exceeds it is entered from here on.

    What the ledger has spent of it. Raises: InputError if it bounds the loss of a record that no run of the ledger has,
    or if a run of the ledger is of a kind that it cannot bound: then every later run would be refused.
    """
    with _locked(Path(path), fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        records = dict.fromkeys(each.record for each in found.charges)
        if limit.record not in (None, *records):
            what = f"no run of {path} protects one {limit.record}"
            raise InputError([Problem("--limit-of", what, f"name one of {', '.join(['person', *records])}")])
        refuse(bound_problems(path, limit.most, found.charges))
        charges = with_bounds(found.charges, limit.most)
        if unbounded := _unbounded(limit, charges):
            what = f"{limit.text} cannot bound the runs: {_called(unbounded.run)} {unbounded.what}"
            raise InputError([Problem("--set-limit", what, unbounded.fix_of_limit)])
        _append_limit(Path(path), file, found, limit)
        return _bounded_total(limit, charges)


def bound_problems(path: str | Path, most: Collection[str], charges: Sequence[Charge]) -> list[Problem]:
    """A problem for each kind of record of which the custodian states a bound, and the ledger at `path` has no run."""
    records = list(dict.fromkeys(each.record for each in charges))
    return [
        Problem("--records-of-a-person", f"no run of {path} protects one {name}", f"name one of {', '.join(records)}")
        for name in most
        if name not in records
    ]


def read_charges(path: str | Path) -> tuple[Charge, ...]:
    """The runs of a ledger, each in its latest state, in the order in which they were reserved.

    Raises: InputError with every line that cannot be read.
    """
    return read_ledger(path).charges


def read_ledger(path: str | Path) -> LedgerLines:
    """All lines of a ledger, with their chain checked. Raises: InputError with every malformed or misplaced line."""
    with _locked(Path(path), fcntl.LOCK_SH) as file:
        return ledger_lines(str(path), file)


def _problems(
    path: str | Path, charges: Sequence[Charge], step: Charge, refused: Callable[[Charge, Charge], str], fix: str
) -> list[Problem]:
    """Why a run may not take a step: the ledger does not hold the charge as it is, or `refused` says something."""
    entered = next((each for each in charges if each.run == step.run), None)
    if entered is None:
        return [Problem(str(path), f"has no line of run {step.run}", "name the ledger that the run was entered in")]
    if identity(entered) != identity(step):
        return [Problem(str(path), f"says that run {step.run} spends something else, or makes another folder", _ANEW)]
    what = refused(entered, step)
    return [Problem(str(path), what, fix)] if what else []


def _first_refused(entered: Charge, _: Charge) -> str:
    """The first noise of a run that is entered has been kept, or the run has one noise and is released."""
    if entered.state == "reserved":
        return ""
    return f"says that the first noise of run {entered.run} was drawn before, and it is not here"


def _choice_refused(entered: Charge, step: Charge) -> str:
    return "" if entered.state == "reserved" else _other_noise(entered, step)


def _other_noise(entered: Charge, step: Charge) -> str:
    if entered.noise_sha256 == step.noise_sha256:
        return ""
    return (
        f"holds the digest of another first noise of run {entered.run}: it was drawn in a copy of this private folder"
    )


def _second_refused(entered: Charge, step: Charge) -> str:
    if entered.state == "released":
        return f"says that run {step.run} was released"
    if entered.state == "drawing" and entered.nonce != step.nonce:
        return f"says that the second noise of run {step.run} is drawn elsewhere: in a copy of this private folder"
    return _other_noise(entered, step)


def _release_refused(entered: Charge, step: Charge) -> str:
    """The release of this manifest is not the run's."""
    name = "manifest_sha256" if entered.state == "released" else "nonce"
    is_other = getattr(entered, name) != getattr(step, name)
    return f"says that run {step.run} has another release than this one" if is_other else ""


def _append_limit(path: Path, file: BinaryIO, found: LedgerLines, limit: Limit) -> LedgerLines:
    """What the ledger holds once it has the limit, too."""
    line = ledger_line(replace(limit, when=_now()), found.last_sha256)
    _append_line(path, file, line)
    return replace(found, limit=limit, lines=found.lines + 1, last_sha256=hashlib.sha256(line).hexdigest())


def _new_file_problems(path: Path) -> list[Problem]:
    parent = path.absolute().parent
    if not parent.is_dir():
        return [Problem(str(path), f"its folder {parent} does not exist", "make that folder first")]
    if not os.access(parent, os.W_OK):
        return [Problem(str(path), f"no permission to write in {parent}", "name another ledger, or ask for access")]
    return []


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _limit_for(path: str | Path, asked: Fraction | None, found: LedgerLines, charge: Charge) -> Limit | None:
    """The limit of the ledger at `path`, or the one that it will get, asked for in the run's rho or epsilon.

    Raises: InputError if the charge does not fit below it, or if it is not the one that was asked for.
    """
    limit = found.limit
    if limit is None and asked is not None:
        limit = Limit(asked, charge.privacy_definition, None if charge.is_of_persons else charge.record)
    if limit is None:
        return None
    where = f"{path}, limit {limit.text}"
    if asked is not None and (asked, charge.privacy_definition) != (limit.amount, limit.definition):
        unit = UNITS[charge.privacy_definition]
        what = f"--ledger-limit {exact_text(asked)} says another limit, {unit} {exact_text(asked)}"
        raise InputError([Problem(where, what, f"leave it out, or {_change(path, limit)}")])
    earlier = [each for each in found.charges if each.run != charge.run]
    this, *others = with_bounds([charge, *earlier], limit.most)
    if unbounded := _unbounded(limit, [this, *others]):
        called = "this run" if unbounded.run is this else _called(unbounded.run)
        raise InputError([Problem(where, f"{called} {unbounded.what}", unbounded.fix_of_run)])
    refuse(_amount_problems(where, path, limit, others, this))
    return limit


@dataclass(frozen=True, slots=True)
class _Unbounded:
    """A run that a limit of some kind cannot bound, why, and what to do about the run or about the limit.

    Never another ledger: the people of both would lose more than either limit.
    """

    run: Charge
    what: str
    fix_of_run: str
    fix_of_limit: str


def _unbounded(limit: Limit, runs: Sequence[Charge]) -> _Unbounded | None:
    """The first of the runs that a limit of this kind cannot bound."""
    if limit.definition == "puredp" and (zcdp := _first(runs, lambda each: each.privacy_definition == "zcdp")):
        what = "is zCDP, and no rho implies an epsilon of pure DP"
        fix = "run under zcdp with a limit in rho: pure DP runs convert to rho, not back"
        return _Unbounded(zcdp, what, fix, "say a limit in rho, such as 'rho 10': pure DP runs convert to rho")
    if limit.record is None:
        unknown = _first(runs, lambda each: not each.is_of_persons)
        if unknown is None:
            return None
        what = f"protects one {unknown.record}, of which a person can have any number"
        stated = f"--records-of-a-person '{unknown.record}=5'"
        fix = f"say how many a person has: [unit] records_of_a_person, or account --set-limit with {stated}"
        of = (
            f"say how many a person has, such as {stated}; or bound the loss of one {unknown.record}, --limit-of "
            f"'{unknown.record}', if all runs are of such records"
        )
        return _Unbounded(unknown, what, fix, of)
    other = _first(runs, lambda each: each.record != limit.record)
    if other is None:
        return None
    what = f"protects one {other.record}, not one {limit.record}"
    of = "bound the loss of one person, if it is known for all runs: account --set-limit, without --limit-of"
    return _Unbounded(other, what, of, of)


def _amount_problems(
    where: str, path: str | Path, limit: Limit, earlier: Sequence[Charge], charge: Charge
) -> list[Problem]:
    """A problem if the total exceeds the limit. A total equal to the limit is allowed."""
    before, after = (_bounded_total(limit, charges) for charges in (earlier, [*earlier, charge]))
    if after <= limit.amount:
        return []
    unit = UNITS[limit.definition]
    what = (
        f"this run would bring the total of one {limit.record or 'person'} from {unit} {exact_text(before)} to "
        f"{unit} {exact_text(after)}"
    )
    return [Problem(where, what, f"spend less, or {_change(path, limit)}")]


def _bounded_total(limit: Limit, charges: Sequence[Charge]) -> Fraction:
    """The total that a limit bounds. The runs must be of its kind."""
    total = spent_of(limit, charges)
    if total is None:
        raise ValueError("a limit is compared with a total that does not exist")
    return total


def _first(runs: Sequence[Charge], is_so: Callable[[Charge], bool]) -> Charge | None:
    """The first run of which something is so."""
    return next((each for each in runs if is_so(each)), None)


def _called(run: Charge) -> str:
    return f"run {run.run}, which made {run.out},"


def _change(path: str | Path, limit: Limit) -> str:
    """How the custodian enters another amount."""
    of = "" if limit.record is None else f" --limit-of '{limit.record}'"
    of += "".join(f" --records-of-a-person '{record}={most}'" for record, most in limit.most.items())
    return f"change the limit: safetab-sql account --ledger {path} --set-limit '{UNITS[limit.definition]} X'{of}"


def _make_ledger(path: Path) -> None:
    """Make an empty ledger of mode 0600, whole or not at all, unless another run has made it meanwhile."""
    descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=path.absolute().parent)
    try:
        _write(path, descriptor, FIRST_LINE)
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        os.close(descriptor)
        Path(partial).unlink()


@contextmanager
def _locked(path: Path, lock: int) -> Iterator[BinaryIO]:
    """The ledger, locked until the block ends. Raises: InputError if it is not a plain file or cannot be opened."""
    flags = os.O_RDONLY if lock == fcntl.LOCK_SH else os.O_RDWR | os.O_APPEND
    descriptor = locked_descriptor(path, lambda: _opened(path, flags), lock)
    with os.fdopen(descriptor, "rb" if flags == os.O_RDONLY else "r+b") as file:
        yield file


def _opened(path: Path, flags: int) -> int:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            kind = "a symbolic link" if path.is_symlink() else "not a plain file"
            raise InputError([Problem(str(path), f"is {kind}", "name the ledger itself")])
        return os.open(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        fix = "name a ledger that a run has made, or ask for access"
        raise InputError([Problem(str(path), error.strerror or "cannot be read", fix)]) from error


def _append_line(path: Path, file: BinaryIO, line: bytes) -> None:
    """Add the line and flush it to the disk, or leave the file as it was."""
    size = os.fstat(file.fileno()).st_size
    try:
        _write(path, file.fileno(), line)
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise


def _write(path: Path, descriptor: int, line: bytes) -> None:
    """Write without a buffer and flush to the disk. Raises: OSError that names the ledger."""
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
