"""Markers of values: texts, numbers, and lists and tables of them, each with what to do about any other value."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from annotated_types import Predicate
from pydantic import Field, StrictBool

from safetab_sql.settings.budgets import DECIMAL, exact_decimal
from safetab_sql.settings.tables import Amiss, Marker, Wrong, checked, no_value, shown, sized, sized_table, via

TEXTS_FIX = 'write a list of values in quotes, such as ["M"]'
ABOUT_MAP = 'write values of the file in quotes, and what each counts as, such as { "9" = "X" } or { "90+" = 90 }'


def otherwise(words: str | Callable[[object], str], inner: Any = None, names: str = "") -> Marker:
    """The marker that says what to do about a value that is none; every problem of the value is one with these words.

    words: or how to say them, from the value. inner: see `Marker`. names: what the value is the name of, if it is one.
    """

    def read(value: object, handler: Any) -> object:
        try:
            return handler(value)
        except ValueError:
            fix, is_no_name = words if isinstance(words, str) else words(value), f"'{value}' is no name for {names}"
            raise Amiss(Wrong(is_no_name, fix, of="name")) if names else no_value(value, fix) from None

    return Marker(read, inner, is_name=bool(names))


def called(what: str, pattern: str, fix: str, taken: Sequence[str] = ()) -> Marker:
    """The marker of the key under which a table stands, which is its name. taken: names in small letters of ours."""
    kind = Annotated[str, Field(pattern=f"^(?:{pattern})$"), Predicate(lambda name: name.lower() not in taken)]
    return otherwise(f"{fix}; not {', '.join(taken)}" if taken else fix, kind, what)


def text(pattern: str = "", fix: str = "write text in quotes") -> Marker:
    """The marker of a text. pattern: what all of it looks like; some letter, if none is given."""
    return otherwise(fix, Annotated[str, Field(pattern=f"^(?:{pattern})$" if pattern else r"\S")])


def whole(least: int, most: int, fix: str) -> Marker:
    """The marker of a whole number from `least` to `most`."""
    return otherwise(fix, Annotated[int, Field(strict=True, ge=least, le=most)])


def decimal(least: int, most: int, fix: str, *, without_least: bool = False, without_most: bool = False) -> Marker:
    """The marker of an exact decimal number from `least` to `most`; the two may be left out of the range."""
    lower = {"exclusiveMinimum" if without_least else "minimum": least}
    upper = {"exclusiveMaximum" if without_most else "maximum": most}

    def read(value: object, _: Any) -> Fraction:
        number = value if isinstance(value, Fraction) else exact_decimal(value)
        left_out = [least] * without_least + [most] * without_most
        if number is None or not least <= number <= most or number in left_out:
            raise no_value(value, fix)
        return number

    written = [{"type": "number", **lower, **upper}, {"type": "string", "pattern": DECIMAL}]
    return Marker(read, Any, {"anyOf": written})


def once(fix: str = "name each value once") -> Marker:
    """The marker of a list in which no value may stand twice."""

    def check(values: Sequence[object]) -> Iterator[Wrong]:
        counts = Counter(map(shown, values)).items()
        yield from (Wrong(f"has {value} {count} times", fix) for value, count in counts if count > 1)

    return checked(check, {"uniqueItems": True})


def texts(fix: str = TEXTS_FIX, item: Any = str, once_fix: str = "name each value once") -> Marker:
    """The marker of a list of different texts, at least one. Numbers in it are shown as they have to be written."""

    def words(value: object) -> str:
        has_numbers = isinstance(value, list) and any(type(each) is int for each in value)
        return f"write the values in quotes: {json.dumps([str(each) for each in value])}" if has_numbers else fix  # type: ignore[attr-defined]

    return via(Annotated[tuple[item, ...], sized(1, 2**20, fix=fix), otherwise(words), once(once_fix)])


def mapped_to(value: Any) -> Marker:
    """The marker of a table of values of a file, at least one, each with what it counts as, of this type."""
    name = called("a value of the file", r"[^\x00-\x1f\x7f]{1,60}", "write 1 to 60 characters in quotes")
    return via(Annotated[dict[Annotated[str, name], value], sized_table(1, fix=ABOUT_MAP), otherwise(ABOUT_MAP)])


def one_or_more(one: Any, several: Any) -> Marker:
    """The marker of a tuple of texts, of which one may stand alone in a file."""
    return via(one | several, lambda said: (said,) if isinstance(said, str) else said)


Switch = Annotated[bool, otherwise("write true or false, without quotes", StrictBool)]
Words = Annotated[str, text()]
Word = Annotated[str | None, text()]
Texts = Annotated[tuple[str, ...], texts()]
Base = Annotated[
    Word, "a TOML file in the same folder, over which this one is laid table by table; a list replaces a list"
]
Integer = Annotated[int, whole(1 - 2**31, 2**31 - 1, "write a whole number of at most 32 bits")]
