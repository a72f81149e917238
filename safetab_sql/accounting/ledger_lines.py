"""The lines of a custodian's ledger, and their chain: each line holds the SHA-256 of the line before it.

The file has JSON lines. The first line says what the file is; every other line is the complete state of one run, and a
later line of the same run replaces an earlier line.

What the chain shows: that a line before the last was changed, removed, added or moved, by a person or by a fault,
unless every later digest was computed anew. Anyone who can write the file can do that: the chain is no signature. What
the file alone cannot show: that lines were cut off at its end, that the last line was changed, or that an older copy
stands in its place. To notice these, keep the digest of the last line, which `account --ledger` prints, in another
place. Lines written before chains were introduced have no digests and are accepted; the first chained line holds the
digest of the last of them, so that last line is protected and the lines above it are not.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, BinaryIO, get_args

from safetab_sql.accounting.charges import Charge, State, exact_text
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import PrivacyDefinition

# Compared byte for byte: a file with other words is of another version.
FIRST_LINE = (
    b'{"file": "safetab-sql ledger", "version": 2, "parts": "parts defined alike hold different people in every run"}\n'
)
# A file that begins so has lines of the old form, with the losses `us` and `pr`, and after them lines of the new one.
OLD_FIRST_LINE = (
    b'{"file": "safetab-sql ledger", "version": 1, "parts": "us and pr hold different people in every run"}\n'
)
_LOSS = r"\d{1,300}(\.\d{1,300}|/[1-9]\d{0,299})?"
_PART = r"[A-Za-z][A-Za-z0-9_-]{0,31}"
_OLD_PARTS = {"us": "US", "pr": "PR"}
_FORMS = {
    "run": r"[0-9a-f]{32}",
    "state": "|".join(get_args(State)),
    "when": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "out": r"[^\n]+",
    "parameters_sha256": r"[0-9a-f]{64}",
    "privacy_definition": "|".join(get_args(PrivacyDefinition)),
}
_PARTS, _PREVIOUS = "parts", "previous_line_sha256"
_STATED_FORMS = {"caveat": r"[^\n]{1,300}", "parts_sha256": r"[0-9a-f]{64}"}  # left out where empty
_OPTIONAL_FORMS = {**_STATED_FORMS, _PREVIOUS: r"[0-9a-f]{64}"}
_OTHER_FILE = "name a ledger that a run has made; if this was one, restore it from a copy"
_RESTORE = "correct it, or restore the file from a copy"
_BROKEN = (
    "restore the file from a copy; where the change was meant, note it elsewhere and take "
    f'"{_PREVIOUS}" out of every line: a new chain begins after the last'
)


@dataclass(frozen=True, slots=True)
class LedgerLines:
    """What a ledger holds. charges: each run in its latest state, in the order of their first lines.

    lines: number of lines, including the first. last_sha256: digest of the last line, including its newline.
    """

    charges: tuple[Charge, ...]
    lines: int
    last_sha256: str


def ledger_line(charge: Charge, previous_sha256: str) -> bytes:
    """The line for the state of a run. previous_sha256: digest of the line that it will follow."""
    texts = {name: getattr(charge, name) for name in _FORMS}
    parts = {_PARTS: {name: exact_text(loss) for name, loss in charge.parts.items()}}
    stated = {name: getattr(charge, name) for name in _STATED_FORMS if getattr(charge, name)}
    return json.dumps({**texts, **parts, **stated, _PREVIOUS: previous_sha256}).encode() + b"\n"


def ledger_lines(where: str, file: BinaryIO) -> LedgerLines:
    """The lines of an open ledger. where: its name in messages, which never quote the file: it may be a wrong file.

    Raises: InputError with every line that cannot be read or does not follow the line before it.
    """
    line = file.readline(max(len(FIRST_LINE), len(OLD_FIRST_LINE)))
    if line not in (FIRST_LINE, OLD_FIRST_LINE):
        what = "is not the first line of a ledger of this version"
        raise InputError([Problem(f"{where} line 1", what, _OTHER_FILE)])
    problems: list[Problem] = []
    charges: dict[str, Charge] = {}
    number, sha256, is_chained, is_sound, is_old = 1, _sha256(line), False, True, line == OLD_FIRST_LINE
    for number, line in enumerate(file, start=2):
        here, wrong = f"{where} line {number}", list[Problem]()
        entry = _entry(here, line, wrong, may_be_old=is_old)
        if entry is not None:
            if is_sound:  # otherwise this line has a problem already
                problems += _chain_problems(here, entry.get(_PREVIOUS), sha256, is_chained=is_chained)
            wrong += _entered(here, _charge(entry), charges)
            is_chained = is_chained or _PREVIOUS in entry
        problems += wrong
        sha256, is_sound = _sha256(line), not wrong
    refuse(problems)
    return LedgerLines(tuple(charges.values()), number, sha256)


def _sha256(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _chain_problems(where: str, stated: str | None, sha256: str, *, is_chained: bool) -> list[Problem]:
    """The problems of the digest that a line states. sha256: digest of the line before it, which can be read."""
    if stated is None and is_chained:
        what = "holds no digest of the line before it, as the lines above do: it was added or changed by hand"
        return [Problem(where, what, _BROKEN)]
    if stated is not None and stated != sha256:
        what = "does not follow the line before it: that one was changed, or lines were removed, added or moved here"
        return [Problem(where, what, _BROKEN)]
    return []


def _entered(where: str, charge: Charge, charges: dict[str, Charge]) -> list[Problem]:
    """Enter the line's run among the `charges`; a problem if an earlier line of the run contradicts it."""
    first = charges.setdefault(charge.run, charge)
    charges[charge.run] = charge
    if replace(charge, state=first.state, when=first.when) == first:
        return []
    what = "differs from an earlier line of the same run in more than its state and time"
    return [Problem(where, what, _RESTORE)]


def _charge(entry: Mapping[str, Any]) -> Charge:
    texts = {name: text for name, text in entry.items() if name not in (_PREVIOUS, _PARTS)}
    return Charge(**texts, parts={name: Fraction(loss) for name, loss in entry[_PARTS].items()})


def _entry(where: str, line: bytes, problems: list[Problem], *, may_be_old: bool) -> dict[str, Any] | None:
    """The fields of one line, with its losses under `parts`; None, and one more problem, if it is no line of a ledger.

    may_be_old: whether the line may hold `us` and `pr` in place of `parts`.
    """
    if not line.endswith(b"\n"):
        what = "ends in the middle: a run or the machine stopped while it was written"
        fix = "remove this last line: no noise is drawn before a line is whole; if it is whole, end it with a newline"
        problems.append(Problem(where, what, fix))
        return None
    try:
        entry = json.loads(line, object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError):
        problems.append(Problem(where, "is not JSON", _RESTORE))
        return None
    if isinstance(entry, dict) and may_be_old and _PARTS not in entry and _OLD_PARTS.keys() <= entry.keys():
        entry[_PARTS] = {name: entry.pop(old) for old, name in _OLD_PARTS.items()}
    needed = [*_FORMS, _PARTS]
    if not isinstance(entry, dict) or entry.keys() - _OPTIONAL_FORMS.keys() != set(needed):
        what = f"does not hold exactly {', '.join(needed)}, and perhaps {', '.join(_OPTIONAL_FORMS)}"
        problems.append(Problem(where, what, _RESTORE))
        return None
    forms = {**_FORMS, **_OPTIONAL_FORMS}
    wrong = [name for name in forms if name in entry and not _has_form(entry[name], forms[name])]
    wrong += [] if _are_parts(entry[_PARTS]) else [_PARTS]
    if wrong:
        problems.append(Problem(where, f"{wrong[0]} is not of the form that a ledger has", _RESTORE))
        return None
    return entry


def _are_parts(value: object) -> bool:
    """Whether `value` holds the losses of parts by their names."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(re.fullmatch(_PART, name, re.ASCII) and _has_form(loss, _LOSS) for name, loss in value.items())
    )


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object. Raises: ValueError if a key is repeated: readers differ on which value counts."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _has_form(value: object, form: str) -> bool:
    return isinstance(value, str) and value.isprintable() and re.fullmatch(form, value, re.ASCII) is not None
