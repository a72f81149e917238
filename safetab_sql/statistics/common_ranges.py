"""What can be asked for of two groups whose tables differ: the unions of cells that both tables have.

Source: change.md section 2.
"""

from collections.abc import Iterator, Mapping, Sequence

from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.settings.parameters import Parameters

Table = Mapping[str, tuple[Attribute, Grouping]]  # the attributes of a table by name, and how it groups them


def table_of(parameters: Parameters, ladder_name: str, stat_level: int) -> Table:
    """The table of a stat level; nothing for a total alone."""
    ladder = next(each for each in parameters.ladders if each.name == ladder_name)
    by_name = {attribute.name: attribute for attribute in attributes_of(ladder, parameters.attributes)}
    cells = ladder.statistics[stat_level - 1].cells if stat_level else ()
    return {name: (by_name[name], by_name[name].grouping(grouping)) for name, grouping in cells}


def common_unions(tables: Sequence[Table]) -> str:
    """The smallest values of each attribute that all tables have as unions of cells, for messages."""
    names = [name for name in tables[0] if all(name in table for table in tables)]
    return " and ".join(f"{name} {', '.join(_unions([table[name] for table in tables]))}" for name in names)


def _unions(groupings: Sequence[tuple[Attribute, Grouping]]) -> Iterator[str]:
    if groupings[0][0].is_listed:
        yield from _unions_of_values(groupings)
        return
    starts = sorted(set.intersection(*(_starts(*each) for each in groupings)))
    last = min(attribute.maximum for attribute, _ in groupings)
    for start, following in zip(starts, [*starts[1:], last + 1], strict=True):
        yield f"{start}-{following - 1}" if following - 1 > start else str(start)
    yield from (each for each in groupings[0][0].beside if all(each in other.beside for other, _ in groupings))


def _starts(attribute: Attribute, grouping: Grouping) -> set[int]:
    """The first number of each group."""
    members = grouping.members[: attribute.size - len(attribute.beside)]
    return {
        attribute.minimum + value for value, group in enumerate(members) if value == 0 or group != members[value - 1]
    }


def _unions_of_values(groupings: Sequence[tuple[Attribute, Grouping]]) -> Iterator[str]:
    unions: list[set[str]] = []
    for attribute, grouping in groupings:
        listed: dict[int, set[str]] = {}
        for (value,), group in zip(attribute.grouping("each").codes, grouping.members, strict=True):
            listed.setdefault(group, set()).add(value)
        for found in listed.values():
            joined = found.union(*(union for union in unions if union & found))
            unions = [*(union for union in unions if not union & found), joined]
    yield from sorted(" with ".join(sorted(union)) for union in unions)
