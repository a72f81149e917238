"""The lines of a custodian's ledger, and their chain: each line holds the SHA-256 of the line before it.

The file has JSON lines. The first line says what the file is. Every other line is the limit, which replaces an earlier
one, or the complete state of one run, which replaces the state that an earlier line of the run gave.

What the chain shows: that a line before the last was changed, removed, added or moved, by a person or by a fault,
unless every later digest was computed anew. Anyone who can write the file can do that: the chain is no signature. What
the file alone cannot show: that lines were cut off at its end, that the last line was changed, or that an older copy
stands in its place. To notice these, keep the digest of the last line, which `account --ledger` prints, in another
place.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, BinaryIO, get_args

from safetab_sql.accounting.charges import Charge, Limit, State, exact_text, identity
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD, Loss, loss_members
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.budgets import PrivacyDefinition

# Compared byte for byte: a file with other words is of another version.
FIRST_LINE = b'{"file": "safetab-sql ledger", "version": 3}\n'
_STATES: tuple[str, ...] = get_args(State)
_LOSS = r"\d{1,300}(\.\d{1,300}|/[1-9]\d{0,299})?"
_PART = r"[A-Za-z][A-Za-z0-9_-]{0,31}"
_SHA256 = r"[0-9a-f]{64}"
_NAME = r"[0-9a-f]{32}"
_RECORD = r"[^\n]{1,60}"
_DEFINITION = "|".join(get_args(PrivacyDefinition))
_WHEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_FORMS = {
    "run": _NAME,
    "state": "|".join(_STATES),
    "when": _WHEN,
    "out": r"[^\n]+",
    "parameters_sha256": _SHA256,
    "privacy_definition": _DEFINITION,
    "record": _RECORD,
}
_STATED_FORMS = {  # left out where empty
    "caveat": r"[^\n]{1,300}",
    "records_sha256": _SHA256,
    "noise_sha256": _SHA256,
    "nonce": _NAME,
    "manifest_sha256": _SHA256,
}
_LIMIT_FORMS = {"limit": _LOSS, "when": _WHEN, "privacy_definition": _DEFINITION}
_PARTS, _PREVIOUS = "parts", "previous_line_sha256"
_OTHER_FILE = "name a ledger that a run of this version has made; if this was one, restore it from a copy"
_RESTORE = "correct it, or restore the file from a copy"
_BROKEN = "restore the file from a copy"


@dataclass(frozen=True, slots=True)
class LedgerLines:
    """What a ledger holds. charges: each run in its latest state, in the order of their first lines.

    limit: the latest, or None. lines: number of lines, including the first. last_sha256: digest of the last line,
    including its newline.
    """

    charges: tuple[Charge, ...]
    limit: Limit | None
    lines: int
    last_sha256: str


def charge_json(charge: Charge) -> dict[str, Any]:
    """A charge as JSON, exact."""
    return {
        **{name: getattr(charge, name) for name in _FORMS},
        _PARTS: {
            name: loss_members(_loss_text(loss.of_record), _loss_text(loss.of_person))
            for name, loss in charge.parts.items()
        },
        **{name: getattr(charge, name) for name in _STATED_FORMS if getattr(charge, name)},
    }


def charge_of(entry: Mapping[str, Any]) -> Charge:
    """The charge that `charge_json` was made of."""
    definition, record = entry["privacy_definition"], entry["record"]
    texts = {name: text for name, text in entry.items() if name in (*_FORMS, *_STATED_FORMS)}
    texts = {name: text for name, text in texts.items() if name not in ("privacy_definition", "record")}
    parts = {
        name: Loss(definition, record, Fraction(loss[ONE_RECORD]), _loss_of(loss[ONE_PERSON]))
        for name, loss in entry[_PARTS].items()
    }
    return Charge(**texts, parts=parts)


def ledger_line(said: Charge | tuple[Limit, str], previous_sha256: str) -> bytes:
    """The line for the state of a run, or for a limit and its time. previous_sha256: digest of the line before it."""
    entry = charge_json(said) if isinstance(said, Charge) else _limit_json(*said)
    return json.dumps({**entry, _PREVIOUS: previous_sha256}).encode() + b"\n"


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
        here, wrong = f"{where} line {number}", list[Problem]()
        entry = _entry(here, line, wrong)
        if entry is not None:
            if is_sound and entry[_PREVIOUS] != sha256:  # if it is not sound, that line has a problem already
                what = "does not follow the line before it: that one was changed, or lines were removed, added or moved"
                problems.append(Problem(here, f"{what} here", _BROKEN))
            if "limit" in entry:
                limit = Limit(Fraction(entry["limit"]), entry["privacy_definition"], entry["record"])
            else:
                wrong += _entered(here, charge_of(entry), charges)
        problems += wrong
        sha256, is_sound = _sha256(line), not wrong
    refuse(problems)
    return LedgerLines(tuple(charges.values()), limit, number, sha256)


def _loss_text(loss: Fraction | None) -> str | None:
    return None if loss is None else exact_text(loss)


def _loss_of(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _limit_json(limit: Limit, when: str) -> dict[str, Any]:
    """A limit as JSON, exact. record: null for the loss of one person."""
    return {
        "limit": exact_text(limit.amount),
        "when": when,
        "privacy_definition": limit.definition,
        "record": limit.record,
    }


def _sha256(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _entered(where: str, charge: Charge, charges: dict[str, Charge]) -> list[Problem]:
    """Enter the line's run among the `charges`; a problem if it contradicts the earlier lines of the run."""
    last = charges.get(charge.run)
    charges[charge.run] = charge
    if last is None:
        return []
    if identity(last) != identity(charge):
        what = "differs from an earlier line of the same run in more than its state and time"
        return [Problem(where, what, _RESTORE)]
    kept = [(getattr(last, name), getattr(charge, name)) for name in ("noise_sha256", "nonce", "manifest_sha256")]
    if _STATES.index(charge.state) <= _STATES.index(last.state) or any(old not in ("", new) for old, new in kept):
        return [Problem(where, "takes back what an earlier line of the same run says", _RESTORE)]
    return []


def _entry(where: str, line: bytes, problems: list[Problem]) -> dict[str, Any] | None:
    """The fields of one line; None, and one more problem, if it is no line of a ledger."""
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
    problem = _form_problem(entry)
    if problem:
        problems.append(Problem(where, problem, _RESTORE))
        return None
    return dict(entry)


def _form_problem(entry: object) -> str:
    """Why a line does not have the form of a line; empty where it has."""
    is_limit = isinstance(entry, dict) and "limit" in entry
    needed = [*_LIMIT_FORMS, "record", _PREVIOUS] if is_limit else [*_FORMS, _PARTS, _PREVIOUS]
    optional = () if is_limit else tuple(_STATED_FORMS)
    if not isinstance(entry, dict) or entry.keys() - set(optional) != set(needed):
        return f"does not hold exactly {', '.join(needed)}" + (
            f", and perhaps {', '.join(optional)}" if optional else ""
        )
    if is_limit:
        wrong = [] if entry["record"] is None or _has_form(entry["record"], _RECORD) else ["record"]
    else:
        wrong = [] if _are_parts(entry[_PARTS]) else [_PARTS]
    forms = {**(_LIMIT_FORMS if is_limit else {**_FORMS, **_STATED_FORMS}), _PREVIOUS: _SHA256}
    wrong += [name for name in forms if name in entry and not _has_form(entry[name], forms[name])]
    return f"{wrong[0]} is not of the form that a ledger has" if wrong else ""


def _are_parts(value: object) -> bool:
    """Whether `value` holds the losses of parts by their names."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(re.fullmatch(_PART, name, re.ASCII) and _is_loss(loss) for name, loss in value.items())
    )


def _is_loss(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {ONE_RECORD, ONE_PERSON}
        and _has_form(value[ONE_RECORD], _LOSS)
        and (value[ONE_PERSON] is None or _has_form(value[ONE_PERSON], _LOSS))
    )


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object. Raises: ValueError if a key is repeated: readers differ on which value counts."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _has_form(value: object, form: str) -> bool:
    return isinstance(value, str) and value.isprintable() and re.fullmatch(form, value, re.ASCII) is not None
