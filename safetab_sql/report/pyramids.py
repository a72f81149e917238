"""The age pyramids of the report: the figure, and the population groups of the regions that the page shows, packed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from safetab_sql.kit.figures import INK, PALETTE, PAPER, Figure, figure
from safetab_sql.report.names import region_name
from safetab_sql.report.places import Places, as_shown, region_order
from safetab_sql.report.release import Reported
from safetab_sql.report.shares import parts_of, share_ends
from safetab_sql.settings.unit import Unit

Row = dict[str, object]

OLDEST_AGE = 100  # years: where the pyramid ends, though the last age group is open
_PANEL_WIDTH, _HEIGHT = 250, 340  # pixels
_SEXES = (("male", PALETTE[0]), ("female", PALETTE[1]))


def pyramid_rows(group: Mapping[str, Any]) -> list[Row]:
    """One row per sex and age group of a row of reported_groups that has a table.

    Bars are people per year of age, so that areas are people, whatever the width of an age group; so are low and high,
    the ends of the 95 % margin of error. `count` and `moe95` are as published, persons.
    """
    rows: list[Row] = []
    for sex in ("male", "female"):
        columns = (group["age_starts"], group["age_ends"], group[f"{sex}_counts"], group[f"{sex}_moe95s"])
        for start, end, count, moe95 in zip(*columns, strict=True):
            top = min(end + 1, OLDEST_AGE) if start < OLDEST_AGE else end + 1
            years = top - start
            rows.append(
                {
                    "sex": sex,
                    "age": f"{start}" if end == start else f"{start}+" if end > OLDEST_AGE else f"{start}–{end}",
                    "start": start,
                    "top": top,
                    "middle": (start + top) / 2,
                    "rate": count / years,
                    "low": (count - moe95) / years,
                    "high": (count + moe95) / years,
                    "count": count,
                    "moe95": moe95,
                }
            )
    return rows


def pyramid_figure(title: str, unit: Unit, rows: Sequence[Row]) -> Figure:
    """The age pyramid of `rows`: two panels that share their scale, men to the left, women to the right.

    unit: what a record is.
    """
    ends = [float(str(row[end])) for row in rows for end in ("low", "high")]
    domain = [min(0.0, *ends), 1.02 * max(1.0, *ends)] if ends else [0.0, 1.0]
    panels = [_panel(sex, color, domain, unit, is_left=sex == "male") for sex, color in _SEXES]
    return figure(
        title,
        "Two panels of horizontal bars, one bar per age group: men to the left, women to the right. Lines across "
        "the ends of the bars are 95 % margins of error.",
        rows,
        {"hconcat": panels, "spacing": 12},
    )


def packed_groups(release: Reported) -> dict[str, object]:
    """The groups that are shown one by one for the page's script, each text stored once; the nation first.

    regions: [region type, id, name]. iterations: [code, name]. layouts: [first ages, last ages]. kinds: [margin of a
    cell, or null where cells have margins of their own; total less the lower end of its interval; upper end less total;
    place of the layout or null]. parts: [name, sex or null for both, first age, last age or null]. independent: whether
    the noise of different groups is. groups: one object per region, of parallel lists: i places of iterations, n
    totals, k places of kinds; and of those with a table c, the cells, men before women, m, the margins of cells that
    have their own, and s, the ends of the share of each part, tenths of a per cent. Persons;
    what is no whole number (of a reconciled release) to a tenth.
    """
    regions, iterations, layouts, kinds = (Places() for _ in range(4))
    packed: list[dict[str, list[float]]] = []
    order = region_order(release)
    groups = release.groups.to_pylist()
    groups.sort(key=lambda group: (*order((group["region_type"], group["region_id"])), group["iteration_code"]))
    parts = parts_of(release.facts, groups)
    shares = iter(share_ends(release.facts, groups, parts))
    for group in groups:
        region, code = (group["region_type"], group["region_id"]), group["iteration_code"]
        has_table = group["age_starts"] is not None
        margins = [as_shown(moe95) for sex in _SEXES for moe95 in group[f"{sex[0]}_moe95s"] or ()]
        margin = margins[0] if len(set(margins)) == 1 else None
        layout = layouts.of((*group["age_starts"], -1, *group["age_ends"])) if has_table else None
        place = regions.of((*region, region_name(release.names, *region)))
        if place == len(packed):
            packed.append({"i": [], "n": [], "k": [], "c": [], "m": [], "s": []})
        own = packed[place]
        own["i"].append(iterations.of((code, release.names.iterations.get(code, ""))))
        own["n"].append(as_shown(group["noisy_count"]))
        own["k"].append(kinds.of((margin, *_reach(group), layout)))
        if has_table:
            own["c"] += [as_shown(count) for count in (*group["male_counts"], *group["female_counts"])]
            own["m"] += margins if margin is None else []
            own["s"] += next(shares)
    return {
        "regions": regions.values,
        "iterations": iterations.values,
        "layouts": [_ages(ages) for ages in layouts.values],
        "kinds": kinds.values,
        "parts": [(part.name, part.sex, part.first, part.last) for part in parts],
        "independent": release.facts.reconciled is None,
        "groups": packed,
    }


def _reach(group: Mapping[str, Any]) -> tuple[float, float]:
    """How far the interval of a total reaches below it, and above."""
    count = group["noisy_count"]
    return as_shown(count - group["total_low95"]), as_shown(group["total_high95"] - count)


def largest_table(groups: pa.Table) -> Mapping[str, Any] | None:
    """The largest group of the nation that has a table; else the largest of any region; None where no group has one.

    groups: reported_groups.
    """
    tables = groups.filter(pc.is_valid(groups["age_starts"])).to_pylist()
    return max(tables, key=lambda group: (group["region_type"] == "USA", group["noisy_count"]), default=None)


def _ages(layout: tuple[int, ...]) -> list[list[int]]:
    half = layout.index(-1)
    return [list(layout[:half]), list(layout[half + 1 :])]


def _panel(sex: str, color: str, domain: list[float], unit: Unit, *, is_left: bool) -> Figure:
    """The bars and margins of one sex; the ages stand between the panels."""
    x = {
        "field": "rate",
        "type": "quantitative",
        "scale": {"domain": domain, "reverse": is_left, "nice": False},
        "axis": {"title": f"{sex}, per year of age", "tickCount": 4, "format": ",~f"},
    }
    ages = {"title": None, "values": list(range(0, OLDEST_AGE + 1, 10)), "grid": True, "domain": False}
    hidden = {**ages, "labels": False, "ticks": False}
    y = {
        "field": "start",
        "type": "quantitative",
        "scale": {"domain": [0, OLDEST_AGE], "nice": False},
        "axis": hidden
        if is_left
        else {**ages, "offset": 2, "ticks": False, "labelAlign": "center", "labelPadding": 12},
    }
    tooltip = [
        {"field": "sex"},
        {"field": "age", "title": "ages"},
        {"field": "count", "title": unit.people, "format": ",.1~f"},
        {"field": "moe95", "title": f"MOE95, {unit.many}", "format": ",.1~f"},
    ]
    bars = {
        "mark": {"type": "rect", "color": color, "opacity": 0.82, "stroke": PAPER, "strokeWidth": 1, "clip": True},
        "encoding": {"x": x, "x2": {"datum": 0}, "y": y, "y2": {"field": "top"}, "tooltip": tooltip},
    }
    middle = {**y, "field": "middle"}
    margins = {
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.4},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": middle, "tooltip": tooltip},
    }
    return {
        "width": _PANEL_WIDTH,
        "height": _HEIGHT,
        "transform": [{"filter": {"field": "sex", "equal": sex}}],
        "layer": [bars, margins],
    }
