"""Markers of the fields of models: what the values of a key are, what they mean, and what to do about any other.

A marker stands in an annotation, and tells pydantic how to read a value and what a JSON Schema says of it. pydantic is
imported when a file is read: whoever only uses the models does without it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import GenericAlias
from typing import Annotated, Any, get_args

from safetab_sql.settings.wrong import (
    LARGEST_TABLE,
    Wrong,
    core,
    counted_table,
    line,
    shown,
    together,
    wrong_key,
    wrong_table,
    wrong_value,
)

# Long enough for every sensible number, and short enough that no exponent makes a rational of gigabytes.
_LONGEST_NUMBER = 50
_LARGEST_EXPONENT = 40
_DECIMAL = re.compile(r"[+-]?[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE]([+-]?[0-9]+))?")
_DECIMAL_TEXT = r"^[+-]?[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Means:
    """Marker: what a key says, in the JSON Schema."""

    words: str

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), "description": self.words}


def _fixed(schema: Any, words: str) -> Any:
    """A schema of which every error is the one that the value is none."""

    def read(value: object, handler: Any) -> Any:
        try:
            return handler(value)
        except ValueError:
            raise wrong_value(words) from None

    return core().no_info_wrap_validator_function(read, schema)


@dataclass(frozen=True, slots=True)
class Fix:
    """Marker: what to do about a value that is none; every problem of the value is one problem with these words.

    is_strict: no value of another type is read as one of this.
    """

    words: str
    is_strict: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _fixed({**handler(source), **({"strict": True} if self.is_strict else {})}, self.words)


@dataclass(frozen=True, slots=True)
class Text:
    """Marker of a text. pattern: what all of it looks like; some letter, if none is given."""

    pattern: str = ""
    fix: str = "write text in quotes"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _fixed(core().str_schema(pattern=f"^(?:{self.pattern})$" if self.pattern else r"\S"), self.fix)


@dataclass(frozen=True, slots=True)
class Name:
    """Marker of the key under which a table stands, which is its name. taken: names in small letters that are ours."""

    of: str
    pattern: str
    fix: str
    taken: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = core().str_schema(pattern=f"^(?:{self.pattern})$")

        def read(value: object, handler: Any) -> Any:
            try:
                if isinstance(value, str) and value.lower() not in self.taken:
                    return handler(value)
            except ValueError:
                pass
            not_taken = f"; not {', '.join(self.taken)}" if self.taken else ""
            raise wrong_key(f"'{value}' is no name for {self.of}", self.fix + not_taken)

        return core().no_info_wrap_validator_function(read, inner)


@dataclass(frozen=True, slots=True)
class Whole:
    """Marker of a whole number from `least` to `most`."""

    least: int
    most: int
    fix: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _fixed(core().int_schema(strict=True, ge=self.least, le=self.most), self.fix)


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


@dataclass(frozen=True, slots=True)
class Decimal:
    """Marker of an exact decimal number from `least` to `most`; the two may be left out of the range."""

    least: int
    most: int
    fix: str
    without_least: bool = False
    without_most: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core().no_info_plain_validator_function(self._read)

    def _read(self, value: object) -> Fraction:
        number = value if isinstance(value, Fraction) else exact_decimal(value)
        left_out = [self.least] * self.without_least + [self.most] * self.without_most
        if number is None or not self.least <= number <= self.most or number in left_out:
            raise wrong_value(self.fix)
        return number

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """A number in the range, or the text of a number."""
        lower = {"exclusiveMinimum" if self.without_least else "minimum": self.least}
        upper = {"exclusiveMaximum" if self.without_most else "maximum": self.most}
        return {"anyOf": [{"type": "number", **lower, **upper}, {"type": "string", "pattern": _DECIMAL_TEXT}]}


@dataclass(frozen=True, slots=True)
class Sized:
    """Marker of a list or table of at least `least` and at most `most` entries; what and fix: where it has others."""

    least: int
    most: int = LARGEST_TABLE
    what: str = ""
    fix: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler(source)
        kinds = (list, tuple) if inner.get("type") in ("list", "tuple") else (list, tuple, Mapping)

        def read(value: object, handler: Any) -> Any:
            if not isinstance(value, kinds):
                raise wrong_value(self.fix)
            if not self.least <= len(value) <= self.most:
                raise (wrong_table(self.what.format(len(value)), self.fix) if self.what else wrong_value(self.fix))
            return handler(value)

        return core().no_info_wrap_validator_function(read, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """With the least number of entries."""
        found = handler(schema)
        key = "minItems" if found.get("type") == "array" else "minProperties"
        return {**found, **({key: self.least} if self.least else {})}


@dataclass(frozen=True, slots=True)
class Checked:
    """Marker of a value with a check; `{key}` in its words is the key. schema: what a JSON Schema says of it."""

    check: Callable[[Any], Iterable[Wrong]]
    schema: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core().no_info_after_validator_function(self._read, handler(source))

    def _read(self, value: object) -> object:
        if wrong := list(self.check(value)):
            raise together([line((), wrong_key(each.what, each.fix)) for each in wrong])
        return value

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), **self.schema}


def once(fix: str = "name each value once") -> Checked:
    """The marker of a list in which no value may stand twice."""

    def check(values: Sequence[object]) -> Iterator[Wrong]:
        for value, count in Counter(map(shown, values)).items():
            if count > 1:
                yield Wrong(f"{{key}} has {value} {count} times", fix)

    return Checked(check, {"uniqueItems": True})


@dataclass(frozen=True, slots=True)
class Named:
    """Marker of a table of tables: a tuple of these, each with its key as `key`. is_list: as a list of that one key."""

    key: str = "name"
    is_list: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler.generate_schema(GenericAlias(dict, (str, get_args(source)[0])))
        before = core().no_info_before_validator_function(self._keyed, inner)
        return core().no_info_after_validator_function(lambda found: tuple(found.values()), before)

    def _keyed(self, value: object) -> object:
        """Each table with its key; a table that has one itself is wrong."""
        tables = counted_table(value)
        twice = [name for name, each in tables.items() if isinstance(each, Mapping) and self.key in each]
        if twice:
            what, fix = f"unknown key '{self.key}'", "remove it: the table has its name"
            raise together([line((name,), wrong_table(what, fix)) for name in twice])
        return {
            name: {self.key: [name] if self.is_list else name, **each} if isinstance(each, Mapping) else each
            for name, each in tables.items()
        }

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Tables without that key, whose names look as it does."""
        found = handler(schema)
        item = dict(handler.resolve_ref_schema(found["additionalProperties"]))
        properties = dict(item.get("properties", {}))
        name = properties.pop(self.key, {})
        required = [key for key in item.pop("required", []) if key != self.key]
        item |= {"properties": properties, **({"required": required} if required else {})}
        names = {"propertyNames": {"pattern": name["pattern"]}} if "pattern" in name else {}
        return {**found, "additionalProperties": item, **names}


@dataclass(frozen=True, slots=True)
class ReadAs:
    """Marker of a value that stands in a file as a value of the type `written`. made: the value from that one.

    said: that one from the value, in files that commands write.
    """

    written: Any
    made: Callable[[Any], Any]
    said: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core().no_info_after_validator_function(self.made, handler.generate_schema(self.written))


@dataclass(frozen=True, slots=True)
class Depending:
    """Marker of a value of one of two types. on: whether it is the first, from the value and the whole file."""

    on: Callable[[object, Mapping[str, object]], bool]
    first: Any
    other: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic import TypeAdapter  # noqa: PLC0415

        first, other = TypeAdapter(self.first), TypeAdapter(self.other)

        def read(value: object, info: Any) -> Any:
            return (first if self.on(value, info.context) else other).validate_python(value, context=info.context)

        # The union is what the JSON Schema is made from; the function never leaves anything to it.
        union = core().union_schema([handler.generate_schema(self.first), handler.generate_schema(self.other)])
        return core().with_info_wrap_validator_function(lambda value, _, info: read(value, info), union)


WHOLES_FIX = "write a whole number of at most 32 bits"
TEXTS_FIX = 'write a list of values in quotes, such as ["M"]'

Switch = Annotated[bool, Fix("write true or false, without quotes", is_strict=True)]
Words = Annotated[str, Text()]
Texts = Annotated[tuple[str, ...], Sized(1, 2**20, fix=TEXTS_FIX), Fix(TEXTS_FIX), once()]
Base = Annotated[
    str | None,
    Text(),
    Means("a TOML file in the same folder, over which this one is laid table by table; a list replaces a list"),
]
Integer = Annotated[int, Whole(1 - 2**31, 2**31 - 1, WHOLES_FIX)]
ABOUT_MAP = 'write values of the file in quotes, and what each counts as, such as { "9" = "X" } or { "90+" = 90 }'


def mapped_to(value: Any) -> ReadAs:
    """The marker of a table of values of a file, at least one, each with what it counts as, of this type."""
    given = Annotated[str, Name("a value of the file", r"[^\x00-\x1f\x7f]{1,60}", "write 1 to 60 characters in quotes")]
    return ReadAs(Annotated[dict[given, value], Sized(1, fix=ABOUT_MAP), Fix(ABOUT_MAP)], dict)


def texts(fix: str = TEXTS_FIX, item: Any = str, once_fix: str = "name each value once") -> Any:
    """The type of a list of different texts, at least one."""
    return Annotated[tuple[item, ...], Sized(1, 2**20, fix=fix), Fix(fix), once(once_fix), _InQuotes()]


@dataclass(frozen=True, slots=True)
class _InQuotes:
    """Marker of a list of texts: of one with whole numbers, the problem shows the list as it has to be written."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:

        def check(value: object) -> object:
            if isinstance(value, list) and any(type(each) is int for each in value):
                raise wrong_value(f"write the values in quotes: {json.dumps([str(each) for each in value])}")
            return value

        return core().no_info_before_validator_function(check, handler(source))


def among(words: Iterable[str]) -> str:
    """What to do about a word that is none of these."""
    return f"write one of {', '.join(map(repr, words))}"
