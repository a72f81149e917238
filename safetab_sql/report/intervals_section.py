"""The section on intervals: totals whose interval is longer on one side, percentages, and what both stages gain."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from safetab_sql.laws.cumulative import Law
from safetab_sql.public.values import level_prefix
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.report.groups import Codes, cell_rows, counts_of
from safetab_sql.report.release import LadderTables, Reported
from safetab_sql.report.sections import Section, Table
from safetab_sql.settings.ladders import Statistic
from safetab_sql.statistics.intervals import shares

_LEVEL = Fraction(95, 100)
_MOST_SHARES = 10
_GAINS = (
    "The total that decided how detailed a table is was paid for as if it were published, and here it is. Intervals "
    "that rest on both stages of noise are shorter, above all in detailed tables; they hold although that total "
    "chose the table."
)


def intervals_sections(release: Reported) -> tuple[Section, ...]:
    """The section on the tables of all ladders; none where counts were changed or cut at 0."""
    facts = release.facts
    if facts.reconciled is not None or facts.is_clipped:
        return ()
    tables = tuple(
        table
        for each in release.tables
        for made in (_sided_table(facts, each), _shares_table(release, each), _gains_table(facts, each))
        for table in made
    )
    section = Section(
        id="intervals",
        title="Intervals",
        paragraphs=(
            "LOW95 and HIGH95 hold the true count with a chance of at least 95 %, whatever noise chose before the "
            "count was published. Mostly they are the count minus and plus its margin. A small total of a suppressed "
            "region type is published only where it is large enough, so one that barely passed did so with high "
            "noise: its interval reaches further down than up.",
            "A percentage has an interval of its own: the noise that part and whole share cancels.",
            *([_GAINS] if any(each.gains for each in release.tables) else []),
        ),
        tables=tables,
    )
    return (section,)


def _sided_table(facts: ReleaseFacts, each: LadderTables) -> Iterator[Table]:
    """Totals with an interval that is longer on one side."""
    prefix = level_prefix(facts.parameters, each.ladder)
    chosen = [row for row in each.intervals if row["one_sided"]]
    if chosen:
        yield Table(
            f"Totals whose 95 % interval is longer on one side, {facts.parameters.unit.many}",
            ("Region type", "Published totals", "Longer on one side", "Smallest of them", "Largest of them"),
            tuple(
                (
                    f"{prefix}{row['region_type']}",
                    row["totals"],
                    row["one_sided"],
                    _interval(row, "least"),
                    _interval(row, "most"),
                )
                for row in sorted(chosen, key=lambda row: facts.region_types.index(row["region_type"]))
            ),
        )


def _interval(row: Mapping[str, Any], which: str) -> str:
    count, low, high = (row[f"{which}_{name}"] for name in ("count", "low95", "high95"))
    return f"{count:,}: from {low:,} to {high:,}"


def _shares_table(release: Reported, each: LadderTables) -> Iterator[Table]:
    """Shares of the last group of the first attribute of the coarsest table, in the largest groups."""
    name, grouping = each.ladder.statistics[0].cells[0]
    attribute = next(own for own in each.attributes if own.name == name)
    *_, last = attribute.grouping(grouping).codes
    parts = {statistic.name: _part(each, statistic, name, grouping) for statistic in each.ladder.statistics}
    first_type = each.ladder.levels[0].level.region_type
    groups = (group for group in each.groups if group["region_type"] == first_type and parts.get(group["statistic"]))
    rows = []
    for group in islice(sorted(groups, key=lambda group: -group["noisy_count"]), _MOST_SHARES):
        cells = parts[group["statistic"]]
        counts = {codes: int(count["count"] or 0) for codes, count in counts_of(group).items()}
        law = release.facts.level_called(each.ladder.name, group["level_name"]).calls.stage_2.law
        part = sum(counts[codes] for codes, is_part in cells.items() if is_part)
        sizes = (sum(cells.values()), len(cells))
        shares = _percentages(law, sizes, part, sum(counts[codes] for codes in cells))
        rows.append((*release.names.group(group), *shares))
    if rows:
        code = "–".join(dict.fromkeys(last))
        meanings = release.facts.parameters.meanings.get(attribute.publish[0], {})
        part_name = f"{name} {meanings.get(code, code)}"
        what = f"share with {part_name} in the largest groups with a table, and its 95 % interval"
        title = f"{each.ladder.name}: {what}" if len(release.tables) > 1 else f"S{what[1:]}"
        yield Table(title, ("Group", "Region", "Total", part_name, "from", "to"), tuple(rows))


def _part(each: LadderTables, statistic: Statistic, name: str, grouping: str) -> dict[Codes, bool]:
    """Whether each cell of a table is in the last group of a grouping; none where the table does not tell."""
    finer = dict(statistic.cells).get(name)
    if finer is None:
        return {}
    attribute = next(own for own in each.attributes if own.name == name)
    coarse, fine = attribute.grouping(grouping), attribute.grouping(finer)
    last = len(coarse.codes) - 1
    both = set(zip(fine.members, (group == last for group in coarse.members), strict=True))
    if len(both) > len(fine.codes):
        return {}
    is_last = {fine.codes[group]: is_part for group, is_part in both}
    place = [own for own, _ in statistic.cells].index(name)
    return {codes: is_last[combination[place]] for combination, codes in cell_rows(each.attributes, statistic.cells)}


def _percentages(law: Law, cells: tuple[int, int], part: int, whole: int) -> tuple[str, ...]:
    """The whole, the share of a part of it, and the ends of its interval. cells: of the part and of the whole."""
    found = shares(law, cells, np.array([part]), np.array([whole]), _LEVEL)
    ends = (found.estimates[0], np.floor(1e4 * found.lows[0]) / 1e4, np.ceil(1e4 * found.highs[0]) / 1e4)
    return f"{whole:,}", *("–" if np.isnan(share) else f"{100 * share:.2f} %" for share in ends)


def _gains_table(facts: ReleaseFacts, each: LadderTables) -> Iterator[Table]:
    """What both stages gain."""
    if each.gains:
        prefix, names = level_prefix(facts.parameters, each.ladder), list(each.words)
        yield Table(
            f"Mean length of the 95 % interval of totals, {facts.parameters.unit.many}",
            ("Region type", "Total of", "Totals", "Stage 2 alone", "Both stages", "Shorter by"),
            tuple(
                (
                    f"{prefix}{row['region_type']}",
                    each.words[row["statistic"]],
                    row["totals"],
                    f"{row['one_stage']:,.1f}",
                    f"{row['both_stages']:,.1f}",
                    f"{100 * (1 - row['both_stages'] / row['one_stage']):.0f} %" if row["one_stage"] else "–",
                )
                for row in sorted(
                    each.gains,
                    key=lambda row: (facts.region_types.index(row["region_type"]), names.index(row["statistic"])),
                )
            ),
        )
