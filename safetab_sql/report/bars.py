"""The bars of the report: the tables of one's own of the population groups that the page shows, packed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from safetab_sql.kit.figures import INK, PALETTE, Figure, figure
from safetab_sql.report.names import iteration_name, region_name
from safetab_sql.report.own_tables import Codes, OwnTables, cell_rows
from safetab_sql.report.places import Places, as_shown, region_order
from safetab_sql.report.release import Reported
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Cells, Ladder, subtotals_of

Row = dict[str, object]

_STEP = 20  # pixels a bar


def bars_figure(title: str, many: str, rows: Sequence[Row]) -> Figure:
    """Bars, one for each of `rows`, with their 95 % intervals. many: what is counted.

    rows: label, count, low and high, the ends of the interval.
    """
    y = {"field": "label", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}
    x = {"type": "quantitative", "axis": {"title": many, "tickCount": 6, "format": ",~f"}}
    tooltip = [
        {"field": "label", "title": "row"},
        {"field": "count", "title": many, "format": ",.1~f"},
        {"field": "low", "title": "from", "format": ",.1~f"},
        {"field": "high", "title": "to", "format": ",.1~f"},
    ]
    bars = {
        "mark": {"type": "bar", "color": PALETTE[0], "opacity": 0.82, "height": {"band": 0.72}},
        "encoding": {"x": {**x, "field": "count"}, "tooltip": tooltip},
    }
    intervals = {
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.4},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "tooltip": tooltip},
    }
    return figure(
        title,
        "Horizontal bars, one for each row of the table. Lines across their ends are 95 % intervals.",
        rows,
        {"height": {"step": _STEP}, "encoding": {"y": y}, "layer": [bars, intervals]},
    )


def packed_tables(release: Reported) -> dict[str, object]:
    """The groups that are shown one by one for the page's script, each text stored once.

    regions: [region type, id, name]. iterations: [code, name]. layouts: of each table of each ladder, the ladder, its
    name and its panels: title, axis, labels, and of each label the place of its count. spans: [count less the lower
    end of its interval, upper end less count]. tables: one list per region, of groups: place of the iteration, place of
    the layout, counts, places of spans; the first count is the total. What is no whole number is given to a tenth.
    independent: whether the noise of different groups is.
    """
    regions, iterations, spans = Places(), Places(), Places()
    layouts: list[dict[str, object]] = []
    packed: list[list[list[object]]] = []
    for own in release.own_tables:
        found, places_of = _layouts(release, own)
        first, names = len(layouts), [own.ladder.total_name, *(each.name for each in own.ladder.statistics)]
        layouts += found
        for group in own.groups:
            region = (group["region_type"], group["region_id"])
            place = regions.of((*region, region_name(release.names, *region)))
            if place == len(packed):
                packed.append([])
            number = names.index(group["statistic"])
            counts = list(_counts(group, places_of[number]))
            packed[place].append(
                [
                    iterations.of((group["iteration_code"], release.names.iterations.get(group["iteration_code"], ""))),
                    first + number,
                    [as_shown(count) for count, _, _ in counts],
                    [spans.of((as_shown(count - low), as_shown(high - count))) for count, low, high in counts],
                ]
            )
    order = sorted(range(len(packed)), key=lambda place: region_order(release)(regions.values[place]))
    return {
        "regions": [regions.values[place] for place in order],
        "iterations": iterations.values,
        "layouts": layouts,
        "spans": spans.values,
        "independent": release.facts.reconciled is None,
        "tables": [packed[place] for place in order],
    }


def _counts(group: Mapping[str, Any], places: Mapping[Codes, int]) -> Iterator[tuple[float, float, float]]:
    """The total of a group, then its counts in the order of its layout, each with the ends of its interval."""
    yield group["noisy_count"], group["total_low95"], group["total_high95"]
    rows = zip(*(group[name] or () for name in ("codes", "noisy_counts", "low95s", "high95s")), strict=True)
    found = {tuple(codes): counts for codes, *counts in rows}
    for codes in places:
        count, low, high = found[codes]
        yield count, low, high


def _layouts(release: Reported, own: OwnTables) -> tuple[list[dict[str, object]], list[dict[Codes, int]]]:
    """The layouts of a ladder's tables, of a total alone first; and of each, the place of every count by its codes."""
    prefix = f"{own.ladder.name}: " if len(release.own_tables) > 1 else ""
    layouts: list[dict[str, object]] = [
        {"ladder": own.ladder.name, "name": f"{prefix}{own.ladder.total_name}", "panels": []}
    ]
    places_of: list[dict[Codes, int]] = [{}]
    for number, statistic in enumerate(own.ladder.statistics, start=1):
        places: dict[Codes, int] = {}
        panels: list[dict[str, object]] = []
        seen: list[set[Codes]] = []
        for cells in (*subtotals_of(own.ladder, number, own.attributes), statistic.cells):
            rows = list(_rows(own.attributes, cells))
            if {codes for _, codes in rows} in seen:
                continue
            seen.append({codes for _, codes in rows})
            panels.append(
                {
                    "title": _title(own.ladder, cells),
                    "axis": _axis(own.attributes, cells),
                    "labels": [label for label, _ in rows],
                    "places": [places.setdefault(codes, 1 + len(places)) for _, codes in rows],
                }
            )
        layouts.append({"ladder": own.ladder.name, "name": f"{prefix}{statistic.name}", "panels": panels})
        places_of.append(places)
    return layouts, places_of


def _title(ladder: Ladder, cells: Cells) -> str:
    """The name of the table with these cells; of sums that are no table, the names of the attributes."""
    named = [statistic.name for statistic in ladder.statistics if statistic.cells == cells]
    return named[0] if named else " by ".join(name for name, _ in cells)


def _axis(attributes: Sequence[Attribute], cells: Cells) -> str:
    """The columns that tell the rows of these cells, as the tables call them."""
    by_name = {attribute.name: attribute for attribute in attributes}
    return ", ".join("–".join(by_name[name].publish) for name, _ in cells)


def largest_bars(release: Reported) -> Iterator[tuple[str, Figure]]:
    """The bars of the finest cells of the largest group of each ladder that has a table, by names for files."""
    for own in release.own_tables:
        statistics = {statistic.name: statistic for statistic in own.ladder.statistics}
        groups = [group for group in own.groups if group["statistic"] in statistics]
        if groups:
            group = max(groups, key=lambda group: group["noisy_count"])
            statistic, code = statistics[group["statistic"]], group["iteration_code"]
            rows = list(_rows(own.attributes, statistic.cells))
            counts = list(_counts(group, {codes: place for place, (_, codes) in enumerate(rows)}))[1:]
            drawn: list[Row] = [
                {"label": label, "count": count, "low": low, "high": high}
                for (label, _), (count, low, high) in zip(rows, counts, strict=True)
            ]
            where = region_name(release.names, group["region_type"], group["region_id"])
            title = f"{iteration_name(release.names, code)}, {where}: {statistic.name}"
            yield f"bars-{own.ladder.folder}", bars_figure(title, release.facts.parameters.unit.many, drawn)


def _rows(attributes: Sequence[Attribute], cells: Cells) -> Iterator[tuple[str, Codes]]:
    """The label and the codes of each row of these cells, first attribute slowest."""
    for combination, codes in cell_rows(attributes, cells):
        yield ", ".join("–".join(dict.fromkeys(each)) for each in combination), codes
