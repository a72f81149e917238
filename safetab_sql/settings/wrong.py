"""What is wrong with settings, as the models of files say it: errors of pydantic that hold our words.

Each kind of error is named after what a reader makes of it: the value of a key is wrong, or a key says something wrong,
or a table does, or a key is not known, or it is missing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Place = tuple[str, ...]  # where a setting stands: (gamma,), or (levels, COUNTY-2, budget)

LARGEST_TABLE = 1_000  # settings
KINDS = ("value", "key", "table", "unknown", "missing")


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong with a table, or with the table at `place` below it. what: found. fix: to do about it."""

    what: str
    fix: str
    place: tuple[str | int, ...] = ()


def wrong_value(fix: str) -> Any:
    """The error that a value is none. fix: what to write."""
    return _error("value", {"fix": fix})


def wrong_key(what: str, fix: str) -> Any:
    """The error of a key; `{key}` in `what` is its name in the file."""
    return _error("key", {"what": what, "fix": fix})


def unknown_key(known: Sequence[str]) -> Any:
    """The error that a key is none of those that are known."""
    return _error("unknown", {"known": tuple(known)})


def wrong_table(what: str, fix: str) -> Any:
    """The error of a table."""
    return _error("table", {"what": what, "fix": fix})


def _error(kind: str, said: Mapping[str, object]) -> Any:
    from pydantic_core import PydanticCustomError  # noqa: PLC0415  (loaded by whoever reads a file)

    return PydanticCustomError(kind, "wrong", dict(said))


def core() -> Any:
    """What pydantic makes schemas of; it is loaded by whoever reads a file."""
    from pydantic_core import core_schema  # noqa: PLC0415

    return core_schema


def line(place: tuple[str | int, ...], error: Any, value: object = None) -> Any:
    """One error of several, at a place below a table."""
    return {"type": error, "loc": place, "input": value}


def lines_of(error: Any, inline: Iterable[str] = ()) -> Iterator[Any]:
    """The errors that pydantic found below a table. inline: its fields whose keys are keys of the table itself."""
    for each in error.errors(include_url=False):
        kind, place = each["type"], each["loc"]
        made = _error(kind, each.get("ctx", {})) if kind in KINDS else wrong_value(each["msg"])
        yield line(place[1:] if place and place[0] in inline else place, made, each["input"])


def together(lines: Sequence[Any]) -> Any:
    """One error that holds several."""
    from pydantic_core import ValidationError  # noqa: PLC0415

    return ValidationError.from_exception_data("table", list(lines))


def checked_table(value: object) -> Mapping[str, object]:
    """`value`, if it is a table. Raises: the error that it is none."""
    if not isinstance(value, Mapping):
        raise wrong_value("make it a table")
    return value


def counted_table(value: object) -> Mapping[str, object]:
    """`value`, if it is a table of names that a user chose, and not too many. Raises: the error that it is not."""
    table = checked_table(value)
    if len(table) > LARGEST_TABLE:
        raise wrong_value(f"at most {LARGEST_TABLE:,} settings stand in a table")
    return table


def shown(value: object) -> str:
    """The value as a message shows it: as Python writes it, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of more than 4300 digits; TOML can write them in hex
        return "an enormous integer"
    except RecursionError:
        return "a list of lists of lists, and so on"
    return text if len(text) <= 80 else f"{text[:80]}..."
