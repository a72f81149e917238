"""Population groups one by one: how their tables are drawn for papers and notebooks, as pyramids, panels or bars.

A table of a list of values by ranges of a number has one panel for each value, of bars as long as the ranges are wide;
two values make a pyramid. Every other table has a bar for each row.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from safetab_sql.kit.figures import INK, PALETTE, PAPER, Figure, figure
from safetab_sql.kit.words import said
from safetab_sql.report import marks
from safetab_sql.report.release import Reported, nouns
from safetab_sql.report.sections import LABELS, Row, Rows, Values
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Cells, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

Codes = tuple[str, ...]  # of a row, one for each column of attributes

OLDEST_AGE = 100  # years: where the bars of ages end, though the last age group is open
_LARGEST_AGE = 150  # years: attribute AGE counts years where its largest value is none above
_PANEL_WIDTH, _HEIGHT = 250, 340  # pixels
_STEP, _OPACITY = 20, 0.82  # of bars: pixels of each
_LINE: Figure = {"type": "rule", "color": INK, "strokeWidth": 1.4}  # across the end of a bar
_AXIS = ",~f"  # how the numbers of axes are shown


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows of a table that are drawn together. codes: of each row, one for each column of attributes.

    axis: the columns that tell rows apart. rows: what is drawn of each beside its count: its label, and in panels of
    ranges its value, start and top. values: the labels of the values with a panel of their own, where there are any;
    facet, number: what the values and the ranges are of, in words; per: the unit of their widths; end: where the axis
    of the ranges ends. Cells that have no range, such as not stated, are in no panel of ranges.
    """

    title: str
    axis: str
    codes: tuple[Codes, ...]
    rows: tuple[dict[str, Any], ...]
    values: tuple[str, ...] = ()
    facet: str = ""
    number: str = ""
    per: str = ""
    end: int = 0

    @property
    def is_pyramid(self) -> bool:
        """Whether its two halves look to the left and to the right."""
        return len(self.values) == 2


def words(name: str) -> str:
    """The name of an attribute in a sentence."""
    return name.replace("_", " ").lower()


def labelled(meanings: Mapping[str, str], codes: Codes) -> str:
    """The codes of an attribute as they are shown. meanings: of those that have one."""
    return "–".join(dict.fromkeys(meanings.get(code, code) for code in codes))


def panel_of(parameters: Parameters, ladder: Ladder, number: int) -> Panel:
    """The panel of a table of a ladder, from 1."""
    used, statistic = attributes_of(ladder, parameters.attributes), ladder.statistics[number - 1]
    by_name, cells = {attribute.name: attribute for attribute in used}, statistic.cells
    axis = ", ".join("–".join(by_name[name].publish) for name, _ in cells)
    lists, ranged = ([cell for cell in cells if by_name[cell[0]].is_listed is kind] for kind in (True, False))
    has_ranges = len(lists) == len(ranged) == 1
    ordered = (*lists, *ranged) if has_ranges else cells
    rows = list(cell_rows(used, ordered))
    of = [parameters.meanings.get(by_name[name].publish[0], {}) for name, _ in ordered]
    if not has_ranges:
        texts = [", ".join(labelled(*both) for both in zip(of, each, strict=True)) for each, _ in rows]
        return Panel(statistic.name, axis, tuple(codes for _, codes in rows), tuple({"label": text} for text in texts))
    ((name, how),), ((number_name, grouping),) = lists, ranged
    numbers = by_name[number_name]
    is_years = numbers.name == "AGE" and numbers.maximum <= _LARGEST_AGE
    end = OLDEST_AGE if is_years and numbers.maximum > OLDEST_AGE else numbers.maximum + 1
    values = [labelled(of[0], codes) for codes in by_name[name].grouping(how).codes]
    codes = tuple(codes for each, codes in rows if each[-1][0] not in numbers.beside)
    drawn = tuple({"value": value, **each} for value, each in product(values, list(_ranges(numbers, grouping, end))))
    per = LABELS["year"] if is_years else _label("unit_of", {"number": words(numbers.name)})
    return Panel(statistic.name, axis, codes, drawn, tuple(values), words(name), words(numbers.name), per, end)


def _label(name: str, values: Values) -> str:
    return said(LABELS[name], values)


def _ranges(numbers: Attribute, grouping: str, end: int) -> Iterator[dict[str, Any]]:
    """The ranges of a number, as they are drawn: label, start, and top, which is no more than the end of the axis."""
    members = numbers.grouping(grouping).members[: numbers.maximum - numbers.minimum + 1]
    for group in dict.fromkeys(members):
        own = [number for number, member in zip(numbers.numbers, members, strict=False) if member == group]
        first, last = own[0], own[-1]
        top = min(last + 1, end) if first < end else last + 1
        label = f"{first}" if first == last else f"{first}+" if last >= end else f"{first}–{last}"
        yield {"label": label, "start": first, "top": top}


def cell_rows(attributes: Sequence[Attribute], cells: Cells) -> Iterator[tuple[tuple[Codes, ...], Codes]]:
    """Each row with these cells, first attribute slowest: the codes of each of their attributes, and of all columns."""
    by_name = {attribute.name: attribute for attribute in attributes}
    groups = [by_name[name].grouping(grouping).codes for name, grouping in cells]
    for combination in product(*groups):
        of = dict(zip((name for name, _ in cells), combination, strict=True))
        codes = (code for each in attributes for code in of.get(each.name, (each.total,) * len(each.publish)))
        yield combination, tuple(codes)


# --- figures ---


def panel_figure(panel: Panel, title: str, unit: Unit, counts: Rows = ()) -> Figure:
    """The drawing of a panel. counts: of each row its count, low, high and moe95; none make a drawing without rows.

    low, high: the ends of the 95 % interval. moe95: half-width of the 95 % margin of error.
    """
    rows = [{**row, **count} for row, count in zip(panel.rows, counts, strict=bool(counts))]
    if not panel.values:
        return _bars(panel, title, unit.many, rows)
    ends = [
        (row["count"] + side * (row["moe95"] or 0)) / (row["top"] - row["start"]) for row in rows for side in (-1, 1)
    ]
    domain = [min(0.0, *ends), 1.02 * max(1.0, *ends)] if ends else [0.0, 1.0]
    halves = [_half(panel, place, domain, unit) for place in range(len(panel.values))]
    row = 3 if len(halves) == 3 else 2
    name = "pyramid" if panel.is_pyramid else "panels"
    said_values = {"number": len(panel.values), "what": panel.number, "values": panel.values}
    panels = [{"hconcat": halves[at : at + row], "spacing": 12} for at in range(0, len(halves), row)]
    return figure(title, _label(name, said_values), rows, {"vconcat": panels})


def _bars(panel: Panel, title: str, many: str, rows: Rows) -> Figure:
    """Bars, one a row, with their 95 % intervals."""
    x = marks.amount("count", many, {"tickCount": 6, "format": _AXIS})
    said = {"label": panel.axis, "count": many, "low": LABELS["from"], "high": LABELS["to"]}
    bars = marks.layer({**marks.BAR, "opacity": _OPACITY}, {"x": x})
    encoding = {"y": {**marks.LEVELS, "field": "label"}, "tooltip": _tips(said)}
    drawn = {"encoding": encoding, "layer": [bars, marks.across(_LINE, x, "low", "high")]}
    return figure(title, LABELS["bars"], rows, {"height": _STEP * len(panel.rows), **drawn})


def _tips(said: Mapping[str, str]) -> list[Figure]:
    """What a bar is read out as: the fields of its row, as they are called."""
    return [marks.tip(name, text, None if name in ("value", "label") else ",.1~f") for name, text in said.items()]


def _half(panel: Panel, place: int, domain: list[float], unit: Unit) -> Figure:
    """The bars and margins of one value; the ranges of a pyramid stand between its halves.

    Bars are counts per unit of the number, so that areas are counts, whatever the width of a range.
    """
    value, is_left = panel.values[place], panel.is_pyramid and place == 0
    scale = {"domain": domain, "reverse": is_left, "nice": False}
    title = _label("per", {"value": value, "per": panel.per})
    x = marks.amount("rate", title, {"tickCount": 4, "format": _AXIS}, scale)
    ticks: Figure = {"values": list(range(0, OLDEST_AGE + 1, 10))} if panel.end == OLDEST_AGE else {"tickCount": 8}
    if panel.is_pyramid:
        ticks |= {"labels": False} if is_left else {"offset": 2, "labelAlign": "center", "labelPadding": 12}
    elif place and len(panel.values) == 3:
        ticks |= {"labels": False}
    range_scale = {"domain": [panel.rows[0]["start"], panel.end], "nice": False}
    y = marks.amount("start", "", {**ticks, "grid": True, "domain": False, "ticks": False}, range_scale)
    bar = {"type": "rect", "color": PALETTE[place % len(PALETTE)], "stroke": PAPER, "strokeWidth": 1, "clip": True}
    called = nouns(unit)
    said = {"value": panel.facet, "label": panel.number, "count": called["people"], "moe95": _label("moe95", called)}
    width = "(datum.top - datum.start)"
    calculated = {
        "rate": f"datum.count / {width}",
        "least": f"(datum.count - datum.moe95) / {width}",
        "most": f"(datum.count + datum.moe95) / {width}",
        "middle": "(datum.start + datum.top) / 2",
    }
    bars = {"x": x, "x2": {"datum": 0}, "y": y, "y2": {"field": "top"}, "tooltip": _tips(said)}
    lines = marks.across(_LINE, x, "least", "most", {"y": {**y, "field": "middle"}, "tooltip": _tips(said)})
    transform = [{"calculate": expression, "as": name} for name, expression in calculated.items()]
    layers = [marks.layer({**bar, "opacity": _OPACITY}, bars), lines]
    drawn = {"layer": layers, "width": _PANEL_WIDTH, "height": _HEIGHT}
    return {"transform": [{"filter": {"field": "value", "equal": value}}, *transform], **drawn}


def largest_figures(release: Reported) -> Iterator[tuple[str, Figure]]:
    """The cells of the largest group of each ladder that has a table, of the nation where it has one, by file names."""
    for each in release.tables:
        found = largest_figure(release.facts.parameters, each.ladder, each.groups, release.names.group)
        if found is not None:
            is_only = len(release.tables) == 1
            panel, drawn = found
            shape = f"{panel.number}-pyramid" if panel.is_pyramid else "bars"
            yield shape if panel.is_pyramid and is_only else f"{shape}-{each.ladder.folder}", drawn


def largest_figure(
    parameters: Parameters, ladder: Ladder, groups: Rows, names: Callable[[Row], tuple[str, str]]
) -> tuple[Panel, Figure] | None:
    """The cells of the largest of some groups that has a table, one of the nation before others; None without any.

    groups: rows of reported_groups. names: gives the iteration and the region of one.
    """
    tables = [statistic.name for statistic in ladder.statistics]
    tabulated = [group for group in groups if group["statistic"] in tables]
    if not tabulated:
        return None
    group = max(tabulated, key=lambda group: (group["region_type"] == "USA", group["noisy_count"]))
    panel = panel_of(parameters, ladder, 1 + tables.index(group["statistic"]))
    title = ", ".join(names(group)) + ("" if panel.is_pyramid else f": {group['statistic']}")
    counts = counts_of(group)
    return panel, panel_figure(panel, title, parameters.unit, [counts[codes] for codes in panel.codes])


def counts_of(group: Row) -> dict[Codes, dict[str, float | None]]:
    """The counts of the table of a group, by their codes: count, low, high and moe95; none for a total alone."""
    return dict(zip(map(tuple, group["codes"] or ()), group["counts"] or (), strict=True))


def as_shown(value: float) -> float:
    """A count for the page: a whole number where it is one, and otherwise to a tenth."""
    return int(value) if value == int(value) else round(value, 1)
