"""The rows of a ladder as cells of cubes: the value of each attribute that a row is of, and where it stands."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from safetab_sql.export.contents import Contents
from safetab_sql.public.values import rows_of
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Ladder, attributes_of


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension: its codes in their order, and what each is called."""

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]


def column(attribute: Attribute, taken: Collection[str]) -> str:
    """What an attribute is called beside columns whose names are taken."""
    return f"{attribute.name}_VALUE" if attribute.name in taken else attribute.name


@dataclass(frozen=True)
class Rows:
    """The rows of a ladder. One more row, after the last, stands for totals that stand apart from its table."""

    contents: Contents
    ladder: Ladder

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of the ladder."""
        return attributes_of(self.ladder, self.contents.parameters.attributes)

    @cached_property
    def codes(self) -> list[tuple[str, ...]]:
        """Of each row, the code of each attribute; of one with two columns it is as 0-17, or 17."""
        rows = [*rows_of(self.contents.parameters, self.ladder).codes]
        rows.append(tuple(attribute.total for attribute in self.attributes for _ in attribute.publish))
        return [tuple(self._joined(row)) for row in rows]

    def _joined(self, row: Sequence[str]) -> Iterator[str]:
        place = 0
        for attribute in self.attributes:
            yield "-".join(dict.fromkeys(row[place : place + len(attribute.publish)]))
            place += len(attribute.publish)

    def rows_of_statistic(self, number: int) -> list[int]:
        """The rows that a group with a statistic has, sums and total included. number: 0 of a total alone."""
        rows = rows_of(self.contents.parameters, self.ladder)
        found = {row for statistic, _, row in (*rows.measured, *rows.sums) if statistic == number}
        return sorted(found | ({len(rows.codes)} if self.ladder.totals is not None else set()))

    def dimensions(self, number: int, taken: Collection[str]) -> list[Dimension]:
        """The attributes with the values that the rows of a statistic have, totals first. taken: as of `column`."""
        return [
            Dimension(column(attribute, taken), codes, self._labels(attribute, codes))
            for attribute, codes in zip(self.attributes, self._values(number), strict=True)
        ]

    def _labels(self, attribute: Attribute, codes: Sequence[str]) -> tuple[str, ...]:
        """What codes are called, with the codes where two are called alike."""
        labels = [self.label(attribute, code) for code in codes]
        is_clear = len(set(labels)) == len(labels)
        return tuple(label if is_clear else f"{label}, {code}" for code, label in zip(codes, labels, strict=True))

    def cells(self, number: int) -> list[int | None]:
        """The row of each cell of the cube of a statistic, the last attribute fastest; None where it has none."""
        rows = {self.codes[row]: row for row in self.rows_of_statistic(number)}
        return [rows.get(codes) for codes in product(*self._values(number))]

    def _values(self, number: int) -> list[tuple[str, ...]]:
        """Of each attribute, the codes that the rows of a statistic have, the one for all first."""
        rows = [self.codes[row] for row in self.rows_of_statistic(number)]
        found = [[attribute.total, *(row[place] for row in rows)] for place, attribute in enumerate(self.attributes)]
        return [tuple(dict.fromkeys(codes if codes[0] in codes[1:] else codes[1:])) for codes in found]

    def label(self, attribute: Attribute, code: str) -> str:
        """What a code of an attribute is called."""
        listed = self.contents.codes.get(attribute.publish[0], ()) if len(attribute.publish) == 1 else ()
        return next((row[1] for row in listed if row[0] == code and row[1]), "all" if code == attribute.total else code)
