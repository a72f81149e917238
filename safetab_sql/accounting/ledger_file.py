"""The custodian's ledger: every run gets a line in it before it draws noise, and its limit may refuse a run.

Lines are only appended, under an exclusive lock, and flushed to the disk. Each line holds a digest of the line before
it, and all lines are checked under the lock whenever the file is read or written: ledger_lines.py says what the digests
can and cannot show. A run that ends between its two lines stays `reserved` and counts: its noise may have been seen.
"""

import fcntl
import hashlib
import json
import os
import stat
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from safetab_sql.accounting.charges import Charge, Spending, exact_text, spent
from safetab_sql.accounting.ledger_lines import FIRST_LINE, LedgerLines, ledger_line, ledger_lines
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import UNITS
from safetab_sql.public.levels import part_title


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The ledger that a run is entered in. limit: largest total of one person, in the run's rho or epsilon, or None."""

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
        return _new_file_problems(path)
    if not os.access(path, os.W_OK):
        return [Problem(str(path), "no permission to write", "name another ledger, or ask for access")]
    try:
        read_charges(path)
    except InputError as error:
        return list(error.problems)
    return []


def new_charge(out: Path, parameters: Mapping[str, object], spending: Spending) -> Charge:
    """The charge of a run that is about to start. parameters: as its manifest will hold them."""
    return Charge(
        run=uuid.uuid4().hex,
        state="reserved",
        when=_now(),
        out="".join(letter if letter.isprintable() else "?" for letter in out.absolute().name),
        parameters_sha256=_sha256(parameters),
        privacy_definition=spending.privacy_definition,
        parts=dict(spending.parts),
        caveat=spending.caveat,
        parts_sha256=_sha256(parameters["parts"]) if "parts" in parameters else "",
    )


def _sha256(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def check_limit(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Refuse early a run that exceeds the limit as the ledger stands now. Raises: InputError."""
    if ledger_file is not None and ledger_file.limit is not None:
        path = Path(ledger_file.path)
        earlier = read_charges(path) if os.path.lexists(path) else ()
        refuse(_limit_problems(ledger_file, ledger_file.limit, earlier, charge))


def reserve(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter a run; when this returns, its line is on the disk and it counts. Must be called before any noise is drawn.

    A run that is reserved is not entered again: its process ended before it kept any noise. If two runs enter at once,
    the second sees the line of the first. Raises: InputError if the total would exceed the limit, if the run was
    released or entered as something else, or if the file is no ledger; then the run is not entered.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    if not os.path.lexists(path):
        _make(path)
    with _locked(path, fcntl.LOCK_EX) as file:
        found = ledger_lines(str(path), file)
        if any(each.run == charge.run for each in found.charges):
            refuse(_charge_problems(path, found.charges, charge))
            return
        if ledger_file.limit is not None:
            refuse(_limit_problems(ledger_file, ledger_file.limit, found.charges, charge))
        _flush_name(path)
        _append(path, file, ledger_line(replace(charge, when=_now()), found.last_sha256))


def open_charge_problems(ledger_file: LedgerFile | None, charge: Charge) -> list[Problem]:
    """A problem unless the ledger holds the charge as it is, and its run as not released; none if there is no ledger.

    Raises: InputError with every line that cannot be read.
    """
    return [] if ledger_file is None else _charge_problems(ledger_file.path, read_charges(ledger_file.path), charge)


def _charge_problems(path: str | Path, charges: Sequence[Charge], charge: Charge) -> list[Problem]:
    entered = [each for each in charges if each.run == charge.run]
    if not entered:
        what, fix = f"has no line of run {charge.run}", "name the ledger that the run was entered in"
    elif entered[0].state == "released":
        what, fix = f"says that run {charge.run} was released", "publish nothing: count and choose anew"
    elif replace(entered[0], when=charge.when) != charge:
        what, fix = (
            f"says that run {charge.run} spends something else, or makes another folder",
            "count and choose anew",
        )
    else:
        return []
    return [Problem(str(path), what, fix)]


def mark_released(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Enter, once, that the run's folder is complete. If that fails, the run stays reserved, with a warning.

    A reserved run counts the same, and the folder is complete, so no failure here is reported as a failed run.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    try:
        with _locked(path, fcntl.LOCK_EX) as file:
            found = ledger_lines(str(path), file)
            if any((each.run, each.state) == (charge.run, "released") for each in found.charges):
                return
            line = ledger_line(replace(charge, state="released", when=_now()), found.last_sha256)
            _append(path, file, line)
    except (InputError, OSError, KeyboardInterrupt) as error:
        problems = error.problems if isinstance(error, InputError) else (str(error) or "interrupted",)
        reason = "; ".join(map(str, problems))
        what = f"{charge.out} is complete, but its run {charge.run} could not be marked as released in {path}"
        warnings.warn(f"{what}; check that its line is there, for it counts: {reason}", RuntimeWarning, stacklevel=2)


def read_charges(path: str | Path) -> tuple[Charge, ...]:
    """The runs of a ledger, each in its latest state, in the order in which they were reserved.

    Raises: InputError with every line that cannot be read.
    """
    return read_ledger(path).charges


def read_ledger(path: str | Path) -> LedgerLines:
    """All lines of a ledger, with their chain checked. Raises: InputError with every malformed or misplaced line."""
    with _locked(Path(path), fcntl.LOCK_SH) as file:
        return ledger_lines(str(path), file)


def _new_file_problems(path: Path) -> list[Problem]:
    parent = path.absolute().parent
    if not parent.is_dir():
        return [Problem(str(path), f"its folder {parent} does not exist", "make that folder first")]
    if not os.access(parent, os.W_OK):
        return [Problem(str(path), f"no permission to write in {parent}", "name another ledger, or ask for access")]
    return []


def _limit_problems(
    ledger_file: LedgerFile, limit: Fraction, earlier: Sequence[Charge], charge: Charge
) -> list[Problem]:
    """Why the run may not be entered after the `earlier` charges. A total equal to the limit is allowed."""
    earlier = [each for each in earlier if each.run != charge.run]
    definition = charge.privacy_definition
    unit, where = UNITS[definition], f"{ledger_file.path}, --ledger-limit {exact_text(limit)}"
    before, after = spent(earlier, definition), spent([*earlier, charge], definition)
    if before is None or after is None:
        what = (
            "this run and its limit are in epsilon (pure DP), but the ledger holds zCDP runs, which no epsilon bounds"
        )
        return [Problem(where, what, "run under zcdp with a limit in rho: pure DP runs convert to rho, not back")]
    if after.one_person <= limit:
        return []
    parts = ", ".join(f"{part_title(name)} {exact_text(loss)}" for name, loss in after.parts.items())
    what = f"this run would bring the total of one person to {unit} {exact_text(after.one_person)} ({parts})"
    if len(charge.parts) == 1:
        left = exact_text(max(limit - before.one_person, Fraction(0)))
        return [Problem(where, what, f"spend less: at most {unit} {left} is left")]
    lefts = [
        f"{exact_text(max(limit - before.parts.get(name, before.one_person), Fraction(0)))} for {part_title(name)}"
        for name in charge.parts
    ]
    return [Problem(where, what, f"spend less: at most {unit} {' and '.join(lefts)} is left")]


def _make(path: Path) -> None:
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
    while True:
        with _opened(path, os.O_RDONLY if lock == fcntl.LOCK_SH else os.O_RDWR | os.O_APPEND) as file:
            fcntl.flock(file, lock)
            if _is_at(path, file):  # if not, an editor replaced the ledger while we waited for the lock
                yield file
                return


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _opened(path: Path, flags: int) -> BinaryIO:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            kind = "a symbolic link" if path.is_symlink() else "not a plain file"
            raise InputError([Problem(str(path), f"is {kind}", "name the ledger itself")])
        descriptor = os.open(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        fix = "name a ledger that a run has made, or ask for access"
        raise InputError([Problem(str(path), error.strerror or "cannot be read", fix)]) from error
    return os.fdopen(descriptor, "rb" if flags == os.O_RDONLY else "r+b")


def _append(path: Path, file: BinaryIO, line: bytes) -> None:
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


def _flush_name(path: Path) -> None:
    """Flush the folder's entry for `path`: the run that made the file may have been stopped before it did so."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
