"""The attributes of a parameter file: what is checked of all of them together, and sex and age of the 2020 Census.

Of a file without ladders:

[attributes]
SEX = { column = "gender", groups.sex = { 1 = ["M"], 2 = ["F"] } }   # published code = values; by default QSEX
AGE = { column = "age", unknown = [99] }                             # QAGE by default; 99 is no age
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated

from safetab_sql.kit.errors import Problem
from safetab_sql.public.attributes import (
    ABOUT_UNKNOWN,
    AGE,
    SEX,
    SEX_GROUPING,
    Attribute,
    Attributes,
    Numbers,
    standard_attributes,
)
from safetab_sql.settings.markers import Depending, Fix, Means, ReadAs, Texts, Words
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

ATTRIBUTES_KEY = "attributes"
_ABOUT_SEX = (
    'say which values are male (1) and which female (2): groups.sex = { 1 = ["M"], 2 = ["F"] }; for other '
    "tables, as with a third sex, see docs/how-to/ladders.md"
)


@table
class CensusSex:
    """The column of sex, and its values that stand for the two sexes."""

    column: Annotated[Words, Means("column of a record")] = SEX.column
    groups: Annotated[
        Mapping[str, Mapping[str, tuple[str, ...]]],
        ReadAs(dict[str, dict[str, Texts]], lambda groups: groups),
        Means("the values of 1, male, and of 2, female"),
    ] = field(default_factory=lambda: {SEX_GROUPING: {"1": ("1",), "2": ("2",)}}, hash=False)

    def amiss(self) -> Iterator[Wrong]:
        """Other groups than the two sexes, and a value in both."""
        if set(self.groups) != {SEX_GROUPING} or set(self.groups[SEX_GROUPING]) != set(SEX.values):
            yield Wrong(f"groups is {dict(self.groups)}", _ABOUT_SEX)
            return
        males, females = self.sexes
        for value in [value for value in males if value in females]:
            place = ("groups", SEX_GROUPING)
            yield Wrong(f"'{value}' stands for both sexes", "take it out of one of them", place)

    @property
    def sexes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The values of each of the two."""
        codes = self.groups[SEX_GROUPING]
        return codes["1"], codes["2"]


@table
class CensusAge:
    """The column of age, and numbers in it that are no ages."""

    column: Annotated[Words, Means("column of a record")] = AGE.column
    unknown: Annotated[Numbers, Fix(ABOUT_UNKNOWN), Means("numbers that stand for a missing age")] = ()


@table
class CensusAttributes:
    """Sex and age of a file without ladders."""

    SEX: Annotated[CensusSex, Means("by default QSEX, with 1 male and 2 female")] = CensusSex()
    AGE: Annotated[CensusAge, Means("by default QAGE, 0 to 115")] = CensusAge()

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What they are in general."""
        return standard_attributes(self.SEX.column, self.SEX.sexes, self.AGE.column, self.AGE.unknown)


AnyAttributes = Annotated[
    tuple[Attribute, ...],
    Depending(
        lambda _, tables: "ladders" in tables,
        Attributes,
        Annotated[tuple[Attribute, ...], ReadAs(CensusAttributes, lambda census: census.attributes)],
    ),
]


def attribute_problems(document: Document, attributes: Sequence[Attribute]) -> Iterator[Problem]:
    """Columns that two attributes publish."""
    columns = [column for each in attributes for column in each.publish]
    for column in sorted({column for column in columns if [*map(str.upper, columns)].count(column.upper()) > 1}):
        what = f"{column} is published by two attributes, or twice by one"
        yield document.problem((ATTRIBUTES_KEY,), what, "publish each column once; capitals make no difference")
    numbers = {column: each.name for each in attributes for column in each.number_columns}
    for column in [column for column in columns if column.upper() in numbers]:
        what = f"{column} is published, and is the column of the numbers of {numbers[column.upper()]}"
        fix = "publish another name: every table has that column beside yours"
        yield document.problem((ATTRIBUTES_KEY,), what, fix)
