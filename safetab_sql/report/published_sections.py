"""The sections on what was published, how precise it is, what was left out, and what `reconcile` changed in it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

from safetab_sql.accounting.statement import ReleasedLevel
from safetab_sql.evaluation.quality import FALSE_ALARMS, Check
from safetab_sql.kit.figures import Figure
from safetab_sql.laws.noise import Law, cumulative_bounds, is_tabulable
from safetab_sql.public.values import level_prefix
from safetab_sql.report import marks
from safetab_sql.report.release import ENDS, LadderTables, Reported
from safetab_sql.report.sections import LABELS, WORDS, Cell, Chart, Row, Rows, Section, Table, chart, section, tips
from safetab_sql.settings.parameters import census

_SIDED = {"count": "count", "low": "low95", "high": "high95"}
_POINTS = 90  # of a curve
_RELIABILITY = {"within_10": 1.0, "within_30": 0.62, "within_100": 0.34, "beyond": 0.12}  # opacity, by label


def sections_of_levels(release: Reported) -> tuple[Section, ...]:
    """All that speak of population group levels, in order."""
    return (
        *(() if release.facts.reconciled is None else (reconciliation_section(release),)),
        *(published_section(release), detail_section(release), margins_section(release)),
        *(*intervals_sections(release), *sums_sections(release)),
        *(undercount_section(release), suppression_section(release)),
    )


# --- what was published ---


def published_section(release: Reported) -> Section:
    """Published population groups and counts by level, and how large their margins of error are beside their totals."""
    rows: list[tuple[Cell, ...]] = []
    for name, kinds in (*_by_level(release).items(), (LABELS["all_levels"], release.kinds)):
        tabulated = [kind for kind in kinds if kind["cells"]]
        cells = sum(kind["population_groups"] * kind["cells"] for kind in tabulated)
        rows.append((name, _groups(kinds), _groups(tabulated), cells))
    head = (LABELS["level"], LABELS["totals"], LABELS["tables"], LABELS["cells"])
    tables = (Table(LABELS["counts_caption"], head, tuple(rows)),)
    return section("published", release.values, tables=tables, figures=(_reliability_chart(release),))


def _by_level(release: Reported) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for kind in release.kinds:
        found.setdefault(kind["level"], []).append(kind)
    return found


def _groups(kinds: Rows, which: str = "population_groups") -> int:
    return sum(kind[which] for kind in kinds)


def _reliability_chart(release: Reported) -> Chart:
    rows, shades = [], {LABELS[name]: opacity for name, opacity in _RELIABILITY.items()}
    for name, kinds in _by_level(release).items():
        groups = _groups(kinds)
        ends = [0, *(sum(kind[f"groups_within_{share}"] for kind in kinds) for share in (10, 30, 100)), groups]
        rows += [
            {"level": name, "margin": margin, "order": order, "groups": end - start, "share": (end - start) / groups}
            for order, (margin, (start, end)) in enumerate(zip(shades, pairwise(ends), strict=True))
        ]
    return marks.share_bars("reliability-by-level", rows, shades, release.values)


# --- how detailed the tables are ---


def detail_section(release: Reported) -> Section:
    """Which tables of each ladder the published population groups got."""
    by_design = LABELS["by_design"]
    levels, rows, shades = _by_level(release), list[Row](), {by_design: 0.06}
    for each in release.tables:
        names = list(each.words)
        for place, word in enumerate(each.words.values()):
            shades[word] = 0.2 + 0.8 * place / max(1, len(names) - 1)
        for kind in each.kinds:
            groups, is_by_design = kind["population_groups"], kind["is_total_only"]
            rows.append(
                {
                    "level": kind["level"],
                    "statistic": by_design if is_by_design else each.words[kind["statistic"]],
                    "order": -1 if is_by_design else names.index(kind["statistic"]),
                    "groups": groups,
                    "share": groups / _groups(levels[kind["level"]]),
                }
            )
    drawn = marks.share_bars("detail-by-level", rows, shades, release.values)
    return section("detail", release.values, figures=(drawn,))


# --- margins of error ---


def margins_section(release: Reported) -> Section:
    """Margins of error by level and detail; of reconciled counts, which differ from count to count, their spans."""
    drawn = _margins(release) if release.facts.reconciled is None else _reconciled_margins(release)
    return section("margins", release.values, figures=(drawn,))


def _margins(release: Reported) -> Chart:
    rows = [
        {"level": kind["level"], "count": name, "moe95": moe95}
        for kind in release.kinds
        for name, moe95 in (
            (LABELS["one_count"], kind["median_cell_moe95"]),
            *([(_total_of(release, kind), kind["median_total_moe95"])] if kind["cells"] else []),
        )
        if moe95 is not None
    ]
    x, color = marks.margins("moe95", release.label("moe95")), marks.series("count")
    others = {"color": color, "shape": color, "tooltip": tips("moe-by-level", rows, release.values)}
    ends = {"x": {**x, "aggregate": "min"}, "x2": {"field": "moe95", "aggregate": "max"}}
    span = marks.layer({"type": "rule", "opacity": 0.25}, ends)
    place = {"x": x, "y": {**marks.LEVELS, "axis": {"title": None}}}
    once = [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in rows)]
    drawn = marks.by_level(place, span, marks.layer(marks.dot(80), others))
    return chart("moe-by-level", once, drawn, release.values)


def _total_of(release: Reported, kind: Row) -> str:
    return release.label("total_of_cells", {"number": kind["cells"]})


def _reconciled_margins(release: Reported) -> Chart:
    """A dot and a line for each kind of count; the kinds of one level are below one another."""
    rows = [
        {"level": kind["level"], "count": name, **{end: kind[f"{end}_{which}_moe95"] for end in ENDS}}
        for kind in release.kinds
        for name, which in (
            *([(release.label("cell_of", {"number": kind["cells"]}), "cell")] if kind["cells"] else []),
            (_total_of(release, kind) if kind["cells"] else LABELS["no_table"], "total"),
        )
        if kind[f"median_{which}_moe95"] is not None
    ]
    name, x = "reconciled-moe-by-level", marks.margins("median", release.label("moe95"))
    others = {"color": marks.series("count"), "tooltip": tips(name, rows, release.values)}
    lines = marks.across({"type": "rule", "strokeWidth": 2}, x, "least", "most", others)
    dots = marks.layer(marks.dot(55), {"x": x, **others})
    drawn = marks.by_level({"yOffset": {"field": "count", "sort": None}}, lines, dots, step=marks.WIDE_STEP)
    return replace(chart(name, rows, drawn, release.values), name="moe-by-level")


# --- intervals: totals with a longer side, and what both stages gain; sums ---


def intervals_sections(release: Reported) -> tuple[Section, ...]:
    """The section on the tables of all ladders; none where counts were changed or cut at 0."""
    if release.facts.reconciled is not None or release.facts.is_clipped:
        return ()
    makers = (_sided_table, _gains_table)
    tables = [made(release, each) for each in release.tables for made in makers]
    return (section("intervals", release.values, tables=[table for table in tables if table.rows]),)


def _sided_table(release: Reported, each: LadderTables) -> Table:
    """Totals with an interval that is longer on one side."""
    prefix, types = level_prefix(release.facts.parameters, each.ladder), release.facts.region_types

    def ends(row: Row, end: str) -> str:
        return release.label("from_to", {name: f"{row[f'{end}_{own}']:,}" for name, own in _SIDED.items()})

    rows = [
        (f"{prefix}{row['region_type']}", row["totals"], row["one_sided"], ends(row, "least"), ends(row, "most"))
        for row in sorted(each.intervals, key=lambda row: types.index(row["region_type"]))
        if row["one_sided"]
    ]
    heads = (LABELS[name] for name in ("region_type", "published_totals", "longer", "smallest", "largest"))
    return Table(release.label("sided_caption"), tuple(heads), tuple(rows))


def sums_sections(release: Reported) -> tuple[Section, ...]:
    """The section on what was added up; none where nothing was."""
    added = [(each.ladder.name, each.ladder.sum) for each in release.sums if each.ladder.sum is not None]
    sums = [(name, each.column, *(_shown_amount(end, each.decimals) for end in each.clamp)) for name, each in added]
    return (section("sums", {**release.values, "sums": sums}),) if sums else ()


def _shown_amount(value: float, decimals: int) -> str:
    """A published amount in the unit of the file: 1,234.50 for 123,450 hundredths. A reconciled one has a decimal."""
    return f"{value / 10**decimals:,.{decimals or int(value != int(value))}f}"


def _gains_table(release: Reported, each: LadderTables) -> Table:
    prefix, types = level_prefix(release.facts.parameters, each.ladder), release.facts.region_types
    names = list(each.words)
    rows = [
        (
            f"{prefix}{row['region_type']}",
            each.words[row["statistic"]],
            row["totals"],
            f"{row['one_stage']:,.1f}",
            f"{row['both_stages']:,.1f}",
            f"{100 * (1 - row['both_stages'] / row['one_stage']):.0f} %" if row["one_stage"] else "–",
        )
        for row in sorted(each.gains, key=lambda row: (types.index(row["region_type"]), names.index(row["statistic"])))
    ]
    heads = ("region_type", "total_of", "totals", "stage_2", "both_stages", "shorter")
    return Table(release.label("gains_caption"), tuple(LABELS[name] for name in heads), tuple(rows))


# --- what was left out ---


def suppression_section(release: Reported) -> Section:
    """Which totals were left out, and the chance that the total of a group of any size is published."""
    suppressed = [level for level in release.levels if level.suppression_threshold is not None]
    head = (LABELS["level"], release.label("left_out"), LABELS["published_groups"])
    kinds = _by_level(release)
    rows = tuple((level.name, level.suppressed_up_to, _groups(kinds.get(level.name, ()))) for level in suppressed)
    tables = [Table(LABELS["thresholds_caption"], head, rows)] if suppressed else []
    chance, least = release.facts.parameters.zero_suppression_chance, release.facts.parameters.suppress_below
    values = {"suppressed": suppressed, "chance": f"{float(chance):.6g}", "least": least, "unit": release.unit}
    drawn = tuple(_publication_chart(release, suppressed))
    return section("suppression", {**release.values, **values}, tables=tables, figures=drawn)


def _publication_chart(release: Reported, levels: Sequence[ReleasedLevel]) -> Iterator[Chart]:
    """The chance that the total of a group is published, by how many people are in it: from the laws of the noise."""
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
    encoding = {
        "x": marks.amount("size", release.label("in_group"), {"tickCount": 8}),
        "y": marks.amount("chance", LABELS["chance_published"], {"format": ".0%", "tickCount": 5}),
        "color": marks.series("levels", {"columns": 1, "symbolType": "stroke", "labelLimit": 0}),
        "tooltip": tips("chance-of-publication", rows, release.values),
    }
    drawn: Figure = {"height": 240, "mark": {"type": "line", "strokeWidth": 2.5}, "encoding": encoding}
    yield chart("chance-of-publication", rows, drawn, release.values)


def _chance_above(law: Law, count: int) -> float:
    """P(noise > count)."""
    bounds = cumulative_bounds(law, 64)
    entry = min(max(count - bounds.first, 0), len(bounds.lower) - 1)
    return 1 - bounds.lower[entry] / 2**64


# --- errors other than noise ---


def undercount_section(release: Reported) -> Section:
    """From which size of group on missed people outweigh the noise, by kind of count.

    Where persons answer the questions of the 2020 Census, also how large its net coverage error was.
    """
    parameters = release.facts.parameters
    is_census = parameters.questions.lists == census().questions.lists and parameters.unit.is_person
    margins = {(kind["level"], kind["median_cell_moe95"]): None for kind in release.kinds}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (level, f"±{moe95:,.0f}", *(f"{ceil(moe95 / share):,}" for share in (0.01, 0.05))) for level, moe95 in margins
    )
    head = tuple(LABELS[name] for name in ("undercount_level", "moe95_of_count", "missing_1", "missing_5"))
    outweighed = Table(LABELS["undercount_caption"], head, rows)
    found = WORDS["tables"]["net-coverage"]
    of_2020 = Table(found["caption"], tuple(found["heads"]), tuple(map(tuple, found["rows"])))
    tables = (outweighed, of_2020) if is_census else (outweighed,)
    return section("undercount", {**release.values, "is_census": is_census}, tables=tables)


# --- strange patterns, beside what noise explains ---


def quality_section(checks: Sequence[Check]) -> Section:
    """The checks as a table. There must be one at least."""
    rows = list[tuple[Cell, ...]]()
    for check in checks:
        verdict = "not judged" if check.expected is None else "nothing that noise does not explain"
        verdict = f"MORE than noise explains: {check.question.means}" if check.is_flagged else verdict
        most, pattern = check.expected, f"{check.question.looked}: {check.question.found}"
        rows.append((pattern, check.looked, check.found, None if most is None else f"{most:,.1f}", verdict))
    is_open = any(check.expected is None for check in checks)
    patterns = Table("Patterns", ("Looked at: found", "Cases", "Found", "Noise alone, at most", "Verdict"), tuple(rows))
    return section("quality", {"is_open": is_open, "false_alarms": f"{FALSE_ALARMS:.1%}"}, tables=(patterns,))


# --- what `reconcile` changed ---


def reconciliation_section(release: Reported) -> Section:
    """Which counts were changed, why, and what this page therefore does not show."""
    divisions = {} if release.facts.reconciled is None else release.facts.reconciled.divisions
    region_types = {level.name: level.region_type for level in release.facts.levels}
    rows = tuple(
        (name, divisions.get(region_types[name], LABELS["nothing"]), _groups(kinds), _groups(kinds, "changed_groups"))
        for name, kinds in _by_level(release).items()
    )
    head = tuple(LABELS[name] for name in ("level", "adds_up_to", "published_totals", "changed"))
    return section("reconciliation", release.values, tables=(Table(LABELS["added_up"], head, rows),))
