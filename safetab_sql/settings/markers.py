"""Markers of values: what the values of a key are, and what to do about any other.

A marker stands in an annotation, and tells pydantic how to read a value and what a JSON Schema says of it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from safetab_sql.settings.tables import Marker, Means, Name, ReadAs, Sized, Wrong, checked, no_value, shown

# Long enough for every sensible number, and short enough that no exponent makes a rational of gigabytes.
_LONGEST_NUMBER = 50
_LARGEST_EXPONENT = 40
_DECIMAL = re.compile(r"[+-]?[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE]([+-]?[0-9]+))?")
_DECIMAL_TEXT = r"^[+-]?[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?$"


def otherwise(words: str | Callable[[object], str], schema: Any = None) -> Marker:
    """The marker that says what to do about a value that is none; every problem of the value is one with these words.

    words: or how to say them, from the value. schema: pydantic's, in place of the one of the type.
    """

    def read(value: object, handler: Any) -> Any:
        try:
            return handler(value)
        except ValueError:
            raise no_value(value, words if isinstance(words, str) else words(value)) from None

    return Marker(read, schema)


def text(pattern: str = "", fix: str = "write text in quotes") -> Marker:
    """The marker of a text. pattern: what all of it looks like; some letter, if none is given."""
    return otherwise(fix, {"type": "str", "pattern": f"^(?:{pattern})$" if pattern else r"\S"})


def whole(least: int, most: int, fix: str) -> Marker:
    """The marker of a whole number from `least` to `most`."""
    return otherwise(fix, {"type": "int", "strict": True, "ge": least, "le": most})


def exact_decimal(value: object) -> Fraction | None:
    """The exact value of an integer or of the text of a decimal number; None if it is neither.

    Binary floats, booleans, "nan", "inf" and "1/3" are not decimals. Readers pass the *text* of a decimal literal:
    turning a literal such as 1e999999999 into a rational directly would never end.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return Fraction(value) if abs(value) < 10**_LONGEST_NUMBER else None
    match = _DECIMAL.fullmatch(value) if len(value) <= _LONGEST_NUMBER else None
    if match is None or abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
        return None
    return Fraction(value.replace("_", ""))


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

    written = [{"type": "number", **lower, **upper}, {"type": "string", "pattern": _DECIMAL_TEXT}]
    return Marker(read, {"type": "any"}, {"anyOf": written})


def once(fix: str = "name each value once") -> Marker:
    """The marker of a list in which no value may stand twice."""

    def check(values: Sequence[object]) -> Iterator[Wrong]:
        counts = Counter(map(shown, values)).items()
        yield from (Wrong(f"has {value} {count} times", fix) for value, count in counts if count > 1)

    return checked(check, {"uniqueItems": True})


def among(words: Iterable[str]) -> str:
    """What to do about a word that is none of these."""
    return f"write one of {', '.join(map(repr, words))}"


# Types of values that several tables have.

TEXTS_FIX = 'write a list of values in quotes, such as ["M"]'
ABOUT_MAP = 'write values of the file in quotes, and what each counts as, such as { "9" = "X" } or { "90+" = 90 }'


def texts(fix: str = TEXTS_FIX, item: Any = str, once_fix: str = "name each value once") -> ReadAs:
    """The marker of a list of different texts, at least one. Numbers in it are shown as they have to be written."""

    def words(value: object) -> str:
        has_numbers = isinstance(value, list) and any(type(each) is int for each in value)
        return f"write the values in quotes: {json.dumps([str(each) for each in value])}" if has_numbers else fix  # type: ignore[attr-defined]

    return ReadAs(Annotated[tuple[item, ...], Sized(1, 2**20, fix=fix), otherwise(words), once(once_fix)])


def mapped_to(value: Any) -> ReadAs:
    """The marker of a table of values of a file, at least one, each with what it counts as, of this type."""
    given = Annotated[str, Name("a value of the file", r"[^\x00-\x1f\x7f]{1,60}", "write 1 to 60 characters in quotes")]
    return ReadAs(Annotated[dict[given, value], Sized(1, fix=ABOUT_MAP), otherwise(ABOUT_MAP)])


def one_or_more(one: Any, several: Any) -> ReadAs:
    """The marker of a tuple of texts, of which one may stand alone in a file."""
    return ReadAs(one | several, lambda said: (said,) if isinstance(said, str) else said)


Switch = Annotated[bool, otherwise("write true or false, without quotes", {"type": "bool", "strict": True})]
Words = Annotated[str, text()]
Word = Annotated[str | None, text()]
Texts = Annotated[tuple[str, ...], texts()]
Base = Annotated[
    str | None,
    text(),
    Means("a TOML file in the same folder, over which this one is laid table by table; a list replaces a list"),
]
Integer = Annotated[int, whole(1 - 2**31, 2**31 - 1, "write a whole number of at most 32 bits")]
