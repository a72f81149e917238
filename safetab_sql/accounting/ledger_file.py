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
import uuid
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from safetab_sql.accounting.charges import Charge, Limit, Spending, identity
from safetab_sql.accounting.ledger_disk import append_line, flush_name, locked, make_ledger
from safetab_sql.accounting.ledger_limit import bounded_total, limit_for, new_limit_problems
from safetab_sql.accounting.ledger_lines import LedgerLines, ledger_line, ledger_lines
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import given_away

_ANEW = "count and choose anew"
_COPY = "publish nothing from this copy"


class RefusedReleaseError(InputError):
    """The ledger holds another release of the run, or gave the right to draw to another copy of the private folder."""


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The ledger that a run is entered in.

    limit: what the ledger's limit is, in the run's rho or epsilon; a ledger without a limit gets this one. None: the
    limit is what the ledger says.
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

    records_sha256: of everything that says which records are in which part; empty if that was not taken.
    """
    return Charge(
        run=new_name(),
        state="reserved",
        when=_now(),
        out="".join(letter if letter.isprintable() else "?" for letter in out.absolute().name),
        parameters_sha256=_sha256(parameters),
        parts=dict(spending.parts),
        caveat=spending.caveat,
        records_sha256=records_sha256,
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
        limit_for(path, ledger_file.limit, found, charge)


def reserve(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter a run; when this returns, its line is on the disk and it counts. Must be called before any noise is drawn.

    A ledger without a limit gets that of `ledger_file`. A run that is reserved is not entered again: its process ended
    before it kept any noise. If two runs enter at once, the second sees the line of the first. Raises: InputError if
    the total would exceed the limit, if the run's noise was kept or the run was entered as something else, or if the
    file is no ledger; then the run is not entered.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    if not os.path.lexists(path):
        limit_for(path, ledger_file.limit, LedgerLines((), None, 0, ""), charge)  # refused before a file is made
        make_ledger(path)
    with locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        if any(each.run == charge.run for each in found.charges):
            refuse(_entered_problems(path, found.charges, charge) or _drawn_problems(path, found.charges, charge))
            return
        limit = limit_for(path, ledger_file.limit, found, charge)
        flush_name(path)
        if limit is not None and limit != found.limit:
            found = _append_limit(path, file, found, limit)
        append_line(path, file, ledger_line(replace(charge, when=_now()), found.last_sha256))


def keep_choice(ledger_file: LedgerFile | None, charge: Charge, noise_sha256: str) -> None:
    """Enter the digest of a run's first noise, which has been kept: from here on no other first noise serves this run.

    Raises: InputError if another process, with a copy of the private folder, has entered other noise.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    with locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        refuse(_entered_problems(path, found.charges, charge))
        (entered,) = (each for each in found.charges if each.run == charge.run)
        if entered.state != "reserved":
            refuse(_noise_problems(path, entered, noise_sha256))
            return
        chosen = replace(entered, state="chosen", noise_sha256=noise_sha256, when=_now())
        append_line(path, file, ledger_line(chosen, found.last_sha256))


def second_problems(ledger_file: LedgerFile | None, charge: Charge) -> list[Problem]:
    """Why the run's second noise may not be drawn by whoever holds the charge, with its nonce; none without a ledger.

    Raises: InputError with every line that cannot be read.
    """
    if ledger_file is None:
        return []
    return _second_problems(ledger_file.path, read_charges(ledger_file.path), charge)


def take_second(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter that the run's second noise is drawn by the holder of the charge's nonce; nobody else may from here on.

    The same holder may take it again: its process ended before it kept any of this noise. Raises: InputError if the
    run has drawn this noise elsewhere, or was released, if its first noise is another one, or if the ledger does not
    hold the charge.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    with locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        refuse(_second_problems(path, found.charges, charge))
        (entered,) = (each for each in found.charges if each.run == charge.run)
        if entered.state != "drawing":
            drawing = replace(entered, state="drawing", nonce=charge.nonce, when=_now())
            append_line(path, file, ledger_line(drawing, found.last_sha256))


def enter_release(ledger_file: LedgerFile | None, charge: Charge, manifest_sha256: str) -> None:
    """Enter, once, the digest of the manifest of the run's complete release: the run has no other release.

    Raises: RefusedReleaseError if the ledger holds another one, or another holder of the right to draw.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    with locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        entered = next((each for each in found.charges if each.run == charge.run), charge)  # it counts in any case
        if problems := _release_problems(path, entered, charge, manifest_sha256):
            raise RefusedReleaseError(problems)
        if entered.state != "released":
            released = replace(entered, state="released", manifest_sha256=manifest_sha256, when=_now())
            append_line(path, file, ledger_line(released, found.last_sha256))


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
    with locked(Path(path), fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        records = dict.fromkeys(each.record for each in found.charges)
        if limit.record not in (None, *records):
            what = f"no run of {path} protects one {limit.record}"
            raise InputError([Problem("--limit-of", what, f"name one of {', '.join(['person', *records])}")])
        refuse(new_limit_problems(limit, found.charges))
        _append_limit(Path(path), file, found, limit)
        return bounded_total(limit, found.charges)


def read_charges(path: str | Path) -> tuple[Charge, ...]:
    """The runs of a ledger, each in its latest state, in the order in which they were reserved.

    Raises: InputError with every line that cannot be read.
    """
    return read_ledger(path).charges


def read_ledger(path: str | Path) -> LedgerLines:
    """All lines of a ledger, with their chain checked. Raises: InputError with every malformed or misplaced line."""
    with locked(Path(path), fcntl.LOCK_SH) as file:
        return ledger_lines(str(path), file)


def _entered_problems(path: str | Path, charges: Sequence[Charge], charge: Charge) -> list[Problem]:
    """A problem unless the ledger holds the charge as it is."""
    entered = next((each for each in charges if each.run == charge.run), None)
    if entered is None:
        return [Problem(str(path), f"has no line of run {charge.run}", "name the ledger that the run was entered in")]
    if identity(entered) != identity(charge):
        return [Problem(str(path), f"says that run {charge.run} spends something else, or makes another folder", _ANEW)]
    return []


def _drawn_problems(path: str | Path, charges: Sequence[Charge], charge: Charge) -> list[Problem]:
    """A problem if the first noise of a run that is entered has been kept, or the run has one noise and is released."""
    states = {each.run: each.state for each in charges}
    if states[charge.run] == "reserved":
        return []
    what = f"says that the first noise of run {charge.run} was drawn before, and it is not here"
    return [Problem(str(path), what, "use the private folder in which it was drawn; this one is a copy")]


def _noise_problems(path: str | Path, entered: Charge, noise_sha256: str) -> list[Problem]:
    if entered.noise_sha256 == noise_sha256:
        return []
    what = (
        f"holds the digest of another first noise of run {entered.run}: it was drawn in a copy of this private folder"
    )
    return [Problem(str(path), what, _COPY)]


def _second_problems(path: str | Path, charges: Sequence[Charge], charge: Charge) -> list[Problem]:
    if problems := _entered_problems(path, charges, charge):
        return problems
    (entered,) = (each for each in charges if each.run == charge.run)
    if entered.state == "released":
        return [Problem(str(path), f"says that run {charge.run} was released", _COPY)]
    if entered.state == "drawing" and entered.nonce != charge.nonce:
        what = f"says that the second noise of run {charge.run} is drawn elsewhere: in a copy of this private folder"
        return [Problem(str(path), what, _COPY)]
    return _noise_problems(path, entered, charge.noise_sha256)


def _release_problems(path: str | Path, entered: Charge, charge: Charge, manifest_sha256: str) -> list[Problem]:
    """Why the release of this manifest is not the run's."""
    if identity(entered) != identity(charge):
        return _entered_problems(path, [entered], charge)
    is_other = entered.state == "released" and entered.manifest_sha256 != manifest_sha256
    if is_other or (entered.state != "released" and entered.nonce != charge.nonce):
        what = f"says that run {charge.run} has another release than this one"
        return [Problem(str(path), what, _COPY)]
    return []


def _append_limit(path: Path, file: BinaryIO, found: LedgerLines, limit: Limit) -> LedgerLines:
    """What the ledger holds once it has the limit, too."""
    line = ledger_line((limit, _now()), found.last_sha256)
    append_line(path, file, line)
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
