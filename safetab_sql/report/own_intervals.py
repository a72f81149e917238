"""The section on intervals of tables of one's own: one-sided intervals, percentages, and what both stages gain."""

from collections.abc import Iterator, Sequence
from itertools import islice

from safetab_sql.public.values import level_prefix
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.report.intervals_section import (
    gains_table,
    group_names,
    percentages,
    section_of,
    shares_table,
    sided_table,
)
from safetab_sql.report.names import Names
from safetab_sql.report.own_tables import Codes, OwnTables, cell_rows, table_names
from safetab_sql.report.sections import Section, Table
from safetab_sql.settings.ladders import Statistic

_MOST_SHARES = 10


def own_intervals_section(facts: ReleaseFacts, tables: Sequence[OwnTables], names: Names) -> Section | None:
    """The section on the tables of all ladders; None where counts were changed or cut at 0."""
    if facts.reconciled is not None or facts.is_clipped:
        return None
    made: list[Table] = []
    for own in tables:
        prefix = level_prefix(facts.parameters, own.ladder)
        labels = {name: name for name in table_names(own.ladder)}
        made += sided_table(facts, own.intervals, prefix)
        made += _shares_table(facts, own, names)
        made += gains_table(facts, own.gains, labels, prefix)
    return section_of(tuple(made), has_gains=any(own.gains for own in tables))


def _shares_table(facts: ReleaseFacts, own: OwnTables, names: Names) -> Iterator[Table]:
    """Shares of the last group of the first attribute of the coarsest table, in the largest groups."""
    name, grouping = own.ladder.statistics[0].cells[0]
    attribute = next(each for each in own.attributes if each.name == name)
    *_, last = attribute.grouping(grouping).codes
    parts = {statistic.name: _part(own, statistic, name, grouping) for statistic in own.ladder.statistics}
    first_type = own.ladder.levels[0].level.region_type
    groups = (group for group in own.groups if group["region_type"] == first_type and parts.get(group["statistic"]))
    rows = []
    for group in islice(sorted(groups, key=lambda group: -group["noisy_count"]), _MOST_SHARES):
        cells = parts[group["statistic"]]
        counts = {tuple(codes): count for codes, count in zip(group["codes"], group["noisy_counts"], strict=True)}
        law = facts.level_called(own.ladder.name, group["level_name"]).calls.stage_2.law
        part = sum(counts[codes] for codes, is_part in cells.items() if is_part)
        sizes = (sum(cells.values()), len(cells))
        rows.append((group_names(group, names), percentages(law, sizes, part, sum(counts[codes] for codes in cells))))
    code = "–".join(dict.fromkeys(last))
    title = f"{own.ladder.name}: share of {name} {code} in the largest groups with a table, and its 95 % interval"
    yield from shares_table(title, f"{name} {code}", rows)


def _part(own: OwnTables, statistic: Statistic, name: str, grouping: str) -> dict[Codes, bool]:
    """Whether each cell of a table is in the last group of a grouping; none where the table does not tell."""
    finer = dict(statistic.cells).get(name)
    if finer is None:
        return {}
    attribute = next(each for each in own.attributes if each.name == name)
    coarse, fine = attribute.grouping(grouping), attribute.grouping(finer)
    last = len(coarse.codes) - 1
    both = set(zip(fine.members, (group == last for group in coarse.members), strict=True))
    if len(both) > len(fine.codes):
        return {}
    is_last = {fine.codes[group]: is_part for group, is_part in both}
    place = [each for each, _ in statistic.cells].index(name)
    return {codes: is_last[combination[place]] for combination, codes in cell_rows(own.attributes, statistic.cells)}
