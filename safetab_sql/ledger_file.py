"""The custodian's ledger: a file that every run enters before it draws noise, and that may refuse it.

JSON lines. The first says what the file is; each other is the state of one run, complete in itself, and a later line of
the same run replaces an earlier one. Lines are only ever appended, under an exclusive lock and flushed to the disk. A
run that ends between its two lines stays `reserved` and counts: its noise may have been seen. The custodian may remove
the line of such a run by hand if its folder does not stand and nobody saw any of it.
"""

import fcntl
import hashlib
import json
import os
import re
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
from typing import BinaryIO, get_args

from safetab_sql.accounting.histogram_ledger import HistogramLedger
from safetab_sql.accounting.ledger import Ledger
from safetab_sql.accounting.releases import UNITS, Release, State, exact_text, spent
from safetab_sql.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import PrivacyDefinition

# Byte for byte: other words are another version.
_FIRST_LINE = b'{"file": "safetab-sql ledger", "version": 1, "parts": "us and pr hold different people in every run"}\n'
_FORMS = {
    "run": r"[0-9a-f]{32}",
    "state": "|".join(get_args(State)),
    "when": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "out": r"[^\n]+",
    "parameters_sha256": r"[0-9a-f]{64}",
    "privacy_definition": "|".join(get_args(PrivacyDefinition)),
    "us": r"\d{1,300}(\.\d{1,300}|/[1-9]\d{0,299})?",
    "pr": r"\d{1,300}(\.\d{1,300}|/[1-9]\d{0,299})?",
}
_OTHER_FILE = "name a ledger that a run has made; if this was one, restore it from a copy"
_RESTORE = "correct it, or restore the file from a copy"


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """Where runs are entered. limit: the most for one person, in the run's own rho or epsilon; None for no limit."""

    path: Path
    limit: Fraction | None = None


def ledger_file_problems(ledger_file: LedgerFile | None, out: Path) -> list[Problem]:
    """What stands in the way of entering a run that makes folder `out`; nothing where no ledger is kept."""
    if ledger_file is None:
        return []
    path = ledger_file.path
    if out.resolve() in (path.resolve(), *path.resolve().parents):
        fix = "keep it elsewhere: a release is given away, the ledger stays with the custodian"
        return [Problem(f"--ledger {path}", f"lies in --out {out}", fix)]
    if not os.path.lexists(path):
        return _new_file_problems(path)
    if not os.access(path, os.W_OK):
        return [Problem(str(path), "no permission to write", "name another ledger, or ask for access")]
    try:
        read_releases(path)
    except InputError as error:
        return list(error.problems)
    return []


def new_release(out: Path, parameters: Mapping[str, object], entries: Ledger | HistogramLedger) -> Release:
    """The entry of a run about to be made. parameters: as its manifest will hold them."""
    text = json.dumps(parameters, sort_keys=True, separators=(",", ":"))
    return Release(
        run=uuid.uuid4().hex,
        state="reserved",
        when=_now(),
        out="".join(letter if letter.isprintable() else "?" for letter in out.absolute().name),
        parameters_sha256=hashlib.sha256(text.encode()).hexdigest(),
        privacy_definition=entries.privacy_definition,
        us=entries.us,
        pr=entries.pr,
    )


def check_limit(ledger_file: LedgerFile | None, release: Release) -> None:
    """Refuse a run that does not fit now, long before it would be entered. Raises: InputError."""
    if ledger_file is not None and ledger_file.limit is not None:
        path = ledger_file.path
        earlier = read_releases(path) if os.path.lexists(path) else ()
        refuse(_limit_problems(ledger_file, ledger_file.limit, earlier, release))


def reserve(ledger_file: LedgerFile | None, release: Release) -> None:
    """Enter a run, on the disk when this returns; from then on it counts. To be called before any noise is drawn.

    Of two runs at once the later sees the earlier. Raises: InputError where the total would exceed the limit, or the
    file is no ledger; the run is not entered then.
    """
    if ledger_file is None:
        return
    if not os.path.lexists(ledger_file.path):
        _make(ledger_file.path)
    with _locked(ledger_file.path, fcntl.LOCK_EX) as file:
        earlier = _releases(ledger_file.path, file)
        if ledger_file.limit is not None:
            refuse(_limit_problems(ledger_file, ledger_file.limit, earlier, release))
        _flush_name(ledger_file.path)
        _append(ledger_file.path, file, replace(release, when=_now()))


def mark_released(ledger_file: LedgerFile | None, release: Release) -> None:
    """Say that the run's folder stands. Where that fails, or is interrupted, the run stays reserved: a warning.

    It counts the same then, and the folder stands: nothing that could go wrong here is a reason to say otherwise.
    """
    if ledger_file is None:
        return
    try:
        with _locked(ledger_file.path, fcntl.LOCK_EX) as file:
            _releases(ledger_file.path, file)
            _append(ledger_file.path, file, replace(release, state="released", when=_now()))
    except (InputError, OSError, KeyboardInterrupt) as error:
        problems = error.problems if isinstance(error, InputError) else (str(error) or "interrupted",)
        reason = "; ".join(map(str, problems))
        what = f"{release.out} stands, but its run {release.run} could not be marked as released in {ledger_file.path}"
        warnings.warn(f"{what}; see that its line stands there, for it counts: {reason}", RuntimeWarning, stacklevel=2)


def read_releases(path: Path) -> tuple[Release, ...]:
    """The runs of a ledger, each in its latest state, in the order of their first lines.

    Raises: InputError with every line that cannot be read.
    """
    with _locked(path, fcntl.LOCK_SH) as file:
        return _releases(path, file)


def _new_file_problems(path: Path) -> list[Problem]:
    parent = path.absolute().parent
    if not parent.is_dir():
        return [Problem(str(path), f"its folder {parent} does not exist", "make that folder first")]
    if not os.access(parent, os.W_OK):
        return [Problem(str(path), f"no permission to write in {parent}", "name another ledger, or ask for access")]
    return []


def _limit_problems(
    ledger_file: LedgerFile, limit: Fraction, earlier: Sequence[Release], release: Release
) -> list[Problem]:
    """Why the run may not be entered after the `earlier` ones. A total equal to the limit is within it."""
    definition = release.privacy_definition
    unit, where = UNITS[definition], f"{ledger_file.path}, --ledger-limit {exact_text(limit)}"
    before, after = spent(earlier, definition), spent([*earlier, release], definition)
    if before is None or after is None:
        what = (
            "this run and its limit are in epsilon (pure DP), but the ledger holds zCDP runs, which no epsilon bounds"
        )
        return [Problem(where, what, "run under zcdp with a limit in rho: pure DP runs convert to rho, not back")]
    if after.one_person <= limit:
        return []
    parts = f"US {exact_text(after.us)}, Puerto Rico {exact_text(after.pr)}"
    what = f"this run would bring the total of one person to {unit} {exact_text(after.one_person)} ({parts})"
    us, pr = (exact_text(max(limit - part, Fraction(0))) for part in (before.us, before.pr))
    return [Problem(where, what, f"spend less: at most {unit} {us} is left for the US and {pr} for Puerto Rico")]


def _make(path: Path) -> None:
    """Make an empty ledger of mode 0600, whole or not at all; another run may be faster."""
    descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=path.absolute().parent)
    try:
        _write(path, descriptor, _FIRST_LINE)
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        os.close(descriptor)
        Path(partial).unlink()


@contextmanager
def _locked(path: Path, lock: int) -> Iterator[BinaryIO]:
    """The ledger, locked until the block ends. Raises: InputError where it is no plain file or cannot be opened."""
    while True:
        with _opened(path, os.O_RDONLY if lock == fcntl.LOCK_SH else os.O_RDWR | os.O_APPEND) as file:
            fcntl.flock(file, lock)
            if _is_at(path, file):  # if not, somebody's editor replaced the ledger while we waited
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


def _releases(path: Path, file: BinaryIO) -> tuple[Release, ...]:
    """The runs of an open ledger. No message quotes the file, which may be any other, even one of person records."""
    if file.readline(len(_FIRST_LINE)) != _FIRST_LINE:
        what = "is not the first line of a ledger of this version"
        raise InputError([Problem(f"{path} line 1", what, _OTHER_FILE)])
    problems: list[Problem] = []
    releases: dict[str, Release] = {}
    for number, line in enumerate(file, start=2):
        release = _parsed(f"{path} line {number}", line, problems)
        if release is None:
            continue
        first = releases.setdefault(release.run, release)
        if replace(release, state=first.state, when=first.when) != first:
            what = "differs from an earlier line of the same run in more than its state and time"
            problems.append(Problem(f"{path} line {number}", what, _RESTORE))
        releases[release.run] = release
    refuse(problems)
    return tuple(releases.values())


def _parsed(where: str, line: bytes, problems: list[Problem]) -> Release | None:
    """One line as a run; None, and a problem more, where it is not one."""
    if not line.endswith(b"\n"):
        what = "ends in the middle: a run or the machine stopped while it was written"
        fix = "remove this last line: no noise is drawn before a line is whole; if it is whole, end it with a newline"
        problems.append(Problem(where, what, fix))
        return None
    try:
        entry = json.loads(line, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError):
        problems.append(Problem(where, "is not JSON", _RESTORE))
        return None
    if not isinstance(entry, dict) or entry.keys() != _FORMS.keys():
        problems.append(Problem(where, f"does not hold exactly {', '.join(_FORMS)}", _RESTORE))
        return None
    wrong = [name for name, form in _FORMS.items() if not _has_form(entry[name], form)]
    if wrong:
        problems.append(Problem(where, f"{wrong[0]} is not of the form that a ledger has", _RESTORE))
        return None
    return Release(**{**entry, "us": Fraction(entry["us"]), "pr": Fraction(entry["pr"])})


def _without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """What a JSON object holds. Raises: ValueError where a key stands twice, for readers differ on which one counts."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _has_form(value: object, form: str) -> bool:
    return isinstance(value, str) and value.isprintable() and re.fullmatch(form, value, re.ASCII) is not None


def _append(path: Path, file: BinaryIO, release: Release) -> None:
    """Add the run's line and flush it to the disk, or leave the file as it was."""
    entry = {name: getattr(release, name) for name in _FORMS}
    texts = {name: exact_text(value) if isinstance(value, Fraction) else value for name, value in entry.items()}
    size = os.fstat(file.fileno()).st_size
    try:
        _write(path, file.fileno(), json.dumps(texts).encode() + b"\n")
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise


def _write(path: Path, descriptor: int, line: bytes) -> None:
    """Write past any buffer and flush to the disk. Raises: OSError that names the ledger."""
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _flush_name(path: Path) -> None:
    """Flush the folder's own entry for `path`: whoever made the file may have been stopped before doing it."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
