"""The age pyramids of the report: the figure, and all population groups of nation and states packed for the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from safetab_sql.report.figures import INK, PALETTE, PAPER, Figure, figure
from safetab_sql.report.release import Release
from safetab_sql.report.states import region_name

Row = dict[str, object]

OLDEST_AGE = 100  # years: where the pyramid ends, though the last age group is open
_PANEL_WIDTH, _HEIGHT = 250, 340  # pixels
_SEXES = (("male", PALETTE[0]), ("female", PALETTE[1]))


def pyramid_rows(group: Mapping[str, Any]) -> list[Row]:
    """One row per sex and age group of a row of reported_groups that has a table.

    Bars are people per year of age, so that areas are people, whatever the width of an age group; so are low and high,
    the ends of the 95 % margin of error. `count` and `moe95` are as published, persons.
    """
    moe95 = group["cell_moe95"]
    rows: list[Row] = []
    for sex, counts in (("male", group["male_counts"]), ("female", group["female_counts"])):
        for start, end, count in zip(group["age_starts"], group["age_ends"], counts, strict=True):
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


def pyramid_figure(title: str, rows: Sequence[Row]) -> Figure:
    """The age pyramid of `rows`: two panels that share their scale, men to the left, women to the right."""
    ends = [float(str(row[end])) for row in rows for end in ("low", "high")]
    domain = [min(0.0, *ends), 1.02 * max(1.0, *ends)] if ends else [0.0, 1.0]
    panels = [_panel(sex, color, domain, is_left=sex == "male") for sex, color in _SEXES]
    return figure(
        title,
        "Two panels of horizontal bars, one bar per age group: men to the left, women to the right. Lines across "
        "the ends of "
        "the bars are 95 % margins of error.",
        rows,
        {"hconcat": panels, "spacing": 12},
    )


def packed_groups(release: Release) -> dict[str, object]:
    """The groups of nation and states, without saying anything twice.

    regions: [region type, id, name]. iterations: [code, name]. layouts: [first ages, last ages]. kinds: [margin of a
    cell or null, of the total, place of the layout or null]. groups: one object per region, of parallel lists: i
    places of iterations, n totals, k places of kinds; and c, the cells of those with a table, men before women.
    """
    regions = _Places()
    iterations = _Places()
    layouts = _Places()
    kinds = _Places()
    packed: list[dict[str, list[int]]] = []
    for group in release.groups.to_pylist():
        region, code = (group["region_type"], group["region_id"]), group["iteration_code"]
        layout = None if group["age_starts"] is None else layouts.of((*group["age_starts"], -1, *group["age_ends"]))
        place = regions.of((*region, region_name(*region)))
        if place == len(packed):
            packed.append({"i": [], "n": [], "k": [], "c": []})
        own = packed[place]
        own["i"].append(iterations.of((code, release.names.get(code, ""))))
        own["n"].append(group["noisy_count"])
        own["k"].append(kinds.of((_number(group["cell_moe95"]), _number(group["total_moe95"]), layout)))
        if layout is not None:
            own["c"] += [*group["male_counts"], *group["female_counts"]]
    return {
        "regions": list(regions.found),
        "iterations": list(iterations.found),
        "layouts": [_ages(ages) for ages in layouts.found],
        "kinds": list(kinds.found),
        "groups": packed,
    }


def largest_table(release: Release) -> Mapping[str, Any] | None:
    """The group with a table that has the largest total, those of the nation before all others; None without any."""
    tables = [group for group in release.groups.to_pylist() if group["age_starts"] is not None]
    return max(tables, key=lambda group: (group["region_type"] == "USA", group["noisy_count"]), default=None)


class _Places:
    """Values in the order in which they were first met, and the place of each."""

    def __init__(self) -> None:
        self.found: dict[tuple[Any, ...], int] = {}

    def of(self, value: tuple[Any, ...]) -> int:
        return self.found.setdefault(value, len(self.found))


def _ages(layout: tuple[int, ...]) -> list[list[int]]:
    half = layout.index(-1)
    return [list(layout[:half]), list(layout[half + 1 :])]


def _number(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


def _panel(sex: str, color: str, domain: list[float], *, is_left: bool) -> Figure:
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
        {"field": "count", "title": "people", "format": ","},
        {"field": "moe95", "title": "MOE95, persons", "format": ","},
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
