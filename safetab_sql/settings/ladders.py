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
[ladders.DAYS]
sum = { clamp = [0, 30] }     # adds up the column DAYS, each record at least 0 and at most 30, in place of records
[ladders.WEIGHT]
sum = { decimals = 2, clamp = [0, 900] }   # of hundredths: 2.06, or 2,06, adds 206
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import Annotated, ClassVar, Literal

from annotated_types import Predicate

from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.markers import Integer, Switch, Texts, Word, Words, called, decimal, otherwise, text, whole
from safetab_sql.settings.tables import Wrong, depending, repeated, sized, sized_table, table, via
from safetab_sql.settings.unit import Unit


@dataclass(frozen=True, slots=True)
class PopulationGroupLevel:
    """A region type and an iteration level (of the 2020 Census: 1 regional, 2 detailed); each has its own budget."""

    region_type: str
    iteration_level: str

    @property
    def name(self) -> str:
        """`COUNTY-2`: the name that parameter files, ledgers and messages use."""
        return f"{self.region_type}-{self.iteration_level}"


@cache
def level_of_name(name: str) -> PopulationGroupLevel:
    """The level that `PopulationGroupLevel.name` names."""
    region_type, _, iteration_level = name.rpartition("-")
    return PopulationGroupLevel(region_type, iteration_level)


Choose = Literal["stage 1", "always", "published", "beside"]
Cells = tuple[tuple[str, str], ...]  # attribute and grouping, of each of some attributes
# Folders of a release that no ladder may have: of tables about the totals of ladders.
GROUP_INDEX, SUPPRESSED, MEASUREMENTS = "group_index", "suppressed", "measurements"
BESIDE = (GROUP_INDEX, SUPPRESSED, MEASUREMENTS)
CODES = "codes"  # the folder of the code lists of a release
COARSER: Literal["coarser"] = "coarser"
COUNTED = "exact_count"  # SQL column of how many records there are
MOST_LADDERS, MOST_STATISTICS = 20, 20
LARGEST_THRESHOLD = 2**62  # thresholds are compared with int64 counts
MOST_DECIMALS = 6  # of an amount
LARGEST_AMOUNT = 10**9  # of a record: of a billion records, the sum fits into int64
_ABOUT_CLAMP = (
    "write the least and the most that a record adds, two whole numbers from 0, the second above 0 and not below the "
    f"first, at most {LARGEST_AMOUNT:,}, such as [0, 30]"
)
_LADDER_NAME = "[A-Z][A-Z0-9_-]{0,31}"
_ABOUT_NAME = "use capitals, digits, _ and -, a capital first, at most 32 characters"
_ABOUT_BUDGET = "write a decimal such as 0.159, from 0 (level not tabulated) to 1e12, of at most 50 characters"
_ABOUT_TOTAL_ONLY = 'write true, or a list of iteration codes, each once and in quotes, such as ["1010", "1020"]'
_ABOUT_STATISTICS = f'write 1 to {MOST_STATISTICS} tables such as {{ name = "age", cells = {{ AGE = "each" }} }}'
_ABOUT_LISTED = 'write a list of tables such as { each = ["COUNTRY-1"], budget = 0.5 }'
_ABOUT_STATISTIC = r'write 1 to 60 characters in quotes, no dot first, none of them | / \ or "'
_ABOUT_SUBTOTALS = f'write "{COARSER}", or a list such as [{{ SEX = "each" }}]'


def about_thresholds(number: int) -> str:
    """What thresholds to write, and an example of so many."""
    example = [471, 971, 6971, *range(10_000, 10_000 * number, 10_000)][:number]
    one = f"write one integer for each statistic, none below the one before it, such as {example}"
    return f'{one}; or "10 margins", 1 to 99 of them: so many a cell then holds'


Budget = Annotated[Fraction, decimal(0, LARGEST_BUDGET, _ABOUT_BUDGET)]
StatisticName = Annotated[str, text(r"[^\x00-\x1f\x7f|\"/\\.][^\x00-\x1f\x7f|\"/\\]{0,59}", _ABOUT_STATISTIC)]
_Threshold = Annotated[int, whole(-LARGEST_THRESHOLD, LARGEST_THRESHOLD, "")]
_Rising = Predicate(lambda numbers: list(numbers) == sorted(numbers))
_Margins = Annotated[int, via(Annotated[str, text("[1-9][0-9]? margins?")], lambda said: int(said.split()[0]))]
Thresholds = Annotated[
    tuple[int, ...] | int,
    via(_Margins | Annotated[tuple[_Threshold, ...], sized(1), _Rising]),
    otherwise(about_thresholds(3)),
]
ReadCells = Annotated[
    Cells,
    via(
        Annotated[
            dict[str, Words], sized_table(1), otherwise('name attributes, and one grouping of each: { AGE = "each" }')
        ],
        lambda cells: tuple(cells.items()),
    ),
]


@dataclass(frozen=True, slots=True)
class LevelParameters:
    """What a ladder does at one population group level.

    budget: whole level, rho (zcdp) or epsilon (puredp). thresholds: one a statistic, of noisy counts, non-decreasing;
    none where nothing is chosen. margins: in their place, margins of error that a cell holds; 0 for none.
    is_total_only: no group of the level gets a table. total_only: codes of iterations whose groups get none.
    """

    level: PopulationGroupLevel
    budget: Fraction
    thresholds: tuple[int, ...]
    is_total_only: bool = False
    total_only: tuple[str, ...] = ()
    margins: int = 0


@table
class WrittenLevel:
    """A table of a file: budget and thresholds of each of some levels."""

    each: Annotated[Texts, "levels, such as COUNTY-1, that the rest of the table is for, one by one"]
    budget: Annotated[Budget, "rho or epsilon of the whole level; 0: it is not tabulated"]
    thresholds: Annotated[
        Thresholds,
        "noisy totals at which a group gets each table, rising; or `10 margins`: each is 10 margins of error of a "
        "cell times the cells of the table; required where a total picks the table",
    ] = ()
    total_only: Annotated[
        bool | tuple[str, ...],
        via(Switch | Texts),
        otherwise(_ABOUT_TOTAL_ONLY),
        "true: every group gets a total and no table; or codes of the iterations whose groups do",
    ] = False

    def amiss(self) -> Iterator[Wrong]:
        """Thresholds of totals alone."""
        if self.total_only is True and self.thresholds:
            fix = "take thresholds out: they choose tables, and no group of this level gets one"
            yield Wrong("total_only is true, and there are thresholds", fix)

    @property
    def levels(self) -> tuple[LevelParameters, ...]:
        """What is written, of each level, which is called region type, hyphen, level of the iterations."""
        is_total_only = self.total_only is True
        codes = self.total_only if isinstance(self.total_only, tuple) else ()
        numbers, margins = (self.thresholds, 0) if isinstance(self.thresholds, tuple) else ((), self.thresholds)
        how = (self.budget, numbers, is_total_only, codes, margins)
        return tuple(LevelParameters(level_of_name(name), *how) for name in self.each)


ListedLevels = Annotated[
    tuple[LevelParameters, ...],
    via(
        Annotated[tuple[WrittenLevel, ...], sized(1, fix=_ABOUT_LISTED)],
        lambda written: tuple(level for each in written for level in each.levels),
    ),
]


@table
class Sum:
    """What a ladder adds up in place of records: a column of numbers, clamped record by record."""

    clamp: Annotated[
        tuple[Integer, Integer],
        Predicate(lambda clamp: 0 <= clamp[0] <= clamp[1] <= LARGEST_AMOUNT and clamp[1] > 0),
        otherwise(_ABOUT_CLAMP),
        "the least and the most that a record adds; noise is made for the most",
    ]
    column: Annotated[Words, "column of a record, of numbers; by default the name of the ladder"] = ""
    decimals: Annotated[
        int,
        whole(0, MOST_DECIMALS, f"write how many decimals count, 0 to {MOST_DECIMALS}"),
        "how many decimals of an amount count; `clamp` and SUM are in units of the last: with 2, hundredths",
    ] = 0

    @property
    def units(self) -> str:
        """What one unit of the sum is: DAYS, or WEIGHT (1 = 0.01) where two decimals count."""
        return f"{self.column} (1 = 0.{'1':0>{self.decimals}})" if self.decimals else self.column

    @property
    def words(self) -> str:
        """What a count of the ladder is: sum of DAYS, of each record 0 to 30."""
        return f"sum of {self.units}, of each record {self.clamp[0]} to {self.clamp[1]:,}"


@dataclass(frozen=True, slots=True)
class Amount:
    """What a ladder adds up, as statements know it. name: SQL column of what a record adds. least, most: of a record.

    decimals: that count. ladder: in small letters what `unit.leave_out` calls records without an amount.
    """

    name: str
    ladder: str
    column: str
    least: int
    most: int
    decimals: int = 0

    @property
    def given(self) -> str:
        """SQL column name of its raw value, as the file has it."""
        return f"{self.name}_given"


@table
class Statistic:
    """A table: the product of one grouping each of some attributes, whose cells are measured."""

    name: Annotated[StatisticName, "its name in STATISTIC"]
    cells: Annotated[ReadCells, "attributes, each with one of its groupings, or `each`"]


@table
class Ladder:
    """A total and an ordered list of statistics, coarse to fine, with budgets and thresholds by level.

    subtotals: "coarser" stands for the cells of the statistics before. totals: None where they are rows of the table.
    beside: the other ladder picks the tables, and nothing is spent on a choice.
    """

    name: Annotated[str, called("a ladder", _LADDER_NAME, _ABOUT_NAME)]
    statistics: Annotated[
        tuple[Statistic, ...], sized(1, MOST_STATISTICS, fix=_ABOUT_STATISTICS), "the tables, coarse to fine"
    ]
    levels: Annotated[ListedLevels, "the budget of each level"]
    choose: Annotated[Choose, "picks the table of a group: a noisy total, nothing, or totals of `run --totals`"] = (
        "stage 1"
    )
    subtotals: Annotated[
        tuple[Cells, ...] | Literal["coarser"],
        depending(
            lambda value: isinstance(value, str),
            Annotated[Literal["coarser"], otherwise(_ABOUT_SUBTOTALS)],
            Annotated[tuple[ReadCells, ...], sized(0, MOST_STATISTICS, fix=_ABOUT_SUBTOTALS)],
        ),
        "sums that are published with each table that refines them",
    ] = ()
    totals: Annotated[
        str | None, text(_LADDER_NAME, _ABOUT_NAME), "a folder of its own for totals; else they are rows of the table"
    ] = None
    total_name: Annotated[StatisticName, "the name of a total alone in STATISTIC"] = "total"
    total_only: Annotated[
        Word, "True/False column of the lists: iterations with True there get a total and no table"
    ] = None
    sum: Annotated[Sum | None, "adds up a column in place of records"] = None
    beside: Annotated[Word, "a ladder: the same groups, each with the table of the same number; no thresholds"] = None

    exclusive: ClassVar = (
        ("beside", "choose", "take choose out: the other ladder says it"),
        ("beside", "total_only", "take total_only out: the other ladder says it"),
    )

    def amiss(self) -> Iterator[Wrong]:
        """Statistics of one name, or too many of them, levels that stand twice, and two answers to one question."""
        names = [each.name for each in self.statistics]
        if self.total_name in names:
            yield Wrong(f"a statistic is called '{self.total_name}', as the total is", "rename one of them")
        for name in repeated(names):
            yield Wrong(f"two statistics are called '{name}'", "rename one of them", ("statistics",))
        if self.choose == "beside" and self.beside is None:
            yield Wrong('choose is "beside", and no ladder is named', 'name it, such as beside = "STAYS"')
        if self.choose == "always" and len(names) > 1:
            fix = "keep one: every group gets it, or say how a statistic is chosen"
            yield Wrong(f'{len(names)} statistics, and choose is "always"', fix, ("statistics",))
        for name in repeated(level.level.name for level in self.levels):
            yield Wrong(f"{name} stands twice", "keep it once", ("levels",))

    def completed(self, _: Mapping[str, object]) -> "Ladder":
        """With the column that it adds up by default, and what picks its tables."""
        own = None if self.sum is None else replace(self.sum, column=self.sum.column or self.name)
        return replace(self, sum=own, choose=self.choose if self.beside is None else "beside")

    @property
    def most_change(self) -> int:
        """By how much a record changes a count of it at most: by 1, or by the most that a record adds to a sum."""
        return 1 if self.sum is None else self.sum.clamp[1]

    def called(self, unit: Unit) -> Unit:
        """The unit, whose records are called what the ladder adds up."""
        named = None if self.sum is None else f"of {self.sum.units}"
        return unit if named is None else replace(unit, one=f"unit {named}", many=f"units {named}")

    @property
    def counted(self) -> str:
        """The column of its published tables that holds what is counted, or added up."""
        return "COUNT" if self.sum is None else "SUM"

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


def amounts(ladders: Sequence[Ladder]) -> tuple[Amount, ...]:
    """What the ladders of sums add up, in the order of the ladders."""
    return tuple(
        Amount(f"amount_{number}", each.name, each.sum.column, *each.sum.clamp, each.sum.decimals)
        for number, each in enumerate(ladders, start=1)
        if each.sum is not None
    )


def attributes_of(ladder: Ladder, attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes of a ladder, in the order of the parameters."""
    used = {name for statistic in ladder.statistics for name, _ in statistic.cells}
    return tuple(attribute for attribute in attributes if attribute.name in used)


Codes = tuple[str, ...]  # a published code for each column


@dataclass(frozen=True, slots=True)
class _Group:
    """What a row holds of an attribute. values: their positions; none where the row sums up all."""

    codes: Codes
    values: frozenset[int]


_Row = tuple[_Group, ...]  # of each attribute of a ladder, in the order of the parameters


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
    the last number of each attribute of whole numbers, None where the row sums up all or holds no number. sizes: number
    of cells of each statistic, 1, 2, ... measured: statistic (0 for the total alone), cell and row of each measured
    cell that is a row. sums: statistic, cell and row of each cell that a row adds up with others. finest: row and
    finest cell of each finest cell that a row adds up.
    """

    codes: tuple[Codes, ...]
    numbers: tuple[tuple[int | None, ...], ...]
    sizes: tuple[int, ...]
    measured: tuple[tuple[int, int, int], ...]
    sums: tuple[tuple[int, int, int], ...]
    finest: tuple[tuple[int, int], ...]


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
    used = dict.fromkeys(each for cells in all_cells(ladders) for each in cells)
    classes: dict[str, tuple[int, ...]] = {}
    for attribute in attributes:
        members = [attribute.grouping(grouping).members for name, grouping in used if name == attribute.name]
        numbers: dict[tuple[int, ...], int] = {}
        kinds = zip(*members, strict=True) if members else [()] * attribute.size
        classes[attribute.name] = tuple(numbers.setdefault(kind, len(numbers)) for kind in kinds)
    sizes = [len(set(each)) for each in classes.values()]
    return FinestCells(classes, dict(zip(classes, strides_of(sizes), strict=True)), prod(sizes))


def strides_of(sizes: Sequence[int]) -> list[int]:
    """How far two neighbours of each dimension are apart in the numbers of cells: the first is the slowest."""
    return [prod(sizes[place + 1 :]) for place in range(len(sizes))]


@lru_cache(maxsize=64)  # every level asks
def ladder_rows(ladder: Ladder, attributes: tuple[Attribute, ...], ladders: tuple[Ladder, ...]) -> LadderRows:
    """The rows of a ladder. attributes: of all ladders. Raises: ValueError where a code stands for different values."""
    own, finest = attributes_of(ladder, attributes), finest_cells(attributes, ladders)
    totals: list[Cells] = [()] if ladder.totals is None else []
    statistics = [list(_cells(own, statistic.cells)) for statistic in ladder.statistics]
    measured = [(0, 0, row) for cells in totals for row in _cells(own, cells)]
    sums: list[tuple[int, int, _Row]] = []
    rows = dict.fromkeys(row for *_, row in measured)
    for number, cells in enumerate(statistics, start=1):
        own_cells = set(cells)
        measured += [(number, place, row) for place, row in enumerate(cells)]
        finer, before = ladder.statistics[number - 1].cells, [each.cells for each in ladder.statistics[: number - 1]]
        wanted = before if ladder.subtotals == COARSER else [of for of in ladder.subtotals if refines(finer, of, own)]
        pairs = [(of, place, row) for of in (*totals, *wanted) for place, row in enumerate(cells)]
        coarser = [(number, place, _coarser(own, row, of)) for of, place, row in pairs]
        summed = [each for each in dict.fromkeys(coarser) if each[-1] not in own_cells]
        rows |= dict.fromkeys([*cells, *(row for *_, row in summed)])
        sums += summed
    meanings: dict[tuple[str, Codes], frozenset[int]] = {}
    for attribute, group in (held for row in rows for held in zip(own, row, strict=True)):
        if meanings.setdefault((attribute.name, group.codes), group.values) != group.values:
            raise ValueError(f"{attribute.name} publishes {'-'.join(group.codes)} for different values")
    # In the order of each attribute: all of its values first, then by first value, coarser first.
    ordered = sorted(rows, key=lambda row: [(min(group.values, default=-1), -len(group.values)) for group in row])
    order = {row: number for number, row in enumerate(ordered)}
    return LadderRows(
        codes=tuple(tuple(code for group in row for code in group.codes) for row in order),
        numbers=tuple(tuple(_numbers(own, row)) for row in order),
        sizes=tuple(map(len, statistics)),
        measured=tuple((number, place, order[row]) for number, place, row in measured),
        sums=tuple((number, place, order[row]) for number, place, row in sums),
        finest=tuple((number, cell) for row, number in order.items() for cell in _finest(own, row, finest)),
    )


def refines(finer: Cells, coarser: Cells, attributes: Sequence[Attribute]) -> bool:
    """Whether every cell of `coarser` is a sum of cells of `finer`."""
    groupings, by_name = dict(finer), {attribute.name: attribute for attribute in attributes}
    for name, grouping in coarser:
        if name not in groupings:
            return False
        fine, coarse = (_grouped(by_name[name], each).members for each in (groupings[name], grouping))
        if len(set(zip(fine, coarse, strict=True))) > len(set(fine)):
            return False
    return True


@lru_cache(maxsize=256)
def _grouped(attribute: Attribute, grouping: str) -> Grouping:
    return attribute.grouping(grouping)


@lru_cache(maxsize=256)
def _groups(attribute: Attribute, grouping: str) -> tuple[_Group, ...]:
    found = _grouped(attribute, grouping)
    values: list[set[int]] = [set() for _ in found.codes]
    for value, group in enumerate(found.members):
        values[group].add(value)
    return tuple(_Group(codes, frozenset(each)) for codes, each in zip(found.codes, values, strict=True))


def _all(attribute: Attribute) -> _Group:
    return _Group((attribute.total,) * len(attribute.publish), frozenset())


def _cells(attributes: Sequence[Attribute], cells: Cells) -> Iterator[_Row]:
    """The cells of a statistic in their order: first attribute slowest."""
    by_name = {attribute.name: attribute for attribute in attributes}
    for groups in product(*(_groups(by_name[name], grouping) for name, grouping in cells)):
        held = dict(zip(dict(cells), groups, strict=True))
        yield tuple(held.get(attribute.name) or _all(attribute) for attribute in attributes)


def _coarser(attributes: Sequence[Attribute], row: _Row, cells: Cells) -> _Row:
    """The cell of the coarser `cells` that holds a row."""
    groupings, found = dict(cells), []
    for attribute, group in zip(attributes, row, strict=True):
        by = groupings.get(attribute.name)
        within = None if by is None else _groups(attribute, by)[_grouped(attribute, by).members[min(group.values)]]
        found.append(within or _all(attribute))
    return tuple(found)


def _numbers(attributes: Sequence[Attribute], row: _Row) -> Iterator[int | None]:
    """The first and the last number of each attribute of whole numbers; None where the row sums up all, or has none."""
    for attribute, group in zip(attributes, row, strict=True):
        if not attribute.is_listed:
            ends = (min(group.values), max(group.values)) if group.values else ()
            numbers = [attribute.minimum + end for end in ends]
            yield from numbers if numbers and numbers[1] <= attribute.maximum else (None, None)


def _finest(attributes: Sequence[Attribute], row: _Row, finest: FinestCells) -> Iterator[int]:
    held = {attribute.name: group.values for attribute, group in zip(attributes, row, strict=True)}
    terms = []
    for name, classes in finest.classes.items():
        values = held.get(name) or range(len(classes))
        terms.append(sorted({classes[value] * finest.strides[name] for value in values}))
    return map(sum, product(*terms))
