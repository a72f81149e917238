"""Ladders: a total, and tables of increasing detail of which each population group gets one.

[ladders.EDU]
choose = "stage 1"            # or always: the one statistic for every group; or published: by the totals of --totals
total_only = "TOTAL_ONLY"     # flag of the iterations that get a total alone
totals = "SUMS"               # a folder of its own for totals; else they are rows of the table
total_name = "total"          # STATISTIC of a group that gets a total alone
subtotals = [{ EDUCATION = "two" }]   # or "coarser": the cells of the statistics before
statistics = [{ name = "education", cells = { EDUCATION = "two" } },
              { name = "age by education", cells = { AGE = "three", EDUCATION = "each" } }]
levels = [{ each = ["COUNTRY-region"], budget = 0.5, thresholds = [50, 500] }]
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal, get_args

from safetab_sql.public.attributes import Attribute
from safetab_sql.public.budgets import LARGEST_BUDGET
from safetab_sql.public.levels import PopulationGroupLevel, written_level
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import (
    Checked,
    Depending,
    Fix,
    Means,
    Name,
    ReadAs,
    Sized,
    Switch,
    Text,
    Texts,
    Whole,
    Words,
    among,
)
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

Choose = Literal["stage 1", "always", "published"]
Cells = tuple[tuple[str, str], ...]  # attribute and grouping, of each of some attributes
# Folders of a release that no ladder may have: of tables about the totals of ladders.
GROUP_INDEX, SUPPRESSED, MEASUREMENTS = "group_index", "suppressed", "measurements"
BESIDE = (GROUP_INDEX, SUPPRESSED, MEASUREMENTS)
CODES = "codes"  # the folder of the code lists of a release
COARSER: Literal["coarser"] = "coarser"
MOST_LADDERS, MOST_STATISTICS = 20, 20
LARGEST_SHARE = 1000
LARGEST_THRESHOLD = 2**62  # thresholds are compared with int64 counts
_LADDER_NAME = "[A-Z][A-Z0-9_-]{0,31}"
_ABOUT_NAME = "use capitals, digits, _ and -, a capital first, at most 32 characters"
_ABOUT_BUDGET = "write a decimal such as 0.159, from 0 (level not tabulated) to 1e12, of at most 50 characters"
_ABOUT_TOTAL_ONLY = 'write true, or a list of iteration codes, each once and in quotes, such as ["1010", "1020"]'
_ABOUT_SHARE = f"write a number above 0, at most {LARGEST_SHARE:,}, such as 7; the shares of a level are proportions"
_ABOUT_SUBTOTALS = f'write "{COARSER}", or a list such as [{{ SEX = "each" }}]'


def _falling(numbers: Sequence[int]) -> Iterator[Wrong]:
    if list(numbers) != sorted(numbers):
        yield Wrong("a number is below the one before it", "let them rise")


def about_thresholds(words: str, number: int) -> str:
    """What thresholds to write, and an example of so many."""
    example = ([471, 971, 6971] if number > 1 else [471])[:number]
    example += [10_000 * place for place in range(1, number - 2)]
    return f"write {words}, none below the one before it, such as {example}"


Budget = Annotated[Fraction, Decimal(0, LARGEST_BUDGET, _ABOUT_BUDGET)]
StatisticName = Annotated[
    str,
    Text(
        r"[^\x00-\x1f\x7f|\"/\\.][^\x00-\x1f\x7f|\"/\\]{0,59}",
        'write 1 to 60 characters in quotes, no dot first, none of them | / \\ or "',
    ),
]
_Threshold = Annotated[int, Whole(-LARGEST_THRESHOLD, LARGEST_THRESHOLD, "")]
_SomeThresholds = Annotated[tuple[_Threshold, ...], Sized(1), Checked(_falling)]
Thresholds = Annotated[
    tuple[int, ...],
    ReadAs(_SomeThresholds, tuple),
    Fix(about_thresholds("one integer for each statistic", 3)),
]
ReadCells = Annotated[
    Cells,
    ReadAs(
        Annotated[dict[str, Words], Sized(1, fix='name at least one attribute, such as { AGE = "each" }')],
        lambda cells: tuple(cells.items()),
    ),
]


@dataclass(frozen=True, slots=True)
class LevelParameters:
    """What a ladder does at one population group level.

    budget: whole level, rho (zcdp) or epsilon (puredp). thresholds: one a statistic, of noisy counts, non-decreasing;
    none where nothing is chosen. is_total_only: whether no group of the level gets a table. total_only: the iterations
    whose groups get none, by their codes, beside those that the lists say by a flag. shares: in which proportions the
    groups of each kind of iteration spend, by kind, where they spend unequally.
    """

    level: PopulationGroupLevel
    budget: Fraction
    thresholds: tuple[int, ...]
    is_total_only: bool = False
    total_only: tuple[str, ...] = ()
    shares: tuple[tuple[str, Fraction], ...] = ()


@table
class WrittenLevel:
    """A table of a file: budget and thresholds of each of some levels."""

    each: Annotated[Texts, Means("levels, such as COUNTY-1")]
    budget: Annotated[Budget, Means("of the whole level; 0: not tabulated")]
    thresholds: Annotated[Thresholds, Means("noisy totals from which a group gets each table")] = ()
    total_only: Annotated[
        bool | tuple[str, ...],
        ReadAs(Switch | Texts, lambda said: said),
        Fix(_ABOUT_TOTAL_ONLY),
        Means("true: totals alone; or the iterations that get a total alone"),
    ] = False
    shares: Annotated[
        Mapping[str, Annotated[Fraction, Decimal(0, LARGEST_SHARE, _ABOUT_SHARE, without_least=True)]],
        Means("in which proportions kinds of iterations spend"),
    ] = field(default_factory=dict, hash=False)

    def amiss(self) -> Iterator[Wrong]:
        """Thresholds of totals alone."""
        if self.total_only is True and self.thresholds:
            fix = "take thresholds out: they choose tables, and no group of this level gets one"
            yield Wrong("total_only is true, and there are thresholds", fix)

    @property
    def levels(self) -> tuple[LevelParameters, ...]:
        """What is written, of each level."""
        is_total_only = self.total_only is True
        codes = self.total_only if isinstance(self.total_only, tuple) else ()
        shares = tuple(self.shares.items())
        return tuple(
            LevelParameters(written_level(name), self.budget, self.thresholds, is_total_only, codes, shares)
            for name in self.each
        )


def _levels(written: Sequence[WrittenLevel]) -> tuple[LevelParameters, ...]:
    return tuple(level for each in written for level in each.levels)


ListedLevels = Annotated[
    tuple[LevelParameters, ...],
    ReadAs(
        Annotated[
            tuple[WrittenLevel, ...],
            Sized(1, fix='write a list of tables such as { each = ["COUNTRY-1"], budget = 0.5 }'),
        ],
        _levels,
    ),
]


@table
class Statistic:
    """A table: the product of one grouping each of some attributes, whose cells are measured."""

    name: Annotated[StatisticName, Means("what STATISTIC calls it")]
    cells: Annotated[ReadCells, Means("attributes, each with one of its groupings, or each")]


@table
class Ladder:
    """A total and an ordered list of statistics, coarse to fine, with budgets and thresholds by level.

    choose: what picks the statistic of a group: a noisy total, nothing (there is one, for every group), or a published
    total. subtotals: sums that are published with each statistic that refines them; "coarser": the cells of the
    statistics before. totals: folder of the totals; None where they are rows of the table. total_name: the name of the
    statistic that is a total alone. total_only: flag of the iterations that get a total alone.
    """

    name: Annotated[str, Name("a ladder", _LADDER_NAME, _ABOUT_NAME)]
    statistics: Annotated[
        tuple[Statistic, ...],
        Sized(
            1,
            MOST_STATISTICS,
            fix=f'write 1 to {MOST_STATISTICS} tables such as {{ name = "age", cells = {{ AGE = "each" }} }}',
        ),
        Means("the tables, coarse to fine"),
    ]
    levels: Annotated[ListedLevels, Means("budgets and thresholds")]
    choose: Annotated[Choose, Fix(among(get_args(Choose))), Means("what picks the table of a group")] = "stage 1"
    subtotals: Annotated[
        tuple[Cells, ...] | Literal["coarser"],
        Depending(
            lambda value, _: isinstance(value, str),
            Annotated[Literal["coarser"], Fix(_ABOUT_SUBTOTALS)],
            Annotated[
                tuple[ReadCells, ...],
                Sized(0, MOST_STATISTICS, fix=_ABOUT_SUBTOTALS),
            ],
        ),
        Means("sums that are published with each table"),
    ] = ()
    totals: Annotated[str | None, Text(_LADDER_NAME, _ABOUT_NAME), Means("a folder of its own for totals")] = None
    total_name: Annotated[StatisticName, Means("STATISTIC of a group that gets a total alone")] = "total"
    total_only: Annotated[str | None, Text(), Means("flag of the iterations that get a total alone")] = None

    def amiss(self) -> Iterator[Wrong]:
        """Statistics of one name, or too many of them, and levels that stand twice."""
        names = [each.name for each in self.statistics]
        if self.total_name in names:
            yield Wrong(f"a statistic is called '{self.total_name}', as the total is", "rename one of them")
        for name, count in Counter(names).items():
            if count > 1:
                yield Wrong(f"two statistics are called '{name}'", "rename one of them", ("statistics",))
        if self.choose == "always" and len(names) > 1:
            fix = "keep one: every group gets it, or say how a statistic is chosen"
            yield Wrong(f'{len(names)} statistics, and choose is "always"', fix, ("statistics",))
        for name, count in Counter(level.level.name for level in self.levels).items():
            if count > 1:
                yield Wrong(f"{name} stands twice", "keep it once", ("levels",))

    @property
    def folder(self) -> str:
        """The folder of its table in a release, and the name of the file in it."""
        return self.name.lower()

    @property
    def totals_folder(self) -> str | None:
        """The folder of its totals, if they have one."""
        return None if self.totals is None else self.totals.lower()

    @property
    def folders(self) -> tuple[str, ...]:
        """Its folders in a release."""
        return (self.folder,) if self.totals_folder is None else (self.totals_folder, self.folder)


def attributes_of(ladder: Ladder, attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes of a ladder, in the order of the parameters."""
    used = {name for statistic in ladder.statistics for name, _ in statistic.cells}
    return tuple(attribute for attribute in attributes if attribute.name in used)
