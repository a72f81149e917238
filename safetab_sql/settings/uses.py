"""Stated uses of a release, for which `targets --uses` divides a loss: configs/uses-ddhca-2020.toml is an example.

[uses."women from 65 on, in counties"]
levels = ["COUNTY-2"]
of = "sum"                               # or total, cells, ratio, median
where = { SEX = ["2"], AGE = [65, 115] }
people = [5_000]                         # groups of 5,000 people or more
percent = 10                             # wanted: a 95 % margin of at most 10 % of the sum; or margin = 20, people
weight = 2
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, get_args

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.ladders import LARGEST_THRESHOLD, Ladder, StatisticName
from safetab_sql.settings.markers import Base, Fix, Means, Name, Named, ReadAs, Sized, Text, Texts, Whole, among
from safetab_sql.settings.reading import read_as, read_toml
from safetab_sql.settings.tables import REQUIRED, table
from safetab_sql.settings.wrong import Wrong

Of = Literal["total", "cells", "sum", "ratio", "median"]
MOST_USES = 200
_LARGEST = 10**9
_ABOUT_WHERE = 'write attributes with values, or with the first and last number: { SEX = ["2"], AGE = [65, 115] }'
_ABOUT_SIZES = "write the least number of people, or the least and the most, such as [1000, 4999]"
_ABOUT_NUMBER = f"write a decimal above 0, at most {_LARGEST:,}, such as 11"
_ABOUT_SHARE = "write a decimal above 0 and at most 1, such as 0.17"
_KEYS: Mapping[object, tuple[str, ...]] = {
    "total": (),
    "cells": ("statistic",),
    "sum": ("where", "share"),
    "ratio": ("where", "share", "per", "share_per"),
    "median": ("attribute", "about", "density"),
}
_NEEDED: Mapping[object, tuple[str, ...]] = {
    "total": (),
    "cells": ("statistic",),
    "sum": ("where",),
    "ratio": ("where",),
    "median": ("attribute", "about", "density"),
}

Where = Annotated[
    Mapping[str, tuple[str, ...] | tuple[int, ...]],
    ReadAs(
        Annotated[
            dict[str, tuple[Annotated[int, Whole(1 - 2**31, 2**31 - 1, "")], ...] | Texts],
            Sized(1, fix=_ABOUT_WHERE),
            Fix(_ABOUT_WHERE),
        ],
        dict,
    ),
]
Number = Annotated[Fraction | None, Decimal(0, _LARGEST, _ABOUT_NUMBER, without_least=True)]
Share = Annotated[Fraction | None, Decimal(0, 1, _ABOUT_SHARE, without_least=True)]


@table
class Use:
    """What is wanted of each group of some levels, how exactly, and how much that counts beside other uses.

    of: the total; each cell of a statistic; a sum of cells; the ratio of two sums; or the median of an attribute.
    people: the least and the most people of the groups that are meant. margin: wanted 95 % margin of error: people, of
    a ratio percentage points, of a median units of the attribute; percent: the same in per cent of what is wanted.
    share, share_per: of the people of a group who are in the sums. about, density: where the median lies, and the share
    of people per unit there.
    """

    name: Annotated[str, Name("a use", r"[^\x00-\x1f\x7f¦]{1,80}", "write 1 to 80 characters")]
    levels: Annotated[Texts, Means("levels such as COUNTY-2; each counts alike")]
    of: Annotated[Of, Fix(among(get_args(Of))), Means("what is wanted of a group; by default its total")] = "total"
    statistic: Annotated[StatisticName | None, Means("of cells: the statistic whose cells are wanted")] = None
    where: Annotated[Where, Means("of a sum or ratio: attributes with values, or with first and last number")] = field(
        default_factory=dict, hash=False
    )
    share: Annotated[Share, Means("of the group's people in `where`; by default as its values are of all values")] = (
        None
    )
    per: Annotated[Where, Means("of a ratio: the sum that it is divided by; by default the total")] = field(
        default_factory=dict, hash=False
    )
    share_per: Annotated[Share, Means("of the group's people in `per`")] = None
    attribute: Annotated[str | None, Text(), Means("of a median: the attribute of numbers")] = None
    about: Annotated[Number, Means("of a median: about where it lies, in units of the attribute")] = None
    density: Annotated[Share, Means("of a median: share of the group's people per unit of the attribute, there")] = None
    people: Annotated[
        tuple[int, ...],
        ReadAs(tuple[Annotated[int, Whole(0, LARGEST_THRESHOLD, "")], ...], tuple),
        Sized(1, 2, fix=_ABOUT_SIZES),
        Fix(_ABOUT_SIZES),
        Means("sizes of the groups that are meant: the least, or the least and the most; by default from 1"),
    ] = (1,)
    margin: Annotated[Number, Means("wanted 95 % margin: people; of a ratio percentage points; of a median units")] = (
        None
    )
    percent: Annotated[Number, Means("in place of margin: per cent of what is wanted")] = None
    weight: Annotated[
        Fraction,
        Decimal(0, _LARGEST, _ABOUT_NUMBER, without_least=True),
        Means("how much the use counts at each of its levels; by default 1"),
    ] = Fraction(1)

    @classmethod
    def exclusive(cls) -> tuple[tuple[str, str], ...]:
        """The two ways to say how exactly."""
        return (("margin", "percent"),)

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """Keys of another kind of use, missing ones, and no margin or two."""
        of = given.get("of", "total")
        if ("margin" in given) == ("percent" in given):
            yield Wrong("neither margin nor percent, or both", "say one: how exactly it is wanted")
        if not isinstance(of, str) or of not in _KEYS:
            return
        for key in [key for each in _KEYS.values() for key in each if key in given and key not in _KEYS[of]]:
            yield Wrong(f"{key} stands in a use of {of}", "take it out, or correct `of`")
        for key in [key for key in _NEEDED[of] if key not in given]:
            yield Wrong(f"missing key '{key}'", f"add a line for {key}: a use of {of} needs it")

    def amiss(self) -> Iterator[Wrong]:
        """Sizes that are no range."""
        if list(self.people) != sorted(self.people):
            yield Wrong(f"people is {list(self.people)}", _ABOUT_SIZES)


@table
class UsesFile:
    """The keys of a file of uses."""

    uses: Annotated[
        tuple[Use, ...],
        Sized(1, MOST_USES, what="there is no use", fix='add one, such as [uses."totals"] with levels and margin'),
        Named(),
        REQUIRED,
        Means("tables of uses, each with its name"),
    ] = ()
    unserved: Annotated[
        Fraction,
        Decimal(0, _LARGEST, "write a decimal, 0 or more, such as 1"),
        Means("error of a use that a group's table does not serve, as a share of what is wanted; by default 1: all"),
    ] = Fraction(1)
    base: Base = None


@dataclass(frozen=True, slots=True)
class Uses:
    """The uses of a file."""

    source: Path
    uses: tuple[Use, ...]
    unserved: Fraction


def load_uses(path: Path) -> Uses:
    """The uses in a TOML file. Raises: InputError with every problem of the file alone."""
    read = read_as(UsesFile, read_toml(path))
    refuse(read.problems)
    return Uses(path, read.found.uses, read.found.unserved)


def use_problems(path: Path, use: Use, ladder: Ladder, attributes: Mapping[str, Attribute]) -> Iterator[Problem]:
    """What of a use a ladder and its attributes do not have."""
    where = f"{path} [uses.{use.name}]"
    names = [statistic.name for statistic in ladder.statistics]
    if use.statistic is not None and use.statistic not in names:
        yield Problem(where, f"statistic is '{use.statistic}'", f"statistics of {ladder.name} are {', '.join(names)}")
    for name, values in [*use.where.items(), *use.per.items()]:
        yield from _value_problems(where, name, values, attributes)
    if use.attribute is not None:
        own = attributes.get(use.attribute)
        if own is None or own.is_listed:
            numbers = [each.name for each in attributes.values() if not each.is_listed]
            fix = f"attributes of numbers are {', '.join(numbers) or 'none here'}"
            yield Problem(where, f"attribute is '{use.attribute}'", fix)


def _value_problems(
    where: str, name: str, values: tuple[str, ...] | tuple[int, ...], attributes: Mapping[str, Attribute]
) -> Iterator[Problem]:
    if name not in attributes:
        yield Problem(where, f"no attribute {name}", f"attributes of the ladder are {', '.join(attributes)}")
        return
    own = attributes[name]
    if own.is_listed:
        strange = [str(value) for value in values if value not in own.values]
        if strange:
            yield Problem(where, f"{name} has no {', '.join(strange)}", f"its values are {', '.join(own.values)}")
    elif not (
        len(values) == 2
        and all(isinstance(value, int) and own.minimum <= value <= own.maximum for value in values)
        and values[0] <= values[1]  # type: ignore[operator]
    ):
        fix = f"write its first and last number, from {own.minimum} to {own.maximum}"
        yield Problem(where, f"{name} is {list(values)}", fix)


def is_wanted(attribute: Attribute, values: tuple[str, ...] | tuple[int, ...]) -> tuple[bool, ...]:
    """Of each value of an attribute, whether it is among these: a list, or a first and a last number."""
    if attribute.is_listed:
        return tuple(value in values for value in attribute.values)
    first, last = (int(value) for value in values)
    return tuple(first <= number <= last for number in range(attribute.minimum, attribute.minimum + attribute.size))
