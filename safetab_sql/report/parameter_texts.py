"""The parameters of a run in words: questions, unit, parts, attributes and tables of one's own."""

from collections.abc import Iterator, Mapping, Sequence

from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Table
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import COARSER, Cells, Ladder
from safetab_sql.settings.parameters import Parameters


def parameter_texts(parameters: Parameters) -> dict[str, str]:
    """What a page says of those parameters that are more than a number or a list, by their names in a manifest."""
    unit, geography = parameters.unit, parameters.geography
    said = [f"{unit.one}, {unit.many}"]
    said += [f"counted where {_conditions(unit.where)}"] if unit.where else []
    said += [f"one record for each {unit.id}"] if unit.id else []
    said += [f"left out without a usable {', '.join(unit.leave_out)}"] if unit.leave_out else []
    return {
        "unit": "; ".join(said),
        "questions": "; ".join(f"{each.name}: {', '.join(each.columns)}" for each in parameters.questions.all),
        "parts": "; ".join(
            f"{part.name} where {_conditions(part.where)}" if part.where else part.name for part in geography.parts
        ),
    }


def _conditions(where: Mapping[str, Sequence[str]]) -> str:
    return " and ".join(f"{column} is {' or '.join(values)}" for column, values in where.items())


def own_parameter_tables(release: Reported) -> Iterator[Table]:
    """The attributes and the tables of a release with tables of its own."""
    if not release.own_tables:
        return
    attributes = release.facts.parameters.attributes
    yield Table(
        "Attributes",
        ("Attribute", "Column of records", "Values", "Published as"),
        tuple((each.name, each.column, _values(each), ", ".join(each.publish)) for each in attributes),
    )
    yield Table(
        "Tables, from coarse to fine",
        ("Ladder", "Table", "Cells", "Sums beside them"),
        tuple(
            (own.ladder.name, statistic.name, _cells(statistic.cells), _sums(own.ladder))
            for own in release.own_tables
            for statistic in own.ladder.statistics
        ),
    )


def _values(attribute: Attribute) -> str:
    if attribute.is_listed:
        return ", ".join(attribute.values)
    return f"{attribute.minimum} to {attribute.maximum}"


def _cells(cells: Cells) -> str:
    return " by ".join(f"{name} ({grouping})" for name, grouping in cells)


def _sums(ladder: Ladder) -> str:
    if ladder.subtotals == COARSER:
        return "the cells of coarser tables"
    return "; ".join(_cells(cells) for cells in ladder.subtotals) or "none"
