"""The lines of a custodian's ledger, and their chain: each line holds the SHA-256 of the line before it.

The file has JSON lines. The first line says what the file is. Every other line is the limit, which replaces an earlier
one, or the complete state of one run, which replaces the state that an earlier line of the run gave. What the chain can
and cannot show: accounting.md section 8.1.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, BinaryIO, get_args

from safetab_sql.accounting.charges import Charge, Limit, State, identity
from safetab_sql.accounting.written import members_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.reading import adapter
from safetab_sql.settings.tables import keys_of

# Compared byte for byte: a file with other words is of another version.
FIRST_LINE = b'{"file": "safetab-sql ledger", "version": 3}\n'
STATES: tuple[State, ...] = get_args(State)
STEPS = ("noise_sha256", "nonce", "manifest_sha256")  # what a run's lines add to its first, and never take back
_MOST = "records_of_a_person"
_OPTIONAL = (_MOST, "caveat", "records_sha256", *STEPS)  # keys of a run that are left out where they are empty
_PREVIOUS = "previous_line_sha256"
_OTHER_FILE = "name a ledger that a run of this version has made; if this was one, restore it from a copy"
_RESTORE = "correct it, or restore the file from a copy"
_BROKEN = "restore the file from a copy"


@dataclass(frozen=True, slots=True)
class LedgerLines:
    """What a ledger holds. charges: each run in its latest state, in the order of their first lines.

    limit: the latest, or None. lines: how many, with the first. last_sha256: of the last line, with its newline.
    """

    charges: tuple[Charge, ...]
    limit: Limit | None
    lines: int
    last_sha256: str


def ledger_line(said: Charge | Limit, previous_sha256: str) -> bytes:
    """The line for the state of a run, or for a limit. previous_sha256: digest of the line before it."""
    return json.dumps({**members_of(said), _PREVIOUS: previous_sha256}).encode() + b"\n"


def ledger_lines(where: str, file: BinaryIO) -> LedgerLines:
    """The lines of an open ledger. where: its name in messages, which never quote the file: it may be a wrong file.

    Raises: InputError with every line that cannot be read or does not follow the line before it.
    """
    line = file.readline(len(FIRST_LINE))
    if line != FIRST_LINE:
        what = "is not the first line of a ledger of this version"
        raise InputError([Problem(f"{where} line 1", what, _OTHER_FILE)])
    problems: list[Problem] = []
    charges: dict[str, Charge] = {}
    limit: Limit | None = None
    number, sha256, is_sound = 1, _sha256(line), True
    for number, line in enumerate(file, start=2):
        here = f"{where} line {number}"
        try:
            previous, said = _entry(line)
            if is_sound and previous != sha256:  # if it is not sound, that line has a problem already
                what = "does not follow the line before it: that one was changed, or lines were removed, added or moved"
                problems.append(Problem(here, f"{what} here", _BROKEN))
            if isinstance(said, Limit):
                limit = said
            else:
                _enter(said, charges)
            is_sound = True
        except _FormError as error:
            problems.append(Problem(here, str(error), error.fix))
            is_sound = False
        sha256 = _sha256(line)
    refuse(problems)
    return LedgerLines(tuple(charges.values()), limit, number, sha256)


def _sha256(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _enter(charge: Charge, charges: dict[str, Charge]) -> None:
    """Enter the line's run among the `charges`. Raises: _FormError if it contradicts the earlier lines of the run."""
    last = charges.setdefault(charge.run, charge)
    charges[charge.run] = charge
    if last is charge:
        return
    if identity(last) != identity(charge):
        raise _FormError("differs from an earlier line of the same run in more than its state and time")
    kept = [(getattr(last, name), getattr(charge, name)) for name in STEPS]
    if STATES.index(charge.state) <= STATES.index(last.state) or any(old not in ("", new) for old, new in kept):
        raise _FormError("takes back what an earlier line of the same run says")


class _FormError(Exception):
    """A line does not have the form of a line. fix: what to do about it."""

    def __init__(self, what: str, fix: str = _RESTORE) -> None:
        super().__init__(what)
        self.fix = fix


def _entry(line: bytes) -> tuple[object, Charge | Limit]:
    """The digest that a line holds, and what it says. Raises: _FormError."""
    if not line.endswith(b"\n"):
        fix = "remove this last line: no noise is drawn before a line is whole; if it is whole, end it with a newline"
        raise _FormError("ends in the middle: a run or the machine stopped while it was written", fix)
    try:
        entry: Any = json.loads(line, object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError) as error:
        raise _FormError("is not JSON") from error
    kind: Any = Limit if isinstance(entry, dict) and "limit" in entry else Charge
    needed = [*(key for key in keys_of(kind) if key not in _OPTIONAL), _PREVIOUS]
    optional = (_MOST,) if kind is Limit else _OPTIONAL
    if not isinstance(entry, dict) or entry.keys() - set(optional) != set(needed):
        raise _FormError(f"does not hold exactly {', '.join(needed)}, and perhaps {', '.join(optional)}")
    try:
        return entry.pop(_PREVIOUS), adapter(kind).validate_python(entry)
    except ValueError as error:
        key = error.errors()[0]["loc"][0]  # type: ignore[attr-defined]
        raise _FormError(f"{key} is not of the form that a ledger has") from error


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object. Raises: ValueError if a key is repeated: readers differ on which value counts."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
