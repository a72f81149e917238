"""Statistics of ladders: tables whose cells are measured, and the coarser tables that are measured beside them.

[ladders.T2]
statistics = [
    { name = "age", cells = { AGE = "four" } },
    { name = "sex by age", cells = { SEX = "each", AGE = "nine" }, also_measured = [
        { table = "TOTAL", share = 0.05 },           # of the loss of stage 2
        { table = "age", share = 0.05 },             # another statistic of the ladder
        { cells = { SEX = "each" }, share = 0.1 },   # any table whose cells are sums of cells of this one
    ] },
]
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Means, ReadAs, Sized, Text, Words
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

Cells = tuple[tuple[str, str], ...]  # attribute and grouping, of each of some attributes
TOTAL = "TOTAL"  # what a coarser table is called that is the total of the group
MOST_COARSER_TABLES = 20
_ABOUT_SHARE = "write a decimal above 0 and below 1, such as 0.05: its part of what stage 2 spends"
_ABOUT_COARSER = (
    f'write 1 to {MOST_COARSER_TABLES} tables such as {{ table = "{TOTAL}", share = 0.05 }} or '
    '{ cells = { SEX = "each" }, share = 0.1 }'
)

StatisticName = Annotated[
    str,
    Text(
        r"[^\x00-\x1f\x7f|\"/\\.][^\x00-\x1f\x7f|\"/\\]{0,59}",
        'write 1 to 60 characters in quotes, no dot first, none of them | / \\ or "',
    ),
]
ReadCells = Annotated[
    Cells,
    ReadAs(
        Annotated[dict[str, Words], Sized(1, fix='name at least one attribute, such as { AGE = "each" }')],
        lambda cells: tuple(cells.items()),
    ),
]


@table
class CoarserTable:
    """A coarser table that is measured beside the cells of a statistic, by noise of its own.

    share: of the loss of stage 2. table: TOTAL, or the name of another statistic of the ladder; "" where cells says it.
    """

    share: Annotated[
        Fraction, Decimal(0, 1, _ABOUT_SHARE, without_least=True, without_most=True), Means("of what stage 2 spends")
    ]
    table: Annotated[StatisticName, Means(f"{TOTAL}, or the name of another statistic of the ladder")] = ""
    cells: Annotated[ReadCells, Means("in place of `table`: attributes, each with one of its groupings")] = ()

    @classmethod
    def exclusive(cls) -> tuple[tuple[str, str], ...]:
        """Two ways to say one table."""
        return (("table", "cells"),)

    @classmethod
    def keys_amiss(cls, keys: Mapping[str, object]) -> Iterator[Wrong]:
        """A table that is said twice, or not at all."""
        if ("table" in keys) == ("cells" in keys):
            several = "table" in keys
            what = "table and cells stand together" if several else "neither table nor cells stands there"
            yield Wrong(what, f'keep one of them, such as table = "{TOTAL}" or cells = {{ SEX = "each" }}')

    @property
    def name(self) -> str:
        """What ledgers and messages call it: TOTAL, the name of a statistic, or such as SEX each."""
        return self.table or shown_cells(self.cells)


@table
class Statistic:
    """A table: the product of one grouping each of some attributes, whose cells are measured.

    also_measured: the coarser tables that are measured too; cells and sums are then fitted to all by least squares.
    """

    name: Annotated[StatisticName, Means("what STATISTIC says")]
    cells: Annotated[ReadCells, Means("attributes, each with one of its groupings, or `each`")]
    also_measured: Annotated[
        tuple[CoarserTable, ...],
        Sized(1, MOST_COARSER_TABLES, fix=_ABOUT_COARSER),
        Means("coarser tables that are measured too, each with a share of what stage 2 spends"),
    ] = ()

    def amiss(self) -> Iterator[Wrong]:
        """Shares that leave nothing for the cells, and a table that is named twice."""
        spent = sum((each.share for each in self.also_measured), Fraction(0))
        if spent >= 1:
            fix = "lower them: their sum has to be below 1, and the cells get the rest"
            yield Wrong("the shares of also_measured add up to 1 or more", fix, ("also_measured",))
        names = [each.name for each in self.also_measured]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield Wrong(f"{name} is measured twice", "name it once, with one share", ("also_measured",))

    @property
    def shares_of_tables(self) -> tuple[Fraction, ...]:
        """What part of the loss of stage 2 each coarser table spends, and, last, the cells: they add up to 1."""
        shares = [each.share for each in self.also_measured]
        return (*shares, 1 - sum(shares, Fraction(0)))

    @property
    def names_of_tables(self) -> tuple[str, ...]:
        """What the coarser tables are called, and, last, the statistic."""
        return (*(each.name for each in self.also_measured), self.name)

    @property
    def alone(self) -> "Statistic":
        """The same cells, measured alone."""
        return replace(self, also_measured=())


def shown_cells(cells: Cells) -> str:
    """Attributes and groupings for people to read: SEX each by AGE nine."""
    return " by ".join(f"{name} {grouping}" for name, grouping in cells)
