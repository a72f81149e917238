"""Answers of commands as JSON, for programs."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def json_text(answer: object) -> str:
    """An answer as JSON: dataclasses by their fields, tables row by row, rationals exact and as a decimal."""
    return json.dumps(answer, indent=2, default=_json_of)


def exact_answer(answer: str | Mapping[str, object]) -> str:
    """An answer that was made from exact counts, as text or as JSON, with the mark that says so."""
    from safetab_sql.kit.marks import PHRASE, marked_json

    return f"{PHRASE}\n{answer}" if isinstance(answer, str) else json_text(marked_json(answer))


def members(answer: "DataclassInstance", *, without: str = "") -> dict[str, object]:
    """The members of a dataclass, without one that says nothing to a program."""
    return {each.name: getattr(answer, each.name) for each in fields(answer) if each.name != without}


def _json_of(value: object) -> object:
    """What JSON has in place of a value that it has not."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_pylist"):
        return value.to_pylist()
    if isinstance(value, Fraction):
        from safetab_sql.accounting.conversions import exact_json

        return exact_json(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"no JSON for {type(value)}")
