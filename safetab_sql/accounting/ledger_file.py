"""The custodian's ledger: every run gets a line in it before it draws noise, and its limit may refuse a run.

A file of JSON lines, which are only appended, under an exclusive lock, and flushed to the disk; all are checked
whenever the file is read or written. The first says what the file is. Every other line is the limit, which replaces an
earlier one, or the state of one run: `reserved`, once, before its noise is drawn, and `released`, once, with the digest
of its manifest. A run that ends before its second line counts: its noise may have been seen.

No mechanism draws without a right to draw, and the ledger gives one right for a charge. So noise that the ledger does
not know cannot be drawn for a release: the type of what the mechanisms draw from is `RightToDraw`, and the functions of
this module alone make one.
"""

import fcntl
import json
import os
import stat
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, final

from safetab_sql.accounting.charges import Charge, Limit, spent_of, with_bounds
from safetab_sql.accounting.conversions import members_of, rho_within, rounded_up
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import flush, locked_descriptor, write_whole_file
from safetab_sql.kit.words import exact_text
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.tables import adapter, keys_of, wrongs_of

Bits = Callable[[int], bytes]  # number of bytes -> that many uniform, independent bytes

# Compared byte for byte: a file with other words is of another version.
FIRST_LINE = b'{"file": "safetab-sql ledger", "version": 4}\n'
_MOST = "records_of_a_person"
_OPTIONAL = (_MOST, "caveat", "delta", "records_sha256", "manifest_sha256")  # keys of a run, left out where empty
_COPY = "correct it, or restore the file from a copy"


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The ledger that a run is entered in.

    limit: in rho or epsilon, by its definition, or else of the run; a ledger without one gets it. None: the limit
    is what the ledger says.
    """

    path: str | Path
    limit: Fraction | None = None
    definition: PrivacyDefinition | None = None


@dataclass(frozen=True, slots=True)
class Entered:
    """What a ledger holds: each run in its latest state, in the order of their first lines, and the latest limit."""

    charges: tuple[Charge, ...] = ()
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Generator:
    """Where random bits come from. is_the_systems: whether they are, at this moment, the operating system's."""

    bits: Bits
    is_the_systems: Callable[[], bool]


@final
@dataclass(frozen=True, slots=True)
class RightToDraw:
    """Random bits in the hands of somebody who may turn them into noise: number of bytes -> that many bytes."""

    bits: Bits

    def __call__(self, count: int) -> bytes:
        """`count` random bytes."""
        return self.bits(count)


def right_without_people(bits: Bits) -> RightToDraw:
    """The right to draw noise on public or synthetic data, which costs nobody anything. No release is made with it."""
    return RightToDraw(bits)


def check_limit(ledger_file: LedgerFile | None, charge: Charge) -> None:
    """Refuse early a run that exceeds the limit as the ledger stands now. Raises: InputError."""
    if ledger_file is not None:
        path = Path(ledger_file.path)
        _limit_for(ledger_file, read_ledger(path) if os.path.lexists(path) else Entered(), charge)


def right_to_draw(ledger_file: LedgerFile | None, charge: Charge, generator: Generator) -> RightToDraw:
    """The right to all noise of a run: when this returns, its line is on the disk and it counts.

    A ledger without a limit gets `ledger_file`'s limit. If two runs enter at once, the second sees the line of the
    first. Without a ledger anybody gets it, and the manifest says that the run is in none. Raises: InputError if the
    total would exceed the limit, if the run was entered before, for it has drawn its noise then, or if the file is no
    ledger; then the run is not entered.
    """
    if ledger_file is None:
        return RightToDraw(generator.bits)
    path = Path(ledger_file.path)
    if not os.path.lexists(path):
        _limit_for(ledger_file, Entered(), charge)  # refused before a file is made
        with suppress(InputError):  # if another run has made it meanwhile
            write_whole_file(path, FIRST_LINE, overwrite=False, mode=0o600)
    with _locked(path, fcntl.LOCK_EX) as file:
        found = _entered(path, file)
        if any(each.run == charge.run for each in found.charges):
            what = f"says that run {charge.run} was charged before, and may have drawn its noise"
            raise InputError([Problem(str(path), what, "begin another run, which is charged too")])
        limit = _limit_for(ledger_file, found, charge)
        flush(path.absolute().parent)  # the run that made the file may have been stopped before it did so
        if limit is not None and limit != found.limit:
            _append(path, file, limit)
        _append(path, file, charge)
    return RightToDraw(generator.bits)


def mark_released(ledger_file: LedgerFile | None, charge: Charge, manifest_sha256: str) -> None:
    """Enter, once, the digest of the manifest of the run's complete release.

    The ledger has to hold the charge as it was reserved. A run whose line was removed is entered again: it counts in
    any case. A failure is a warning: the folder stands already, and the run counts the same.
    """
    if ledger_file is None:
        return
    path = Path(ledger_file.path)
    try:
        with _locked(path, fcntl.LOCK_EX) as file:
            entered = next((each for each in _entered(path, file).charges if each.run == charge.run), charge)
            what = f"says that run {charge.run} has another release than this one, or spends something else"
            is_ours = replace(entered, when=charge.when) == charge
            refuse([] if is_ours else [Problem(str(path), what, "publish nothing of it")])
            _append(path, file, replace(charge, state="released", manifest_sha256=manifest_sha256))
    except (InputError, OSError, KeyboardInterrupt) as error:
        problems = error.problems if isinstance(error, InputError) else (str(error) or "interrupted",)
        what = f"{charge.out} is complete, but its run {charge.run} could not be marked as released in {path}"
        said = f"{what}; check that its line is there, for it counts: {'; '.join(map(str, problems))}"
        warnings.warn(said, RuntimeWarning, stacklevel=2)


def set_limit(path: str | Path, limit: Limit) -> Fraction:
    """Enter another limit, whatever the ledger has spent: no run that exceeds it is entered from here on.

    What the ledger has spent of it. Raises: InputError if it bounds the loss of a record that no run of the ledger has,
    or if a run of the ledger is of a kind that it cannot bound: then every later run would be refused.
    """
    with _locked(Path(path), fcntl.LOCK_EX) as file:
        found = _entered(Path(path), file)
        refuse(kind_problems(path, limit.record, limit.most, found.charges))
        charges = with_bounds(found.charges, limit.most)
        for why, fix in _unbounded(limit, charges):
            raise InputError([Problem("--set-limit", f"{limit.text} cannot bound the runs: {why}", fix)])
        _append(Path(path), file, limit)
        return _bounded_total(limit, charges)


def kind_problems(
    path: str | Path, limited: str | None, most: Collection[str], charges: Sequence[Charge]
) -> list[Problem]:
    """A problem for each kind of record that the custodian names, for a limit or with a bound, and no run has."""
    records = list(dict.fromkeys(each.record for each in charges))
    named = [] if limited is None else [("--limit-of", limited, list(dict.fromkeys(["person", *records])))]
    named += [("--records-of-a-person", name, records) for name in most]
    return [
        Problem(option, f"no run of {path} protects one {name}", f"name one of {', '.join(known)}")
        for option, name, known in named
        if name not in records
    ]


def read_ledger(path: str | Path) -> Entered:
    """What a ledger holds. Raises: InputError with every malformed or misplaced line."""
    with _locked(Path(path), fcntl.LOCK_SH) as file:
        return _entered(Path(path), file)


# Limits.


def _limit_for(ledger_file: LedgerFile, found: Entered, charge: Charge) -> Limit | None:
    """The limit of the ledger, or the one that it will get.

    Raises: InputError if the charge does not fit below it, or if it is not the one that was asked for. A total equal to
    the limit is allowed.
    """
    path, asked, limit = ledger_file.path, ledger_file.limit, found.limit
    definition = ledger_file.definition or charge.privacy_definition
    if limit is None and asked is not None:
        limit = Limit(asked, definition, None if charge.is_of_persons else charge.record)
    if limit is None:
        return None
    where, unit = f"{path}, limit {limit.text}", UNITS[limit.definition]
    of = "" if limit.record is None else f" --limit-of '{limit.record}'"
    of += "".join(f" --records-of-a-person '{record}={most}'" for record, most in limit.most.items())
    change = f"change the limit: safetab-sql account --ledger {path} --set-limit '{unit} X'{of}"
    if asked is not None and (asked, definition) != (limit.amount, limit.definition):
        what = f"--ledger-limit says another limit, {UNITS[definition]} {exact_text(asked)}"
        raise InputError([Problem(where, what, f"leave it out, or {change}")])
    this, *earlier = with_bounds([charge, *found.charges], limit.most)
    for why, fix in _unbounded(limit, [this, *earlier], this):
        raise InputError([Problem(where, why, fix)])
    before, after = _bounded_total(limit, earlier), _bounded_total(limit, [*earlier, this])
    if after > limit.amount:
        total = f"this run would bring the total of one {limit.record or 'person'} from {unit} {exact_text(before)}"
        raise InputError([Problem(where, f"{total} to {unit} {exact_text(after)}", f"spend less, or {change}")])
    return limit


def _unbounded(limit: Limit, runs: Sequence[Charge], this: Charge | None = None) -> Iterator[tuple[str, str]]:
    """Which runs a limit of this kind cannot bound and why, and what to do: about `this` run, or else the limit.

    Never another ledger: the people of both would lose more than either limit.
    """
    for each in runs:
        called = "this run" if each is this else f"run {each.run}, which made {each.out},"
        stated, one = f"--records-of-a-person '{each.record}=5'", f"{called} protects one {each.record}"
        if limit.definition == "puredp" and each.privacy_definition == "zcdp":
            rho, delta = exact_text(rho_within(limit.amount, each.delta)), rounded_up(each.delta, 3)
            fix = f"say the limit in rho: 'rho {rho}' implies epsilon {exact_text(limit.amount)} at delta {delta}, and "
            fix += f"pure DP runs convert to rho{'; account --set-limit changes one that is entered' if this else ''}"
            yield f"{called} is zCDP, and no rho implies an epsilon of pure DP", fix
        elif limit.record is None and not each.is_of_persons:
            of = f"or bound the loss of one {each.record}, --limit-of '{each.record}', if all runs are of such records"
            fix = f"say how many a person has: [unit] records_of_a_person, or account --set-limit with {stated}"
            fix = fix if this else f"say how many a person has, such as {stated}; {of}"
            yield f"{one}, of which a person can have any number", fix
        elif limit.record not in (None, each.record):
            fix = "bound the loss of one person, if it is known for all runs: account --set-limit, without --limit-of"
            yield f"{one}, not one {limit.record}", fix


def _bounded_total(limit: Limit, charges: Sequence[Charge]) -> Fraction:
    """The total that a limit bounds. The runs must be of its kind."""
    total = spent_of(limit, charges)
    if total is None:
        raise ValueError("a limit is compared with a total that does not exist")
    return total


# Lines.


def _entered(path: Path, file: BinaryIO) -> Entered:
    """What an open ledger holds. Messages never quote the file at `path`: it may be a wrong one.

    Raises: InputError with every line that cannot be read, or contradicts an earlier one.
    """
    if file.readline(len(FIRST_LINE)) != FIRST_LINE:
        fix = "name a ledger that a run of this version has made; if this was one, restore it from a copy"
        raise InputError([Problem(f"{path} line 1", "is not the first line of a ledger of this version", fix)])
    problems, charges, limit = list[Problem](), dict[str, Charge](), None
    for number, line in enumerate(file, start=2):
        said = _said(line, f"{path} line {number}")
        if isinstance(said, Problem):
            problems.append(said)
        elif isinstance(said, Limit):
            limit = said
        else:
            last = charges.setdefault(said.run, said)
            released = replace(last, state="released", when=said.when, manifest_sha256=said.manifest_sha256)
            if last is not said and (last.state != "reserved" or said != released):
                what = "differs from an earlier line of the same run in more than that it was released"
                problems.append(Problem(f"{path} line {number}", what, _COPY))
            charges[said.run] = said
    refuse(problems)
    return Entered(tuple(charges.values()), limit)


def _said(line: bytes, where: str) -> Charge | Limit | Problem:
    """What a line says; or what is wrong with its form."""
    if not line.endswith(b"\n"):
        what = "ends in the middle: a run or the machine stopped while it was written"
        fix = "remove this last line: no noise is drawn before a line is whole; if it is whole, end it with a newline"
        return Problem(where, what, fix)
    try:
        entry: Any = json.loads(line, object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError):
        return Problem(where, "is not JSON", _COPY)
    kind: Any = Limit if isinstance(entry, dict) and "limit" in entry else Charge
    optional = (_MOST,) if kind is Limit else _OPTIONAL
    needed = [key for key in keys_of(kind) if key not in _OPTIONAL]
    if not isinstance(entry, dict) or entry.keys() - set(optional) != set(needed):
        what = f"does not hold exactly {', '.join(needed)}, and perhaps {', '.join(optional)}"
        return Problem(where, what, _COPY)
    try:
        return adapter(kind).validate_python(entry)  # type: ignore[no-any-return]
    except ValueError as error:
        return Problem(where, f"{next(wrongs_of(error)).place[0]} is not of the form that a ledger has", _COPY)


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object. Raises: ValueError if a key is repeated: readers differ on which value counts."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


# The file.


def now() -> str:
    """The time as lines of the ledger have it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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


def _append(path: Path, file: BinaryIO, said: Charge | Limit) -> None:
    """Add a line with the time of now and flush it to the disk, or leave the file as it was."""
    descriptor, line = file.fileno(), json.dumps(members_of(replace(said, when=now()))).encode() + b"\n"
    size = os.fstat(descriptor).st_size
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except BaseException as error:
        os.ftruncate(descriptor, size)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise
