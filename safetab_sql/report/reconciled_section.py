"""The sections on what `reconcile` changed in a release, for the report on a reconciled folder."""

from safetab_sql.kit.figures import Figure, figure
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Cell, Section, Table, chart

_STEP = {"step": 40, "for": "position"}  # pixels a level
_ROUND_NUMBERS = [0, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000]  # persons


def reconciliation_section(release: Reported) -> Section:
    """Which counts were changed, why, and what this page therefore does not show."""
    done = release.facts.reconciled
    if done is None:
        raise ValueError("the release was not reconciled")
    whole = " They are unbiased whole numbers." if done.integers else ""
    return Section(
        id="reconciliation",
        title="What reconciliation did",
        paragraphs=(
            f"These are not the counts as they were released. On {release.facts.made_on} they were changed, by least "
            f"squares, so that regions add up to the region that they divide, and tables to their totals.{whole} The "
            "released counts are in the tables too, in column NOISY_COUNT.",
            "Reconciling read only published and public files, so it cost no privacy: all that this page says about "
            "privacy is about the release.",
            "Reconciled counts share noise. Each has its margin of error, but the margin of a sum of them does not "
            "follow from theirs; take sums, with their margins, from the release itself.",
        ),
        tables=(_changes_table(release),),
    )


def reconciled_margins_section(release: Reported) -> Section:
    """Margins of error by level: they differ from count to count."""
    rows: list[dict[str, object]] = [
        {"level": kind.level, "count": name, "least": span.least, "median": span.median, "most": span.most}
        for kind in release.kinds
        for name, span in (
            (("total without a table", kind.total_moe95),)
            if not kind.cells
            else ((f"cell of {kind.cells}", kind.count_moe95), (f"total of {kind.cells} cells", kind.total_moe95))
        )
        if span is not None
    ]
    unit = release.unit
    many = unit.many
    drawn = figure(
        "95 % margins of error of the reconciled counts, by level",
        "Dots with lines on a logarithmic axis, by level: the median margin of error of cells and of totals, and "
        "the least and the largest.",
        rows,
        _ranges(many),
    )
    heads = {"level": "Region type", "count": "Count", "least": f"MOE95 from, {many}", "median": "median", "most": "to"}
    return Section(
        id="margins",
        title="Margins of error",
        paragraphs=(
            "The more other counts a count must agree with, the narrower its margin of error has become; a count that "
            "must agree with no other kept the margin with which it was released.",
            f"Margins cover the noise, and nothing else: neither {unit.people} missed nor answers that were wrong.",
        ),
        figures=(
            chart(
                "moe-by-level",
                drawn,
                f"In {many}, either way. Dots are medians; lines go from least to most.",
                heads,
            ),
        ),
    )


def _changes_table(release: Reported) -> Table:
    done = release.facts.reconciled
    divisions = {} if done is None else done.divisions
    region_types = {level.name: level.region_type for level in release.facts.levels}
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(kind.level for kind in release.kinds):
        own = [kind for kind in release.kinds if kind.level == name]
        totals, changed = sum(kind.population_groups for kind in own), sum(kind.changed for kind in own)
        divided = divisions.get(region_types[name], "nothing")
        rows.append((name, divided, totals, changed))
    head = ("Population group level", "Adds up to", "Published totals", "Totals that were changed")
    return Table("What was made to add up", head, tuple(rows))


def _ranges(many: str) -> Figure:
    """A dot and a line for each kind of count; the kinds of one level are below one another.

    many: what records are called.
    """
    x = {
        "type": "quantitative",
        "scale": {"type": "symlog", "zero": False, "nice": False, "padding": 14},
        "axis": {"title": f"MOE95, {many}", "values": _ROUND_NUMBERS},
    }
    color = {"field": "count", "type": "nominal", "sort": None, "legend": {"title": None}}
    tooltip = [
        {"field": "level"},
        {"field": "count"},
        *({"field": end, "title": f"{end}, {many}", "format": ",.1~f"} for end in ("least", "median", "most")),
    ]
    place = {"y": {"field": "level", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}}
    place["yOffset"] = {"field": "count", "sort": None}
    lines = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "least"}, "x2": {"field": "most"}, "color": color, "tooltip": tooltip},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
        "encoding": {"x": {**x, "field": "median"}, "color": color, "tooltip": tooltip},
    }
    return {"height": _STEP, "encoding": place, "layer": [lines, dots]}
