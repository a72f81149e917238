"""The values with which statements count and publish the tables of ladders."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.attributes import Attribute, columns_of
from safetab_sql.public.ladder_rows import (
    FinestCells,
    LadderRows,
    finest_cells,
    first_statistic,
    ladder_rows,
    statistic_finest_cells,
)
from safetab_sql.public.ladders import Ladder, attributes_of
from safetab_sql.public.parameters import Parameters, ladder_levels, tabulated_levels


def counting_values(parameters: Parameters) -> dict[str, object]:
    """Values that say how records fall into finest cells, and finest cells into the cells of all statistics."""
    attributes, ladders = parameters.attributes, parameters.ladders
    finest = finest_of(parameters)
    listed = [
        (attribute.name, number, class_ * finest.strides[attribute.name])
        for attribute in attributes
        for number, class_ in zip(attribute.numbers, finest.classes[attribute.name], strict=True)
    ]
    cells = [
        (number, position, cell)
        for ladder in ladders
        for number, statistic in enumerate(ladder.statistics, start=first_statistic(ladders, ladder))
        for position, cell in statistic_finest_cells(attributes, finest, statistic.cells)
    ]
    return {
        "attributes": [attribute_names(attribute) for attribute in attributes],
        **_columns(("attribute_names", "value_numbers", "class_offsets"), listed),
        **_columns(("statistic_ids", "finest_positions", "cell_positions"), cells),
    }


def attribute_names(attribute: Attribute) -> dict[str, str]:
    """What statements call an attribute: the number of its value, its name as a text, and its values as a table."""
    number, _ = columns_of(attribute.name)
    return {
        "name": number,
        "quoted": quoted_name(number),
        "text": literal(attribute.name),
        "quoted_values": quoted_name(f"{attribute.name}_values"),
    }


def ladder_level_values(parameters: Parameters) -> dict[str, object]:
    """Values that say which levels each ladder tabulates, and where it publishes a total alone."""
    ids = {level: number for number, level in enumerate(tabulated_levels(parameters), start=1)}
    without = {kind.name: kind.without or "" for kind in parameters.region_types}
    levels = [
        (
            number,
            ids[level.level],
            ladder.total_only or "",
            ladder.choose == "published",
            _joined(level.thresholds),
            level,
        )
        for number, ladder in enumerate(parameters.ladders, start=1)
        for level in ladder_levels(parameters, ladder)
    ]
    named = [
        (number, level_id, level.level, iteration)
        for number, level_id, *_, level in levels
        for iteration in ([""] if level.is_total_only else level.total_only)
    ]
    names = ("ladder_ids", "ladder_level_ids", "ladder_total_only", "ladder_by_totals", "ladder_thresholds")
    return {
        **_columns(names, [each[:5] for each in levels]),
        "total_only_ladder_ids": [number for number, _, _, _ in named],
        "total_only_level_ids": [level_id for _, level_id, _, _ in named],
        "total_only_names": [level.name for _, _, level, _ in named],
        "total_only_levels": [level.iteration_level for _, _, level, _ in named],
        "total_only_without": [without[level.region_type] for _, _, level, _ in named],
        "total_only_iterations": [iteration for _, _, _, iteration in named],
    }


def _joined(thresholds: Sequence[int]) -> str:
    return ", ".join(map(str, thresholds))


def publishing_values(parameters: Parameters, ladder: Ladder) -> dict[str, object]:
    """Values with which statements publish one ladder."""
    rows = rows_of(parameters, ladder)
    totals = {row for statistic, _, row in rows.measured if statistic == 0}
    names = [column for attribute in attributes_of(ladder, parameters.attributes) for column in attribute.publish]
    codes, numbers = zip(*rows.codes, strict=True), zip(*rows.numbers, strict=True)
    return {
        "ladder_id": ladder_id(parameters, ladder),
        "level_prefix": level_prefix(parameters, ladder),
        "share_columns": [
            {"name": f"share_stat_level_{number}", "stat_level": str(number)}
            for number in range(1 + max(len(each.statistics) for each in parameters.ladders))
        ],
        "ladder_columns": [
            {"name": name, "quoted": quoted_name(name), "codes": literal(list(listed))}
            for name, listed in zip(names, codes, strict=True)
        ],
        "number_columns": [
            {"name": name, "quoted": quoted_name(name), "numbers": _numbers(listed)}
            for name, listed in zip(number_columns(parameters, ladder), numbers, strict=True)
        ],
        "other_columns": [
            {"name": name, "quoted": quoted_name(name)} for name in published_columns(parameters) if name not in names
        ],
        "table_name": ladder.name,
        "totals_name": ladder.totals or "",
        "has_totals": ladder.totals is not None,
        "ladder_rows": len(rows.codes),
        "published_statistics": [ladder.total_name, *(statistic.name for statistic in ladder.statistics)],
        "statistic_names": [ladder.total_name, *(statistic.name for statistic in ladder.statistics)],
        **_columns(("measured_stat_levels", "measured_cells", "measured_rows"), rows.measured),
        **_columns(("summed_stat_levels", "summed_cells", "summed_rows"), rows.sums),
        **_columns(("held_rows", "held_finest_positions"), [each for each in rows.finest if each[0] not in totals]),
    }


def _numbers(listed: Sequence[int | None]) -> str:
    """Numbers, some of which may be missing, as a list of the engine."""
    return f"[{', '.join('null' if each is None else str(each) for each in listed)}]"


def number_columns(parameters: Parameters, ladder: Ladder) -> tuple[str, ...]:
    """The columns of whole numbers in the published table of a ladder: two for each attribute of numbers."""
    return tuple(
        column for attribute in attributes_of(ladder, parameters.attributes) for column in attribute.number_columns
    )


def templated_columns(parameters: Parameters, ladder: Ladder) -> dict[str, dict[str, str]]:
    """The columns that stand for a template in the header of a published table, and what each holds; by template."""
    numbers = {
        column: f"{what} {attribute.name} of the row, a whole number; NULL for all"
        for attribute in attributes_of(ladder, parameters.attributes)
        for what, column in zip(("first", "last"), attribute.number_columns, strict=False)
    }
    return {"ladder_columns": column_meanings(parameters, ladder), "number_columns": numbers}


def column_meanings(parameters: Parameters, ladder: Ladder) -> dict[str, str]:
    """What each column of the attributes of a ladder holds in its published table."""
    meanings = {}
    for attribute in attributes_of(ladder, parameters.attributes):
        whats = ("first", "last") if len(attribute.publish) == 2 else ("code",)
        for column, what in zip(attribute.publish, whats, strict=True):
            of = f"{what} {attribute.name} of the range" if what != "code" else f"{attribute.name}, a code"
            meanings[column] = f"{of}; {attribute.total} for all"
    for column, (total, *codes) in ((column, said.items()) for column, said in parameters.meanings.items()):
        listed = ", ".join(f"{code} {meaning}" for code, meaning in codes)
        meanings[column] = f"{listed}; {total[0]} for {total[1]}"
    return meanings


def published_columns(parameters: Parameters) -> tuple[str, ...]:
    """The columns of attributes in the published tables of all ladders."""
    used = {
        attribute.name for ladder in parameters.ladders for attribute in attributes_of(ladder, parameters.attributes)
    }
    return tuple(column for each in parameters.attributes if each.name in used for column in each.publish)


def level_prefix(parameters: Parameters, ladder: Ladder) -> str:
    """What stands before the names of a ladder's levels: nothing where it is the only ladder."""
    return "" if len(parameters.ladders) == 1 else f"{ladder.name} "


def ladder_id(parameters: Parameters, ladder: Ladder) -> int:
    """The number of a ladder: 1, 2, ... in the order of the parameters."""
    return 1 + [each.name for each in parameters.ladders].index(ladder.name)


def rows_of(parameters: Parameters, ladder: Ladder) -> LadderRows:
    """The published rows of a ladder."""
    return _rows_of(ladder, tuple(parameters.attributes), tuple(parameters.ladders))


@lru_cache(maxsize=64)  # every level asks
def _rows_of(ladder: Ladder, attributes: tuple[Attribute, ...], ladders: tuple[Ladder, ...]) -> LadderRows:
    return ladder_rows(ladder, attributes, finest_cells(attributes, ladders))


def finest_of(parameters: Parameters) -> FinestCells:
    """The finest cells of the run."""
    return finest_cells(parameters.attributes, parameters.ladders)


def _columns(names: Sequence[str], rows: Iterable[Sequence[object]]) -> dict[str, object]:
    """The rows column by column, each under its name."""
    listed = list(rows)
    return {name: [row[place] for row in listed] for place, name in enumerate(names)}
