"""Values as the JSON of the files that commands write; the same dataclasses read them (`settings/tables.py`)."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, get_type_hints

from safetab_sql.accounting.conversions import Json, exact_json
from safetab_sql.settings.markers import otherwise, text
from safetab_sql.settings.tables import INLINE, ReadAs, key_of, table


@table
class ExactText:
    """A rational as text, and a decimal that is not below it. Fraction("1e999999999") would never end."""

    exact: Annotated[str, text("[0-9]{1,300}(/[1-9][0-9]{0,299})?")]
    decimal: str


Exact = Annotated[Fraction, ReadAs(ExactText, lambda read: Fraction(read.exact)), otherwise("write it as a run does")]


def as_json(value: Any) -> Any:
    """The value as JSON. A dataclass has its fields as members, without those that hold what they hold by default."""
    if is_dataclass(value):
        return members_of(value)
    if isinstance(value, Fraction):
        return exact_json(value)
    if isinstance(value, Mapping):
        return {key: as_json(each) for key, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


def members_of(value: Any) -> dict[str, Json]:
    """The members of a dataclass as JSON: see `as_json`."""
    hints = _hints(type(value))  # type: ignore[arg-type]  # mypy takes a class for something without a hash
    found: dict[str, Json] = {}
    for each in fields(value):
        marks, inner = getattr(hints[each.name], "__metadata__", ()), getattr(value, each.name)
        usual = each.default if each.default_factory is MISSING else each.default_factory()
        if INLINE in marks:
            found |= members_of(inner)
        elif inner != usual:
            said = next((mark.said for mark in marks if isinstance(mark, ReadAs) and mark.said), as_json)
            found[key_of(each.name, marks)] = as_json(said(inner))
    return found


_hints = cache(partial(get_type_hints, include_extras=True))


def decimal_text(value: Fraction) -> str:
    """The decimal that stands beside a rational in JSON: of 12 digits, rounded up."""
    return str(exact_json(value)["decimal"])  # type: ignore[call-overload,index]
