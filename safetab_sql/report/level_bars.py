"""What the sections by level share: the groups of each level, and bars of shares."""

from collections.abc import Mapping, Sequence

from safetab_sql.kit.figures import INK, PALETTE, Figure
from safetab_sql.report.release import Reported

STEP = {"step": 26}  # pixels a level, of bars and dots
LEVEL_AXIS: Figure = {"field": "level", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}


def groups_by_level(release: Reported) -> dict[str, int]:
    """Published population groups by level."""
    sizes: dict[str, int] = {}
    for kind in release.kinds:
        sizes[kind.level] = sizes.get(kind.level, 0) + kind.population_groups
    return sizes


def share_bars(rows: Sequence[Mapping[str, object]], field: str, names: list[str], opacities: list[float]) -> Figure:
    """Bars of shares that fill up to 100 %, one per level, one hue: the darker, the more; and the number of groups.

    The legend has the names that have data.
    """
    sizes: dict[object, int] = {}
    for row in rows:
        sizes[row["level"]] = sizes.get(row["level"], 0) + int(str(row["groups"]))
    counted = [{"level": level, "share": 1, "size": f"{size:,}"} for level, size in sizes.items()]
    present = {row[field] for row in rows if row["groups"]}
    drawn = [place for place, name in enumerate(names) if name in present]
    names, opacities = [names[place] for place in drawn], [opacities[place] for place in drawn]
    opacity = {"type": "ordinal", "domain": names, "range": opacities}
    x = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1]}}
    percent = {"format": ".0%", "title": "share of published population groups", "tickCount": 5, "grid": False}
    bars = {
        "mark": {"type": "bar", "color": PALETTE[0], "height": {"band": 0.72}},
        "encoding": {
            "x": {**x, "stack": "zero", "axis": percent},
            "y": LEVEL_AXIS,
            "order": {"field": "order"},
            "opacity": {
                "field": field,
                "type": "ordinal",
                "sort": names,
                "scale": opacity,
                "legend": {"title": None, "symbolFillColor": PALETTE[0], "symbolStrokeWidth": 0},
            },
            "tooltip": [
                {"field": "level", "title": "level"},
                {"field": field},
                {"field": "groups", "format": ",", "title": "population groups"},
                {"field": "share", "format": ".1%"},
            ],
        },
    }
    sizes_beside = {
        "data": {"values": counted},
        "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
        "encoding": {"x": x, "y": LEVEL_AXIS, "text": {"field": "size"}},
    }
    return {"height": STEP, "layer": [bars, sizes_beside]}
