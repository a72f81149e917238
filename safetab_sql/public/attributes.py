"""Attributes: the columns of a record that tables break down by, and the groupings of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

EACH = "each"
LARGEST_DOMAIN = 2**20  # values of an attribute, and combinations of the values of all


@dataclass(frozen=True, slots=True)
class Grouping:
    """A partition of the values of an attribute.

    codes: of each group, a text for each published column. members: the group of each value, by their positions.
    """

    codes: tuple[tuple[str, ...], ...]
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column that tables break down by, and its values.

    values: those of a listed attribute; an attribute of numbers has none, and a minimum and a maximum. groups: of each
    grouping, the values of each published code, or the first numbers of ranges. publish: its columns in published
    tables. total: the published code for all values. unknown: numbers that stand for a missing one. other, null: the
    value that counts every value that is not permitted, and every missing one; None where these are errors.
    """

    name: str
    column: str
    publish: tuple[str, ...]
    values: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0
    groups: Mapping[str, Mapping[str, tuple[str, ...]] | tuple[int, ...]] = field(default_factory=dict, hash=False)
    total: str = "*"
    unknown: tuple[int, ...] = ()
    other: str | int | None = None
    null: str | int | None = None

    @property
    def is_listed(self) -> bool:
        """Whether its values are a list of texts, and not whole numbers."""
        return bool(self.values)

    @property
    def number_columns(self) -> tuple[str, ...]:
        """The columns of published tables that hold its first and last number as whole numbers; a list has none."""
        return () if self.is_listed else (f"{self.name}_START", f"{self.name}_END")

    @property
    def size(self) -> int:
        """How many values it has."""
        return len(self.values) if self.is_listed else self.maximum - self.minimum + 1

    @property
    def numbers(self) -> range:
        """The number by which statements know each value: its place in the list from 1, or the number itself."""
        return range(1, self.size + 1) if self.is_listed else range(self.minimum, self.maximum + 1)

    @property
    def numbers_of_others(self) -> tuple[int | None, int | None]:
        """The numbers that count all values that are not permitted, and missing ones; None where they are errors."""
        other, null = (
            each if each is None or isinstance(each, int) else 1 + self.values.index(each)
            for each in (self.other, self.null)
        )
        return other, other if null is None else null

    @property
    def width(self) -> int | None:
        """The number of digits of its values, where all are digits and equally long."""
        widths = {len(value) if value.isascii() and value.isdigit() else None for value in self.values}
        return widths.pop() if len(widths) == 1 else None

    def grouping(self, name: str) -> Grouping:
        """Its grouping of that name, which must be one of its groups, or `each`."""
        if name == EACH and self.is_listed:
            return Grouping(tuple((value,) for value in self.values), tuple(range(self.size)))
        if name == EACH:
            return self._ranges(tuple(self.numbers))
        groups = self.groups[name]
        if isinstance(groups, tuple):
            return self._ranges(groups)
        group_of = {value: place for place, listed in enumerate(groups.values()) for value in listed}
        return Grouping(tuple((code,) for code in groups), tuple(group_of[value] for value in self.values))

    def _ranges(self, firsts: Sequence[int]) -> Grouping:
        lasts = [*(first - 1 for first in firsts[1:]), self.maximum]
        ends = [(str(first), str(last)) for first, last in zip(firsts, lasts, strict=True)]
        codes = tuple(pair if len(self.publish) == 2 else (_range_code(*pair),) for pair in ends)
        sizes = [last - first + 1 for first, last in zip(firsts, lasts, strict=True)]
        return Grouping(codes, tuple(place for place, size in enumerate(sizes) for _ in range(size)))


def _range_code(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"


# Sex and age of the 2020 Census. Source: tabulation.md section 5.
AGE = Attribute(
    name="AGE",
    column="QAGE",
    publish=("AGESTART", "AGEEND"),
    minimum=0,
    maximum=115,
    groups={
        "age4": (0, 18, 45, 65),
        "age9": (0, 5, 18, 25, 35, 45, 55, 65, 75),
        "age23": (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85),
    },
)
SEX = Attribute(name="SEX", column="QSEX", publish=("SEX",), values=("1", "2"))
STANDARD_ATTRIBUTES = (AGE, SEX)
SEX_GROUPING = "sex"  # the grouping that says which values stand for the two sexes


def standard_attributes(
    sex_column: str = SEX.column,
    sexes: tuple[tuple[str, ...], tuple[str, ...]] = (("1",), ("2",)),
    age_column: str = AGE.column,
    unknown_ages: tuple[int, ...] = (),
) -> tuple[Attribute, ...]:
    """Age and sex of the 2020 Census in columns of one's own. sexes: the values that stand for 1 and for 2."""
    males, females = sexes
    groups = {SEX_GROUPING: {"1": males, "2": females}}
    is_usual = sexes == (("1",), ("2",))
    return (
        Attribute(
            AGE.name, age_column, AGE.publish, (), AGE.minimum, AGE.maximum, groups=AGE.groups, unknown=unknown_ages
        ),
        Attribute(SEX.name, sex_column, SEX.publish, (*males, *females), groups={} if is_usual else groups),
    )


def columns_of(attribute: str) -> tuple[str, str]:
    """What statements call the number of an attribute's value, and the value as it is written in the file."""
    return f"{attribute}_number", f"{attribute}_given"
