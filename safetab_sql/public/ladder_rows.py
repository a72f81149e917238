"""The cells and published rows of ladders: which cells a row adds up, and which finest cell a value belongs to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from safetab_sql.public.attributes import Attribute, Grouping
from safetab_sql.public.ladders import COARSER, Cells, Ladder, attributes_of

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
        """How many measured cells a published count may add up: one, those of a row, or a whole table."""
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
