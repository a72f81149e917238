"""The sections on what was published, how precise it is, what was left out, and what `reconcile` changed in it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil

from safetab_sql.accounting.ledger_statement import ReleasedLevel
from safetab_sql.kit.figures import Figure, figure
from safetab_sql.laws.cumulative import Law, cumulative_bounds, is_tabulable
from safetab_sql.published.quality import FALSE_ALARMS, Check, quality_rows
from safetab_sql.report.release import Kind, Reported
from safetab_sql.report.sections import (
    LEVELS,
    STEP,
    WIDE_STEP,
    Cell,
    Chart,
    Section,
    Table,
    amount,
    chart,
    dot,
    layer,
    margins,
    series,
    share_bars,
    tip,
)
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters, census

Row = dict[str, object]

_LEVEL = "Population group level"
_POINTS = 90  # of a curve
_RELIABILITY = {"within 10 % of the total": 1.0, "10 to 30 %": 0.62, "30 to 100 %": 0.34, "more than the total": 0.12}
_BY_DESIGN = "total, by design"


# --- what was published ---


def published_section(release: Reported) -> Section:
    """Published population groups and counts by level, and how large their margins of error are beside their totals."""
    return Section(
        id="published",
        title="What was published",
        paragraphs=(
            f"A population group is a region and a characteristic iteration: the {release.unit.people} of one region "
            "in one group of the code lists. Each published group has a total; the groups that got a table have that "
            "table too. Every count holds noise, and its MOE95 says how much: the noise is within it with a chance of "
            "95 %.",
            _below_zero(release),
            "How useful a count is depends on the ratio of its margin of error to the count. The chart below shows "
            "that ratio for the published totals of every population group level.",
        ),
        tables=(_published_table(release),),
        figures=(_reliability_chart(release),),
    )


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


def _by_level(release: Reported) -> dict[str, list[Kind]]:
    """The kinds of published groups of each level."""
    found: dict[str, list[Kind]] = {}
    for kind in release.kinds:
        found.setdefault(kind.level, []).append(kind)
    return found


def _groups(kinds: Sequence[Kind]) -> int:
    return sum(kind.population_groups for kind in kinds)


def _published_table(release: Reported) -> Table:
    """Published groups, tables and counts by level."""
    rows = [
        (
            name,
            _groups(kinds),
            _groups([kind for kind in kinds if kind.cells]),
            sum(kind.population_groups * kind.cells for kind in kinds),
        )
        for name, kinds in _by_level(release).items()
    ]
    sums = ("All levels", sum(row[1] for row in rows), sum(row[2] for row in rows), sum(row[3] for row in rows))
    head = (_LEVEL, "Totals", "Tables", "Cells of these tables")
    return Table("Published counts by population group level", head, (*rows, sums))


def _reliability_chart(release: Reported) -> Chart:
    rows = []
    for name, kinds in _by_level(release).items():
        groups = _groups(kinds)
        ends = [0, *(sum(getattr(kind, f"within_{share}") for kind in kinds) for share in (10, 30, 100)), groups]
        rows += [
            {"level": name, "margin": margin, "order": order, "groups": end - start, "share": (end - start) / groups}
            for order, (margin, (start, end)) in enumerate(zip(_RELIABILITY, pairwise(ends), strict=True))
        ]
    drawn = figure(
        "Margin of error of the published totals, as a share of the total",
        "Stacked bars, one per population group level: the share of its published totals whose margin of error is "
        "within 10 %, 30 % or 100 % of the total, or larger than it.",
        rows,
        share_bars(rows, "margin", _RELIABILITY),
    )
    return chart(
        "reliability-by-level",
        drawn,
        "The stronger the colour, the more reliable. Beside each bar is the number of published totals. Where a "
        "level has a suppression threshold, small totals are left out (see Suppression).",
        {
            "level": _LEVEL,
            "margin": "MOE95 beside the total",
            "groups": "Population groups",
            "share": "Share of the level",
        },
        percents=("share",),
    )


# --- how detailed the tables are ---


def detail_section(release: Reported) -> Section:
    """Which tables of each ladder the published population groups got."""
    rows = list(_details(release))
    shades = {_BY_DESIGN: 0.06}
    for each in release.tables:
        names = list(each.words.values())
        shades |= {name: 0.2 + 0.8 * place / max(1, len(names) - 1) for place, name in enumerate(names)}
    drawn = figure(
        "Tables of the published population groups, by level",
        "Stacked bars, one per population group level: the share of its published groups that got each table.",
        rows,
        share_bars(rows, "statistic", shades),
    )
    never = " A total by design belongs to groups that never get a table."
    return Section(
        id="detail",
        title="How detailed the tables are",
        paragraphs=tuple(_choice(release, each.ladder) for each in release.tables),
        figures=(
            chart(
                "detail-by-level",
                drawn,
                "Each bar is all published groups of one level: the stronger the colour, the more detailed the table."
                + (never if any(kind.is_total_only for kind in release.kinds) else ""),
                {
                    "level": _LEVEL,
                    "statistic": "Table",
                    "groups": "Population groups",
                    "share": "Share of the level",
                },
                percents=("share",),
            ),
        ),
    )


def _details(release: Reported) -> Iterator[Row]:
    """Every kind of published group: its table, and its share of the groups of its level."""
    levels = _by_level(release)
    for each in release.tables:
        names = list(each.words)
        for kind in each.kinds:
            yield {
                "level": kind.level,
                "statistic": _BY_DESIGN if kind.is_total_only else each.words[kind.statistic],
                "order": -1 if kind.is_total_only else names.index(kind.statistic),
                "groups": kind.population_groups,
                "share": kind.population_groups / _groups(levels[kind.level]),
            }


def _choice(release: Reported, ladder: Ladder) -> str:
    """What picked the table of a group."""
    if ladder.choose == "always":
        said = "every tabulated group gets the same table, so nothing was spent on a choice."
    elif ladder.choose == "published":
        said = (
            "totals that were published before decided which table each group got, at no cost in privacy. The "
            "thresholds are in the ledger below."
        )
    else:
        said = (
            "a noisy total of each group decided how detailed its table is: larger groups get more detail. "
            f"{stage_1_sentence(release.facts.parameters)} The thresholds are in the ledger below."
        )
    return f"{ladder.name}: {said}" if len(release.tables) > 1 else said[0].upper() + said[1:]


def stage_1_sentence(parameters: Parameters) -> str:
    """What became of the totals that decided how detailed tables are."""
    if parameters.publish_stage_1:
        return "These totals are published too, with estimates that use them: the folder measurements of the release."
    return "That total was drawn for this purpose and is never published."


# --- margins of error ---


def margins_section(release: Reported) -> Section:
    """Margins of error by level and detail."""
    rows = [
        {"level": kind.level, "count": name, "moe95": span.median}
        for kind in release.kinds
        for name, span in (("one count", kind.count_moe95), (f"total of {kind.cells} cells", kind.total_moe95))
        if span is not None and (kind.cells or span is kind.count_moe95)
    ]
    many = release.unit.many
    x, color = margins("moe95", f"MOE95, {many}"), series("count")
    tooltip = [tip("level"), tip("count"), tip("moe95", f"MOE95, {many}", ",")]
    dots = layer(dot(80), {"color": color, "shape": color, "tooltip": tooltip})
    ends = {"x": {**x, "aggregate": "min"}, "x2": {"field": "moe95", "aggregate": "max"}}
    span = layer({"type": "rule", "opacity": 0.25}, ends)
    drawn = figure(
        "95 % margin of error of the published counts, by level",
        "Dots on a logarithmic axis, one row per population group level: the margin of error of one noisy count, "
        "and of totals that add up the cells of a table, which are larger.",
        [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in rows)],
        {"height": STEP, "encoding": {"x": x, "y": {**LEVELS, "axis": {"title": None}}}, "layer": [span, dots]},
    )
    return _margins_section(
        release,
        "All counts of one level and kind have the same noise, whatever their size, and so the same margin of "
        "error. The total of a group with a table is the sum of its cells: the more detailed the table, the wider the "
        "margin of the total.",
        drawn,
        "One count is a cell of a table, or the total of a group without one.",
        {"level": _LEVEL, "count": "Published count", "moe95": f"MOE95, {many}"},
    )


def _margins_section(release: Reported, what: str, drawn: Figure, how: str, heads: Mapping[str, str]) -> Section:
    """The section with one figure, of the margins by level. what, how: on the margins, and on the figure."""
    unit = release.unit
    return Section(
        id="margins",
        title="Margins of error",
        paragraphs=(
            what,
            f"Margins cover the noise, and nothing else: neither {unit.people} missed nor answers that were wrong.",
        ),
        figures=(chart("moe-by-level", drawn, f"In {unit.many}, either way. {how}", heads),),
    )


def reconciled_margins_section(release: Reported) -> Section:
    """Margins of error by level of a reconciled release: they differ from count to count."""
    rows: list[Row] = [
        {"level": kind.level, "count": name, "least": span.least, "median": span.median, "most": span.most}
        for kind in release.kinds
        for name, span in (
            (("total without a table", kind.total_moe95),)
            if not kind.cells
            else ((f"cell of {kind.cells}", kind.count_moe95), (f"total of {kind.cells} cells", kind.total_moe95))
        )
        if span is not None
    ]
    many = release.unit.many
    drawn = figure(
        "95 % margins of error of the reconciled counts, by level",
        "Dots with lines on a logarithmic axis, by level: the median margin of error of cells and of totals, and "
        "the least and the largest.",
        rows,
        _ranges(many),
    )
    heads = {"level": "Region type", "count": "Count", "least": f"MOE95 from, {many}", "median": "median", "most": "to"}
    return _margins_section(
        release,
        "The more other counts a count must agree with, the narrower its margin of error has become; a count that must "
        "agree with no other kept the margin with which it was released.",
        drawn,
        "Dots are medians; lines go from least to most.",
        heads,
    )


def _ranges(many: str) -> Figure:
    """A dot and a line for each kind of count; the kinds of one level are below one another."""
    x, color = margins("median", f"MOE95, {many}"), series("count")
    said = (tip(end, f"{end}, {many}", ",.1~f") for end in ("least", "median", "most"))
    tooltip = [tip("level"), tip("count"), *said]
    ends = {"x": {**x, "field": "least"}, "x2": {"field": "most"}}
    lines = layer({"type": "rule", "strokeWidth": 2}, {**ends, "color": color, "tooltip": tooltip})
    dots = layer(dot(55), {"x": x, "color": color, "tooltip": tooltip})
    place = {"y": LEVELS, "yOffset": {"field": "count", "sort": None}}
    return {"height": WIDE_STEP, "encoding": place, "layer": [lines, dots]}


# --- what was left out ---


def suppression_section(release: Reported) -> Section:
    """Which totals were left out, and the chance that the total of a group of any size is published."""
    suppressed = [level for level in release.facts.levels if level.suppression_threshold is not None]
    if not suppressed:
        what = "Nothing was left out: the total of every tabulated population group is published, however small."
        return Section("suppression", "Suppression", (what,))
    chance = float(release.facts.parameters.zero_suppression_chance)
    head = (_LEVEL, f"Left out up to, noisy {release.unit.many}", "Published groups")
    kinds = _by_level(release)
    rows = tuple((level.name, level.suppressed_up_to, _groups(kinds.get(level.name, ()))) for level in suppressed)
    return Section(
        id="suppression",
        title="Suppression",
        paragraphs=(
            "At the levels below, a total without a table is left out where its noisy count is at most the "
            f"threshold of its level, so that a group with nobody in it stays unseen with a chance of {chance:.6g}. "
            "A group that is missing here is therefore small, but not necessarily empty; and the small totals that are "
            "published are those whose noise came out high.",
        ),
        tables=(Table("Suppression thresholds", head, rows),),
        figures=tuple(_publication_chart(suppressed, release.unit.people)),
    )


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
    legend = {"columns": 1, "symbolType": "stroke", "labelLimit": 0}
    specification: Figure = {
        "height": 240,
        "mark": {"type": "line", "strokeWidth": 2.5},
        "encoding": {
            "x": amount("size", f"{people} in the group", {"tickCount": 8}),
            "y": amount("chance", "chance that its total is published", {"format": ".0%", "tickCount": 5}),
            "color": series("levels", legend),
            "tooltip": [tip("levels"), tip("size", people), tip("chance", "chance", ".1%")],
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


# --- errors other than noise ---

# Net coverage error in percent of the people: below 0 where people were missed. * where it differs from 0 by more than
# chance. Source: 2020 Post-Enumeration Survey, by race and Hispanic origin, and by state.
_COVERAGE = (
    ("United States", "-0.24"),
    ("Hispanic or Latino", "-4.99*"),
    ("Black or African American, alone or in combination", "-3.30*"),
    ("American Indian or Alaska Native, on reservations", "-5.64*"),
    ("Asian, alone or in combination", "+2.62*"),
    ("Non-Hispanic White alone", "+1.64*"),
    ("Texas: 548,000 people missed of 28,540,000", "-1.92*"),
    ("New York: 674,000 people counted too many of 19,590,000", "+3.44*"),
)
_OF_2020 = Table("Net coverage error of the 2020 Census, percent; * differs from 0", ("People", "Percent"), _COVERAGE)
_ABOUT_2020 = (
    "The second says how large it was in the census of 2020, by a survey taken after it. It says nothing of the "
    "records behind this release."
)


def undercount_section(release: Reported) -> Section:
    """From which size of group on missed people outweigh the noise, by kind of count.

    Where persons answer the questions of the 2020 Census, also how large its net coverage error was.
    """
    parameters = release.facts.parameters
    is_census = parameters.questions.lists == census().questions.lists and parameters.unit.is_person
    margins = {(kind.level, kind.count_moe95.median): None for kind in release.kinds}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (level, f"±{moe95:,.0f}", *(f"{ceil(moe95 / share):,}" for share in (0.01, 0.05))) for level, moe95 in margins
    )
    return Section(
        id="undercount",
        title="Noise beside undercount",
        paragraphs=(
            "A count can be wrong without any noise: records are missing, stand twice or in the wrong place, and "
            "answers that nobody gave are filled in. Margins of error do not cover that.",
            "The first table says from which size of a group on such an error outweighs the noise in one count.",
            *([_ABOUT_2020] if is_census else []),
        ),
        tables=(
            Table(
                "Sizes of groups from which undercount outweighs noise",
                ("Level", "MOE95 of a count", "Size, if 1 % are missing", "Size, if 5 % are missing"),
                rows,
            ),
            *([_OF_2020] if is_census else []),
        ),
    )


# --- strange patterns, beside what noise explains ---

_LEGEND = (
    "Post-processing, or a fault, can leave patterns that no noise makes. Each line counts the cases of one in the "
    "published tables. Nobody's exact counts are read."
)
_JUDGED = (
    "Beside it stands the most that noise makes on average, whatever the true counts are; of ages, if the true "
    "count at age 20 is no larger than at 21. A line is marked if noise has hardly any chance to make so many: at most "
    f"{FALSE_ALARMS:.1%} of honest releases have a marked line. A marked line says that something is strange, and not "
    "what: it can be in the records, or come from what was done to the counts. An evaluation of synthetic data tells "
    "the two apart."
)
_NOT_JUDGED = (
    "Lines without an expectation are not judged: counts were made consistent, or cut off at 0, and then they share "
    "noise, or pile up at 0."
)


def quality_section(checks: Sequence[Check]) -> Section:
    """The checks as a table. There must be one at least."""
    is_open = any(check.expected is None for check in checks)
    rows = tuple(
        (what, looked, found, None if expected is None else f"{expected:,.1f}", verdict)
        for what, looked, found, expected, verdict in quality_rows(checks)
    )
    return Section(
        id="quality",
        title="Checks of quality",
        paragraphs=(_LEGEND, _JUDGED, *([_NOT_JUDGED] if is_open else [])),
        tables=(Table("Patterns", ("Looked at: found", "Cases", "Found", "Noise alone, at most", "Verdict"), rows),),
    )


# --- what `reconcile` changed ---


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


def _changes_table(release: Reported) -> Table:
    done = release.facts.reconciled
    divisions = {} if done is None else done.divisions
    region_types = {level.name: level.region_type for level in release.facts.levels}
    rows = tuple(
        (name, divisions.get(region_types[name], "nothing"), _groups(kinds), sum(kind.changed for kind in kinds))
        for name, kinds in _by_level(release).items()
    )
    head = (_LEVEL, "Adds up to", "Published totals", "Totals that were changed")
    return Table("What was made to add up", head, rows)
