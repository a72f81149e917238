"""The sections on what was published, how precise it is, and what was left out."""

from collections.abc import Iterator, Sequence

from safetab_sql.accounting.ledger_statement import ReleasedLevel
from safetab_sql.kit.figures import Figure, figure
from safetab_sql.laws.cumulative import Law, cumulative_bounds, is_tabulable
from safetab_sql.report.kinds import Kind
from safetab_sql.report.level_bars import LEVEL_AXIS, STEP, groups_by_level, share_bars
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Cell, Chart, Section, Table, chart

Row = dict[str, object]

_RELIABILITY = (
    ("within 10 % of the total", 1.0),
    ("10 to 30 %", 0.62),
    ("30 to 100 %", 0.34),
    ("more than the total", 0.12),
)
_POINTS = 90  # of a curve


def published_section(release: Reported) -> Section:
    """Published population groups and counts by level, and how large their margins of error are beside their totals."""
    return Section(
        id="published",
        title="What was published",
        paragraphs=(
            f"A population group is a region and a characteristic iteration: the {release.unit.people} of one region "
            f"in one group of the code lists. Each published group has a total; {_with_tables(release)} "
            "Every count holds noise, and its MOE95 says how much: the noise is within it with a chance of 95 %.",
            _below_zero(release),
            "How useful a count is depends on the ratio of its margin of error to the count. The chart below shows "
            "that ratio for the published totals of every population group level.",
        ),
        tables=(_published_table(release),),
        figures=(_reliability_chart(release),),
    )


def _with_tables(release: Reported) -> str:
    if release.own_tables:
        return "the groups that a ladder gave a table have that table too."
    return "large ones also have a table of sex by age."


def margins_section(release: Reported) -> Section:
    """Margins of error by level and detail."""
    rows: list[Row] = [
        {"level": kind.level, "count": name, "moe95": moe95}
        for kind in release.kinds
        for name, moe95 in ((_ONE_COUNT, kind.count_moe95.median), *_total_of(kind))
    ]
    rows = [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in rows)]
    many = release.unit.many
    drawn = figure(
        "95 % margin of error of the published counts, by level",
        "Dots on a logarithmic axis, one row per population group level: the margin of error of one noisy count, "
        "and of totals that add up the cells of a table, which are larger.",
        rows,
        _dots(many),
    )
    return Section(
        id="margins",
        title="Margins of error",
        paragraphs=(
            "All counts of one level and kind have the same noise, whatever their size, and so the same margin of "
            "error. The total of a group with a table is the sum of its cells: the more detailed the table, the wider "
            "the margin of the total.",
            f"Margins cover the noise, and nothing else: neither {release.unit.people} missed nor wrong answers.",
        ),
        figures=(
            chart(
                "moe-by-level",
                drawn,
                f"In {many}, either way. One count is a cell of a table, or the total of a group without one.",
                {"level": "Population group level", "count": "Published count", "moe95": f"MOE95, {many}"},
            ),
        ),
    )


def suppression_section(release: Reported) -> Section:
    """Which totals were left out, and the chance that the total of a group of any size is published."""
    suppressed = [level for level in release.facts.levels if level.suppression_threshold is not None]
    if not suppressed:
        what = "Nothing was left out: the total of every tabulated population group is published, however small."
        return Section("suppression", "Suppression", (what,))
    chance = float(release.facts.parameters.zero_suppression_chance)
    many = release.unit.many
    head: tuple[str, ...] = ("Population group level", f"Left out up to, noisy {many}", "Published groups")
    rows: list[tuple[Cell, ...]] = [
        (level.name, level.suppressed_up_to, _groups(release, level)) for level in suppressed
    ]
    return Section(
        id="suppression",
        title="Suppression",
        paragraphs=(
            "At the levels below, a total without a table is left out where its noisy count is at most the "
            f"threshold of its level, so that a group with nobody in it stays unseen with a chance of {chance:.6g}. "
            "A group that is missing here is therefore small, but not necessarily empty; and the small totals that are "
            "published are those whose noise came out high.",
        ),
        tables=(Table("Suppression thresholds", head, tuple(rows)),),
        figures=tuple(_publication_chart(suppressed, release.unit.people)),
    )


_ONE_COUNT = "one count"


def _below_zero(release: Reported) -> str:
    """Why counts may be negative, or why none is; and why parts do not add up."""
    if release.facts.is_clipped:
        return (
            "Noise makes some small counts negative; here such counts were published as 0. Counts near 0 are "
            "therefore too large on average, and so are sums of many of them: these have an interval and no margin of "
            "error, and where margins are compared with totals, the longer side of the interval stands for it. Every "
            "count has noise of its own: parts do not add up to wholes."
        )
    start = (
        f"A count may be negative. That is noise, not an error: where there are few {release.unit.people}, or none, "
        f"noise can take the count below 0; read it as few {release.unit.people}, if any. Such counts are left as they "
        "are, because sums of many counts would be too large without them."
    )
    if release.facts.reconciled is not None:
        return start
    return f"{start} Every count has noise of its own: parts do not add up to wholes."


def _total_of(kind: Kind) -> Iterator[tuple[str, float]]:
    if kind.cells and kind.total_moe95 is not None:
        yield f"total of {kind.cells} cells", kind.total_moe95.median


def _groups(release: Reported, level: ReleasedLevel) -> int:
    return sum(kind.population_groups for kind in release.kinds if kind.level == level.name)


def _published_table(release: Reported) -> Table:
    """Published groups, tables and counts by level."""
    rows: list[tuple[Cell, ...]] = []
    for name, groups in groups_by_level(release).items():
        kinds = [kind for kind in release.kinds if kind.level == name]
        tabulated = sum(kind.population_groups for kind in kinds if kind.cells)
        cells = sum(kind.population_groups * kind.cells for kind in kinds)
        rows.append((name, groups, tabulated, cells))
    sums: tuple[Cell, ...] = (
        "All levels",
        *(sum(int(row[i] or 0) for row in rows) for i in (1, 2, 3)),
    )
    tables = "Tables" if release.own_tables else "Tables of sex by age"
    head = ("Population group level", "Totals", tables, "Cells of these tables")
    return Table("Published counts by population group level", head, (*rows, sums))


def _reliability_chart(release: Reported) -> Chart:
    rows = []
    for name, groups in groups_by_level(release).items():
        kinds = [kind for kind in release.kinds if kind.level == name]
        within = [sum(getattr(kind, f"within_{share}") for kind in kinds) for share in (10, 30, 100)]
        parts = [within[0], within[1] - within[0], within[2] - within[1], groups - within[2]]
        rows += [
            {"level": name, "margin": margin, "order": order, "groups": part, "share": part / groups}
            for order, ((margin, _), part) in enumerate(zip(_RELIABILITY, parts, strict=True))
        ]
    names, opacities = [name for name, _ in _RELIABILITY], [opacity for _, opacity in _RELIABILITY]
    drawn = figure(
        "Margin of error of the published totals, as a share of the total",
        "Stacked bars, one per population group level: the share of its published totals whose margin of error is "
        "within 10 %, 30 % or 100 % of the total, or larger than it.",
        rows,
        share_bars(rows, "margin", names, opacities),
    )
    return chart(
        "reliability-by-level",
        drawn,
        "The stronger the colour, the more reliable. Beside each bar is the number of published totals. Where a "
        "level has a suppression threshold, small totals are left out (see Suppression).",
        {
            "level": "Population group level",
            "margin": "MOE95 beside the total",
            "groups": "Population groups",
            "share": "Share of the level",
        },
        percents=("share",),
    )


def _dots(many: str) -> Figure:
    """One row a level, one dot a kind of count, on a logarithmic axis. many: what records are called."""
    x = {
        "field": "moe95",
        "type": "quantitative",
        "scale": {"type": "symlog", "zero": False, "nice": False, "padding": 14},
        "axis": {"title": f"MOE95, {many}", "values": [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000]},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {
            "color": {"field": "count", "type": "nominal", "sort": None, "legend": {"title": None}},
            "shape": {"field": "count", "type": "nominal", "sort": None},
            "tooltip": [
                {"field": "level"},
                {"field": "count"},
                {"field": "moe95", "title": f"MOE95, {many}", "format": ","},
            ],
        },
    }
    span = {
        "mark": {"type": "rule", "opacity": 0.25},
        "encoding": {"x": {**x, "aggregate": "min"}, "x2": {"field": "moe95", "aggregate": "max"}},
    }
    return {"height": STEP, "encoding": {"x": x, "y": {**LEVEL_AXIS, "axis": {"title": None}}}, "layer": [span, dots]}


def _publication_chart(levels: Sequence[ReleasedLevel], people: str) -> Iterator[Chart]:
    """The chance that the total of a group is published, by how many `people` are in it: from the laws of the noise."""
    alike: dict[tuple[Law, int], list[str]] = {}
    for level in levels:
        if level.suppressed_up_to is not None and is_tabulable(level.total_call.law):
            alike.setdefault((level.total_call.law, level.suppressed_up_to), []).append(level.name)
    rows = [
        {"levels": ", ".join(names), "size": size, "chance": _chance_above(law, threshold - size)}
        for (law, threshold), names in alike.items()
        for size in range(0, 2 * threshold + 3, max(1, 2 * threshold // _POINTS))
    ]
    if not rows:
        return
    color = {"field": "levels", "type": "nominal", "sort": None}
    specification: Figure = {
        "height": 240,
        "mark": {"type": "line", "strokeWidth": 2.5},
        "encoding": {
            "x": {"field": "size", "type": "quantitative", "axis": {"title": f"{people} in the group", "tickCount": 8}},
            "y": {
                "field": "chance",
                "type": "quantitative",
                "axis": {"format": ".0%", "title": "chance that its total is published", "tickCount": 5},
            },
            "color": {**color, "legend": {"title": None, "columns": 1, "symbolType": "stroke", "labelLimit": 0}},
            "tooltip": [
                {"field": "levels"},
                {"field": "size", "title": people},
                {"field": "chance", "format": ".1%", "title": "chance"},
            ],
        },
    }
    description = (
        "Lines that rise from 0 to 100 % as groups grow: how likely a total without a table is to be published."
    )
    drawn = figure("Chance that a small group's total is published", description, rows, specification)
    columns = {"levels": "Population group levels", "size": f"Size of the group, {people}", "chance": "Chance"}
    how = "Computed from the law of the noise and the threshold. At the threshold, the chance is about one half."
    yield chart("chance-of-publication", drawn, how, columns, percents=("chance",))


def _chance_above(law: Law, count: int) -> float:
    """P(noise > count)."""
    bounds = cumulative_bounds(law, 64)
    entry = min(max(count - bounds.first, 0), len(bounds.lower) - 1)
    return 1 - bounds.lower[entry] / 2**64
