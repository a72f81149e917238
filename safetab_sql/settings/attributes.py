"""Attributes: the columns of a record that tables break down by, and the groupings of their values.

[attributes.EDUCATION]                       # a listed attribute
column = "EDU"                               # by default its name
values = ["0", "1", "2", "X"]                # by default the values of its first grouping
groups.two = { low = ["0"], other = ["1", "2", "X"] }   # published code = values; `each` is built in
publish = "EDUCATION"                        # column of the published table; by default its name
total = "*"                                  # the published code for all of them
map = { "9" = "X" }                          # what values of the file count as; the value itself where none is said
other = "X"                                  # the value that counts every other value; else another value is an error
null = "X"                                   # the value that counts missing ones; by default the value of `other`
[attributes.AGE]                             # an attribute of whole numbers
minimum = 0
maximum = 120
groups.three = [0, 18, 67]                   # first numbers of ranges
publish = ["AGE_FROM", "AGE_TO"]             # the ends of a range in two columns, or in one, as in 0-17
unknown = [999]                              # numbers that stand for a missing one
map = { "90+" = 90, "NS" = "not stated" }    # a text is a value of its own: a cell in totals, and in no range
null = "not stated"
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

from safetab_sql.settings.markers import Integer, Texts, Words, called, mapped_to, one_or_more, otherwise, text, texts
from safetab_sql.settings.tables import Wrong, depending, named, shown, table, via

EACH = "each"
LARGEST_DOMAIN = 2**20  # values of an attribute, and combinations of the values of all
_OURS = (
    *("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC", "IS_MARGINAL", "COUNT", "VARIANCE", "MOE95"),
    *("LOW95", "HIGH95", "NOISY_COUNT", "TABLE", "SUM", "LEVEL", "ITERATION_KIND", "IS_TOTAL_ONLY", "REGION_NAME"),
    *("ITERATION_NAME", "LADDER", "TABLE_ROWS"),
)
_ABOUT_NAME = "use capitals, digits and _, a capital first, at most 32 characters"
_ABOUT_COLUMN = f"use letters, digits and _, a letter first, and no column that we add to tables: {', '.join(_OURS)}"
_ABOUT_PUBLISH = "name one column, or two for the ends of a range, of letters, digits and _, a letter first"
_CODE = r"[^\x00-\x1f\x7f|\"]{1,60}"
_ABOUT_CODE = 'write 1 to 60 characters in quotes, none of them | or "'
_ABOUT_VALUES = f'write a list of values in quotes, such as ["M"], each of {_ABOUT_CODE[6:]}'
_ABOUT_FIRSTS = "write the first number of each range, rising"
ABOUT_UNKNOWN = (
    "write whole numbers that stand for a missing one, such as [99]; NaN is missing anyway, and map is for text"
)

_NUMBER = re.compile(r"-?[0-9.]+(?:-[0-9]+)?")  # what looks like a number, or the code of a range

Code = Annotated[str, text(_CODE, _ABOUT_CODE)]
_Column = Annotated[str, text(r"[A-Za-z][A-Za-z0-9_]{0,62}")]
_CodeName = Annotated[str, called("a published code", _CODE, _ABOUT_CODE)]
Groups = Annotated[
    Mapping[str, tuple[str, ...]] | tuple[int, ...],
    depending(
        lambda value: isinstance(value, Mapping),
        dict[_CodeName, Texts],
        Annotated[tuple[Integer, ...], otherwise(_ABOUT_FIRSTS)],
    ),
]
Values = Annotated[tuple[str, ...], texts(_ABOUT_VALUES, Code)]
Numbers = Annotated[tuple[int, ...], via(tuple[Integer, ...], lambda listed: tuple(dict.fromkeys(listed)))]
Other = Annotated[str | int | None, via(Code | Integer)]
_ABOUT_OTHER = f"{_ABOUT_CODE}; of an attribute of numbers, a number from minimum to maximum is without quotes"


@dataclass(frozen=True, slots=True)
class Grouping:
    """A partition of the values of an attribute.

    codes: of each group, a text for each published column. members: the group of each value, by their positions.
    """

    codes: tuple[tuple[str, ...], ...]
    members: tuple[int, ...]


@table
class Attribute:
    """A column that tables break down by, and its values: a list, or the numbers from a minimum to a maximum."""

    name: Annotated[str, called("an attribute", "[A-Z][A-Z0-9_]{0,31}", _ABOUT_NAME)]
    column: Annotated[Words, "column of a record; by default the name of the attribute"] = ""
    publish: Annotated[
        tuple[str, ...],
        one_or_more(_Column, tuple[_Column, ...]),
        otherwise(_ABOUT_PUBLISH),
        "published column, by default the name; two for the ends of a range, in one column 0-17",
    ] = ()
    values: Annotated[Values, "the permitted values; by default all of the first grouping"] = ()
    minimum: Annotated[Integer, "the smallest number; required without values"] = 0
    maximum: Annotated[Integer, "the largest number; required without values"] = 0
    groups: Annotated[
        Mapping[str, Groups],
        "groupings: published codes with their values, or the first numbers of ranges; `each` is built in",
    ] = field(default_factory=dict, hash=False)
    total: Annotated[Code, "the published code for all values"] = "*"
    unknown: Annotated[Numbers, otherwise(ABOUT_UNKNOWN), "numbers that stand for a missing one"] = ()
    map: Annotated[
        Mapping[str, str | int],
        mapped_to(Code | Integer),
        "values of the file, and the value that each counts as; beside numbers, a text is a value of its own, in "
        "totals and in no range",
    ] = field(default_factory=dict, hash=False)
    other: Annotated[
        Other,
        otherwise(_ABOUT_OTHER),
        "the value that counts every value that is not permitted; without it such a value is an error",
    ] = None
    null: Annotated[
        Other,
        otherwise(_ABOUT_OTHER),
        "the value that counts missing ones: NULL, empty text, `unknown` numbers; by default `other`",
    ] = None

    exclusive: ClassVar = (("values", "minimum", ""), ("values", "maximum", ""), ("values", "unknown", ""))

    @classmethod
    def keys_amiss(cls, keys: Mapping[str, object]) -> Iterator[Wrong]:
        """Either values or numbers."""
        numbers = [key for key in ("minimum", "maximum") if key in keys]
        if ("values" in cls.filled(keys)) == bool(numbers):
            what = "values and minimum, maximum stand together" if numbers else "neither values nor minimum, maximum"
            yield Wrong(what, "list the values, or give the smallest and the largest number")
        elif numbers and len(numbers) < 2:
            missing = "maximum" if numbers == ["minimum"] else "minimum"
            yield Wrong(f"missing key '{missing}'", f"add a line for {missing}")
        elif not numbers and "unknown" in keys:
            yield Wrong("unknown stands beside values", "leave it out: a value that is not listed is none")

    @classmethod
    def filled(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """With the values of its first grouping, where it lists none itself."""
        groups = given.get("groups")
        first = next(iter(groups.values()), None) if isinstance(groups, Mapping) else None
        listed = [each for each in first.values() if isinstance(each, list)] if isinstance(first, Mapping) else []
        values = dict.fromkeys(value for each in listed for value in each if isinstance(value, str))
        is_said = not values or {"values", "minimum", "maximum"} & given.keys()
        return given if is_said else {**given, "values": list(values)}

    def amiss(self) -> Iterator[Wrong]:
        """What of its values, columns and groups does not agree."""
        if len(self.publish) > 2:
            yield Wrong(f"publish is {shown(self.publish)}", _ABOUT_PUBLISH)
        for column in [column for column in self.publish or (self.name,) if column.upper() in _OURS]:
            yield Wrong(f"publish is {shown(column)}{'' if self.publish else ', the name'}", _ABOUT_COLUMN)
        if EACH in self.groups:
            yield Wrong(f"'{EACH}' is the grouping in which each value is a group", "rename yours", ("groups",))
        yield from self._amiss_in_list() if self.values else self._amiss_in_range()

    def _amiss_in_list(self) -> Iterator[Wrong]:
        yield from (Wrong(f"{key} is {each}", _ABOUT_CODE) for key, each in self._said.items() if isinstance(each, int))
        if len(self.publish) == 2:
            yield Wrong(f"publish is {shown(self.publish)}", "name one column: only a range has two ends")
        values = self._all_values()
        for given, value in self.map.items():
            if isinstance(value, str) and value not in values:
                yield Wrong(f"map {given} is {shown(value)}, none of the values", "add it to values, or correct it")
        if self.total in values:
            yield Wrong(f"total is '{self.total}', which is a value", "choose another code for all values")
        for name, groups in self.groups.items():
            yield from _amiss_in_codes(name, groups, values, self.total)

    def _amiss_in_range(self) -> Iterator[Wrong]:
        if self.minimum > self.maximum:
            yield Wrong(f"maximum {self.maximum} is below minimum {self.minimum}", "exchange the two")
        elif self.maximum - self.minimum >= LARGEST_DOMAIN:
            what = f"{self.maximum - self.minimum + 1:,} values, from minimum to maximum"
            yield Wrong(what, f"an attribute has at most {LARGEST_DOMAIN:,}: narrow it")
        else:
            for name, firsts in self.groups.items():
                numbers = firsts if isinstance(firsts, tuple) else ()
                inside = {self.minimum, *(each for each in numbers if self.minimum <= each <= self.maximum)}
                if firsts != tuple(sorted(inside)):
                    said = {code: [*own] for code, own in firsts.items()} if isinstance(firsts, Mapping) else firsts
                    fix = f"{_ABOUT_FIRSTS}, the first {self.minimum} and none above {self.maximum}"
                    yield Wrong(f"{name} is {shown(said)}", fix, ("groups",))
            for key, other in self._said.items():
                is_own = isinstance(other, str) and not _NUMBER.fullmatch(other) and other != self.total
                if not is_own and not (isinstance(other, int) and self.minimum <= other <= self.maximum):
                    fix = f"write a number from {self.minimum} to {self.maximum}: it counts these records too"
                    yield Wrong(f"{key} is {shown(other)}", f"{fix}; or a text for a value of its own")

    def completed(self, _: Mapping[str, object]) -> "Attribute":
        """With the column and the published column that it has by default, and all of its values."""
        return replace(
            self, column=self.column or self.name, publish=self.publish or (self.name,), values=self._all_values()
        )

    @property
    def _said(self) -> dict[str, str | int]:
        """What values of the file count as, by what the attribute says of them."""
        others = {key: each for key, each in {"other": self.other, "null": self.null}.items() if each is not None}
        return {**{f"map {given}": value for given, value in self.map.items()}, **others}

    @property
    def beside(self) -> tuple[str, ...]:
        """The values of an attribute of numbers that are no numbers, such as not stated: each a cell of its own."""
        said = () if self.is_listed else self._said.values()
        return tuple(dict.fromkeys(each for each in said if isinstance(each, str)))

    def _all_values(self) -> tuple[str, ...]:
        others = [each for each in (self.other, self.null) if isinstance(each, str)] if self.values else []
        return tuple(dict.fromkeys((*self.values, *others)))

    @property
    def is_listed(self) -> bool:
        """Whether its values are a list of texts, and not whole numbers."""
        return bool(self.values)

    @property
    def number(self) -> str:
        """SQL column name of its coded value."""
        return f"{self.name}_number"

    @property
    def given(self) -> str:
        """SQL column name of its raw value, as the file has it."""
        return f"{self.name}_given"

    @property
    def mapped(self) -> str:
        """SQL column name of whether its value counts as another one."""
        return f"{self.name}_mapped"

    @property
    def is_mapped(self) -> bool:
        """Whether some value may count as another one."""
        return bool(self._said)

    @property
    def number_columns(self) -> tuple[str, ...]:
        """The columns of published tables that hold its first and last number as whole numbers; a list has none."""
        return () if self.is_listed else (f"{self.name}_START", f"{self.name}_END")

    @property
    def size(self) -> int:
        """How many values it has."""
        return len(self.values) if self.is_listed else self.maximum - self.minimum + 1 + len(self.beside)

    @property
    def numbers(self) -> range:
        """The number by which statements know each value: its place in the list from 1, or the number itself.

        The values beside numbers follow the largest number.
        """
        first = 1 if self.is_listed else self.minimum
        return range(first, first + self.size)

    @property
    def largest_number(self) -> int:
        """The largest of these."""
        return self.numbers[-1]

    def number_of(self, value: str | int) -> int:
        """The number by which statements know a value."""
        if isinstance(value, int):
            return value
        return 1 + self.values.index(value) if self.is_listed else self.maximum + 1 + self.beside.index(value)

    def grouping(self, name: str) -> Grouping:
        """Its grouping of that name, which must be one of its groups, or `each`."""
        if name == EACH and self.is_listed:
            return Grouping(tuple((value,) for value in self.values), tuple(range(self.size)))
        if name == EACH:
            return self._ranges(range(self.minimum, self.maximum + 1))
        groups = self.groups[name]
        if isinstance(groups, tuple):
            return self._ranges(groups)
        group_of = {value: place for place, listed in enumerate(groups.values()) for value in listed}
        return Grouping(tuple((code,) for code in groups), tuple(group_of[value] for value in self.values))

    def _ranges(self, firsts: Sequence[int]) -> Grouping:
        lasts = [*(first - 1 for first in firsts[1:]), self.maximum]
        ends = [(str(first), str(last)) for first, last in zip(firsts, lasts, strict=True)]
        codes = tuple(pair if len(self.publish) == 2 else ("-".join(dict.fromkeys(pair)),) for pair in ends)
        sizes = [*(last - first + 1 for first, last in zip(firsts, lasts, strict=True)), *(1 for _ in self.beside)]
        beside = tuple((value,) * len(self.publish) for value in self.beside)
        return Grouping(codes + beside, tuple(place for place, size in enumerate(sizes) for _ in range(size)))


def _amiss_in_codes(name: str, groups: object, values: Sequence[str], total: str) -> Iterator[Wrong]:
    """What is wrong with a grouping of a list. groups: the values of each published code."""
    if not isinstance(groups, Mapping):
        yield Wrong(f"{name} is {shown(groups)}", "write published codes with their values", ("groups",))
        return
    place = ("groups", name)
    if total in groups:
        yield Wrong(f"the code '{total}' is the one for all values", "choose another code", place)
    listed = [each for group in groups.values() for each in group]
    for each in dict.fromkeys(listed):
        if listed.count(each) > 1:
            yield Wrong(f"{shown(each)} is in two groups", "leave it in one of them", place)
        if each not in values:
            yield Wrong(f"{shown(each)} is none of the values", "take it out, or add it to values", place)
    if missing := [each for each in values if each not in listed]:
        what = f"no group holds {', '.join(map(shown, missing[:5]))}{', ...' if len(missing) > 5 else ''}"
        own = json.dumps(missing[0])
        fix = f"put every value into a group, such as one of its own: groups.{name} = {{ {own} = [{own}], ... }}"
        yield Wrong(what, fix, place)


Attributes = Annotated[tuple[Attribute, ...], named()]
