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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Annotated, Literal, get_args

from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.budgets import LARGEST_BUDGET
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


@dataclass(frozen=True, slots=True)
class PopulationGroupLevel:
    """A region type and an iteration level (of the 2020 Census: 1 regional, 2 detailed); each has its own budget.

    kind: alone, combination or the name of a question of one column, where shares divide the budget by kind of
    iteration; None where all iterations of the level are alike.
    """

    region_type: str
    iteration_level: str
    kind: str | None = None

    @property
    def name(self) -> str:
        """`COUNTY-2`, or `COUNTY-2 alone`: the name that parameter files, ledgers and messages use."""
        name = f"{self.region_type}-{self.iteration_level}"
        return name if self.kind is None else f"{name} {self.kind}"


def written_level(name: str) -> PopulationGroupLevel:
    """The level that a parameter file calls so: region type, hyphen, level of the iterations."""
    region_type, _, iteration_level = name.rpartition("-")
    return PopulationGroupLevel(region_type, iteration_level)


def level_of_name(name: str) -> PopulationGroupLevel:
    """The level that `PopulationGroupLevel.name` names."""
    region_type, _, rest = name.rpartition("-")
    iteration_level, _, kind = rest.partition(" ")
    return PopulationGroupLevel(region_type, iteration_level, kind or None)


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
    tuple[int, ...], ReadAs(_SomeThresholds, tuple), Fix(about_thresholds("one integer for each statistic", 3))
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

    each: Annotated[Texts, Means("levels, such as COUNTY-1, that the rest of the table is for, one by one")]
    budget: Annotated[Budget, Means("rho or epsilon of the whole level; 0: it is not tabulated")]
    thresholds: Annotated[
        Thresholds,
        Means("noisy totals at which a group gets each table, rising; required where a total picks the table"),
    ] = ()
    total_only: Annotated[
        bool | tuple[str, ...],
        ReadAs(Switch | Texts, lambda said: said),
        Fix(_ABOUT_TOTAL_ONLY),
        Means("true: every group gets a total and no table; or codes of the iterations whose groups do"),
    ] = False
    shares: Annotated[
        Mapping[str, Annotated[Fraction, Decimal(0, LARGEST_SHARE, _ABOUT_SHARE, without_least=True)]],
        Means("in which proportions kinds of iterations spend; by default all spend alike"),
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

    name: Annotated[StatisticName, Means("what STATISTIC says")]
    cells: Annotated[ReadCells, Means("attributes, each with one of its groupings, or `each`")]


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
    levels: Annotated[ListedLevels, Means("what each level spends")]
    choose: Annotated[
        Choose,
        Fix(among(get_args(Choose))),
        Means("what picks the table of a group: a noisy total, nothing, or totals of `run --totals`"),
    ] = "stage 1"
    subtotals: Annotated[
        tuple[Cells, ...] | Literal["coarser"],
        Depending(
            lambda value, _: isinstance(value, str),
            Annotated[Literal["coarser"], Fix(_ABOUT_SUBTOTALS)],
            Annotated[tuple[ReadCells, ...], Sized(0, MOST_STATISTICS, fix=_ABOUT_SUBTOTALS)],
        ),
        Means("sums that are published with each table that refines them"),
    ] = ()
    totals: Annotated[
        str | None,
        Text(_LADDER_NAME, _ABOUT_NAME),
        Means("a folder of its own for totals; else they are rows of the table"),
    ] = None
    total_name: Annotated[StatisticName, Means("what STATISTIC says of a total alone")] = "total"
    total_only: Annotated[
        str | None, Text(), Means("True/False column of the lists: iterations with True there get a total and no table")
    ] = None

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


Row = tuple[tuple[str, str, int], ...]  # attribute, grouping and group, of each attribute that the row does not sum up
Codes = tuple[str, ...]  # a published code for each column


@dataclass(frozen=True, slots=True)
class FinestCells:
    """The cells that no statistic of any ladder splits: combinations of classes of values that no grouping splits.

    classes: of each attribute, the class of each value, by position. strides: of each attribute, how far two classes
    that follow each other are apart in the numbers of finest cells. cells: how many finest cells there are.
    """

    classes: Mapping[str, tuple[int, ...]]
    strides: Mapping[str, int]
    cells: int


@dataclass(frozen=True, slots=True)
class LadderRows:
    """The rows of a ladder's table, and the cells of its statistics.

    codes: of each row, the published code for each column, in the order of rows. numbers: of each row, the first and
    the last number of each attribute of whole numbers, None where the row sums up all. sizes: number of cells of each
    statistic, 1, 2, ... measured: statistic (0 for the total alone), cell and row of each measured cell that is a row.
    sums: statistic, cell and row of each cell that a row adds up with others. finest: row and finest cell of each
    finest cell that a row adds up.
    """

    codes: tuple[Codes, ...]
    numbers: tuple[tuple[int | None, ...], ...]
    sizes: tuple[int, ...]
    measured: tuple[tuple[int, int, int], ...]
    sums: tuple[tuple[int, int, int], ...]
    finest: tuple[tuple[int, int], ...]

    @property
    def summed_counts(self) -> tuple[int, ...]:
        """How many measured cells a published count may add up: one, the cells of a row, or a whole table."""
        rows: dict[tuple[int, int], int] = {}
        for statistic, _, row in self.sums:
            rows[statistic, row] = rows.get((statistic, row), 0) + 1
        return tuple(sorted({1, *self.sizes, *rows.values()}))


def all_cells(ladders: Iterable[Ladder]) -> list[Cells]:
    """The cells of every statistic, and of every subtotal."""
    return [
        cells
        for ladder in ladders
        for cells in (
            *(statistic.cells for statistic in ladder.statistics),
            *(() if ladder.subtotals == COARSER else ladder.subtotals),
        )
    ]


def finest_cells(attributes: Sequence[Attribute], ladders: Sequence[Ladder]) -> FinestCells:
    """The finest cells of these ladders. attributes: those that the ladders use, in the order of the parameters."""
    used: dict[str, dict[str, None]] = {attribute.name: {} for attribute in attributes}
    for cells in all_cells(ladders):
        for name, grouping in cells:
            used[name][grouping] = None
    classes, strides, stride = {}, {}, 1
    for attribute in reversed(attributes):
        members = [attribute.grouping(name).members for name in used[attribute.name]]
        numbers: dict[tuple[int, ...], int] = {}
        kinds = list(zip(*members, strict=True)) if members else [()] * attribute.size
        classes[attribute.name] = tuple(numbers.setdefault(kind, len(numbers)) for kind in kinds)
        strides[attribute.name] = stride
        stride *= len(numbers)
    return FinestCells(classes, strides, stride)


def first_statistic(ladders: Sequence[Ladder], ladder: Ladder) -> int:
    """The id of the first statistic of a ladder: statistics are numbered 1, 2, ... ladder by ladder, coarse to fine."""
    before = ladders[: [each.name for each in ladders].index(ladder.name)]
    return 1 + sum(len(each.statistics) for each in before)


def statistic_finest_cells(
    attributes: Sequence[Attribute], finest: FinestCells, cells: Cells
) -> Iterator[tuple[int, int]]:
    """Each finest cell, and the cell of a statistic that it belongs to; cells are numbered first attribute slowest."""
    by_name = {attribute.name: attribute for attribute in attributes}
    groupings = {name: by_name[name].grouping(grouping) for name, grouping in cells}
    terms = []  # of each attribute, what each class adds to the number of the cell
    for attribute in attributes:
        names = [name for name, _ in cells]
        place = names.index(attribute.name) if attribute.name in names else None
        stride = prod(len(groupings[name].codes) for name in names[place + 1 :]) if place is not None else 0
        classes = _representatives(finest.classes[attribute.name])
        members = groupings[attribute.name].members if place is not None else None
        terms.append([0 if members is None else members[value] * stride for value in classes])
    for position, combination in enumerate(product(*terms)):
        yield position, sum(combination)


def _representatives(classes: Sequence[int]) -> list[int]:
    """The position of the first value of each class."""
    firsts: dict[int, int] = {}
    for value, class_ in enumerate(classes):
        firsts.setdefault(class_, value)
    return [firsts[class_] for class_ in range(len(firsts))]


def ladder_rows(ladder: Ladder, attributes: Sequence[Attribute], finest: FinestCells) -> LadderRows:
    """The rows of a ladder. attributes, finest: of all ladders.

    Raises: ValueError where a code stands for different values.
    """
    own = attributes_of(ladder, attributes)
    made = _Rows(own, {}, {})
    measured: list[tuple[int, int, Codes]] = []
    sums: list[tuple[int, int, Codes]] = []
    if ladder.totals is None:
        measured.append((0, 0, made.codes(())))
    for number, statistic in enumerate(ladder.statistics, start=1):
        cells = list(made.rows(statistic.cells))
        own_codes = dict.fromkeys(made.codes(cell) for cell in cells)
        measured += [(number, place, codes) for place, codes in enumerate(own_codes)]
        summed: dict[tuple[int, Codes], None] = {}
        for wanted in (*([()] if ladder.totals is None else []), *subtotals_of(ladder, number, own)):
            for place, cell in enumerate(cells):
                codes = made.codes(made.coarser(cell, wanted))
                if codes not in own_codes:
                    summed[place, codes] = None
        sums += [(number, place, codes) for place, codes in summed]
    order = {codes: row for row, codes in enumerate(sorted(made.known, key=made.sort_key))}
    return LadderRows(
        codes=tuple(order),
        numbers=tuple(made.numbers(codes) for codes in order),
        sizes=tuple(
            prod(len(_grouping(own, each).codes) for each in statistic.cells) for statistic in ladder.statistics
        ),
        measured=tuple((number, place, order[codes]) for number, place, codes in measured),
        sums=tuple((number, place, order[codes]) for number, place, codes in sums),
        finest=tuple((order[codes], cell) for codes in order for cell in made.finest(codes, attributes, finest)),
    )


def refines(finer: Cells, coarser: Cells, attributes: Sequence[Attribute]) -> bool:
    """Whether every cell of `coarser` is a sum of cells of `finer`."""
    groupings = dict(finer)
    for name, grouping in coarser:
        if name not in groupings:
            return False
        fine, coarse = (_grouping(attributes, (name, each)).members for each in (groupings[name], grouping))
        if len(set(zip(fine, coarse, strict=True))) > len(set(fine)):
            return False
    return True


def subtotals_of(ladder: Ladder, number: int, attributes: Sequence[Attribute]) -> list[Cells]:
    """The cells of the subtotals that are published with a statistic."""
    cells = ladder.statistics[number - 1].cells
    if ladder.subtotals == COARSER:
        return [statistic.cells for statistic in ladder.statistics[: number - 1]]
    return [each for each in ladder.subtotals if refines(cells, each, attributes)]


def _grouping(attributes: Sequence[Attribute], cells: tuple[str, str]) -> Grouping:
    name, grouping = cells
    return _grouped(next(attribute for attribute in attributes if attribute.name == name), grouping)


@lru_cache(maxsize=256)
def _grouped(attribute: Attribute, grouping: str) -> Grouping:
    return attribute.grouping(grouping)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows that were made so far. known: by their codes. meanings: the values of each code of each attribute."""

    attributes: Sequence[Attribute]
    known: dict[Codes, Row]
    meanings: dict[tuple[str, Codes], frozenset[int]]

    def rows(self, cells: Cells) -> Iterator[Row]:
        """The cells of a statistic in their order: first attribute slowest."""
        sizes = [range(len(_grouping(self.attributes, each).codes)) for each in cells]
        for groups in product(*sizes):
            yield tuple((name, grouping, group) for (name, grouping), group in zip(cells, groups, strict=True))

    def coarser(self, cell: Row, cells: Cells) -> Row:
        """The cell of the coarser `cells` that holds `cell`."""
        found = []
        groups = {name: (grouping, group) for name, grouping, group in cell}
        for name, grouping in cells:
            value = _grouping(self.attributes, (name, groups[name][0])).members.index(groups[name][1])
            found.append((name, grouping, _grouping(self.attributes, (name, grouping)).members[value]))
        return tuple(found)

    def codes(self, row: Row) -> Codes:
        """The published codes of a row, known from now on. Raises: ValueError where a code means other values."""
        of = {name: _grouping(self.attributes, (name, grouping)).codes[group] for name, grouping, group in row}
        for name, values in self._values(row).items():
            if self.meanings.setdefault((name, of[name]), values) != values:
                raise ValueError(f"{name} publishes {'-'.join(of[name])} for different values")
        codes = tuple(
            code
            for attribute in self.attributes
            for code in of.get(attribute.name, (attribute.total,) * len(attribute.publish))
        )
        self.known.setdefault(codes, row)
        return codes

    def _values(self, row: Row) -> dict[str, frozenset[int]]:
        return {name: _values_of(self.attribute(name), grouping, group) for name, grouping, group in row}

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    def sort_key(self, codes: Codes) -> tuple[tuple[int, int], ...]:
        """Rows come in the order of each attribute: all of its values first, then by first value, coarser first."""
        values = self._values(self.known[codes])
        return tuple(
            (min(values[each.name]), -len(values[each.name])) if each.name in values else (-1, 0)
            for each in self.attributes
        )

    def numbers(self, codes: Codes) -> tuple[int | None, ...]:
        """The first and the last number of each attribute of whole numbers; None where the row sums up all."""
        found: list[int | None] = []
        values = self._values(self.known[codes])
        for attribute in self.attributes:
            held = [attribute.minimum + position for position in values.get(attribute.name, ())]
            if not attribute.is_listed:
                found += (min(held), max(held)) if held else (None, None)
        return tuple(found)

    def finest(self, codes: Codes, attributes: Sequence[Attribute], finest: FinestCells) -> Iterator[int]:
        """The finest cells of a row. attributes, finest: of all ladders."""
        values = self._values(self.known[codes])
        classes = []
        for attribute in attributes:
            all_classes = finest.classes[attribute.name]
            held = values.get(attribute.name, range(attribute.size))
            classes.append(sorted({all_classes[value] for value in held}))
        strides = [finest.strides[attribute.name] for attribute in attributes]
        for combination in product(*classes):
            yield sum(class_ * stride for class_, stride in zip(combination, strides, strict=True))


@lru_cache(maxsize=4_096)
def _values_of(attribute: Attribute, grouping: str, group: int) -> frozenset[int]:
    members = _grouped(attribute, grouping).members
    return frozenset(value for value, member in enumerate(members) if member == group)
