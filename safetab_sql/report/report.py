"""The report on a release: which sections, in which order, and the figures in them. `safetab-sql report`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from safetab_sql.accounting.loss import ONE_PERSON, quoted_name, quoted_of, said_loss
from safetab_sql.accounting.written import decimal_text
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.extras import DRAWING
from safetab_sql.kit.figures import Figure, svg
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.states import US_STATES
from safetab_sql.public.values import level_prefix
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.release.facts import ReleaseFacts, release_facts
from safetab_sql.release.folder import released_codes, released_table, table_files
from safetab_sql.report.groups import (
    Codes,
    Panel,
    cell_rows,
    counts_of,
    groups_of,
    largest_figure,
    largest_figures,
    words,
)
from safetab_sql.report.page import Fact, Page, html, region_maps, shown, template
from safetab_sql.report.privacy_sections import epsilon_bound, privacy_section, provenance_section
from safetab_sql.report.published_sections import (
    detail_section,
    margins_section,
    published_section,
    quality_section,
    reconciliation_section,
    suppression_section,
    undercount_section,
)
from safetab_sql.report.release import LadderTables, Names, Reported, made, read_release, show_tables, subject
from safetab_sql.report.sections import Section, Table, listed, section
from safetab_sql.report.semantics_section import semantics_section
from safetab_sql.settings.about import About
from safetab_sql.settings.ladders import GROUP_INDEX, Statistic
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.intervals import shares

_NOT_RELEASABLE = (
    "Not for release: this run used random bits that are not the system's, which protect nobody, or totals that no "
    "release vouches for."
)
_US_TYPES = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH")
_FEW = 5  # at most so many states are listed by name
_EXACT = (
    "This report compares published counts with EXACT counts. It is for public or synthetic data only: beside a "
    "release of confidential data it would undo the protection."
)


@dataclass(frozen=True, slots=True)
class Report:
    """A report. html: the whole file. figures: its charts by the names their files get."""

    html: str
    figures: Mapping[str, Figure]


def release_report(
    out: Path,
    code_lists: Path | None = None,
    *,
    accuracy: Sequence[Section] = (),
    shapes: Path | None = None,
) -> Report:
    """The report on the release in folder `out`, its iterations named where `code_lists` is a folder of code lists.

    accuracy: sections made from EXACT counts, which make the whole report confidential. shapes: file of the regions'
    shapes, for a map.
    Raises: InputError where the release or the lists cannot be read, or the package that draws is missing.
    """
    release = read_release(out, code_lists)
    is_reconciled = release.facts.reconciled is not None
    sections = (
        *((reconciliation_section(release),) if is_reconciled else ()),
        published_section(release),
        detail_section(release),
        margins_section(release),
        *intervals_sections(release),
        undercount_section(release),
        suppression_section(release),
        *((quality_section(release.quality),) if release.quality else ()),
        privacy_section(release),
        semantics_section(release.facts.run.ledger, release.facts.parameters, out.absolute().name),
        *accuracy,
        provenance_section(release),
    )
    unit = release.unit
    simulated = f"The {unit.people} in these tables are simulated: none of them exist."
    page = Page(
        title=release.facts.about.title or _title(release),
        many=unit.people,
        byline=_byline(release),
        credits=tuple(_credits(release.facts.about)),
        banner=simulated if release.facts.about.is_simulated else None,
        warnings=_warnings(release, is_exact=bool(accuracy)),
        facts=tuple(_facts(release)),
        groups=groups_of(release),
        sections=sections,
        maps=() if shapes is None else region_maps(shapes, _shown_types(release)),
        is_exact=bool(accuracy),
    )
    figures = {chart.name: chart.figure for section in sections for chart in section.figures}
    return Report(html(page), figures | dict(largest_figures(release)))


def _warnings(release: Reported, *, is_exact: bool) -> tuple[str, ...]:
    """What the page says at its head, before everything else."""
    is_test = not release.facts.manifest.published.releasable
    return (*((_NOT_RELEASABLE,) if is_test else ()), *((_EXACT,) if is_exact else ()))


def _title(release: Reported) -> str:
    """The title of a release that gives itself none: what its tables count, and by what."""
    parameters = release.facts.parameters
    attributes = [words(name) for ladder in parameters.ladders for name, _ in ladder.statistics[-1].cells]
    names = dict.fromkeys([*(question.name for question in parameters.questions.all), *attributes])
    return f"{parameters.unit.many.capitalize()} by {listed(list(names))}"


def _byline(release: Reported) -> str:
    end = "Every count holds random noise; every margin says how much."
    if release.facts.reconciled is not None:
        end = f"Reconciled on {release.facts.made_on}: counts were changed so that they add up. {end}"
    return f"Released{_where(release)} on {release.facts.day}. {end}"


def _shown_types(release: Reported) -> list[str]:
    """The region types whose groups the page shows one by one, in the order of the parameters, without the nation."""
    shown = {group["region_type"] for each in release.tables for group in each.groups}
    return [kind.name for kind in release.facts.parameters.region_types if kind.name in shown - {"USA"}]


def _where(release: Reported) -> str:
    """The places that the release is for, as its Census region types show; empty for region types of the user's own."""
    types = {level.region_type for level in release.facts.levels}
    filtered = release.facts.parameters.geography.parts[0].where.get("TABBLKST")
    if filtered is None:
        return ""
    places = []
    if types & set(_US_TYPES):
        names = [Names().region("STATE", state) for state in sorted(filtered)]
        some = listed(names) if len(names) <= _FEW else f"{len(names)} states of the United States"
        places.append("the United States" if len(filtered) >= len(US_STATES) else some)
    if any(name.startswith("PR-") for name in types):
        places.append("Puerto Rico")
    return f" for {' and '.join(places)}" if places else ""


def _credits(about: About) -> Iterator[Fact]:
    """The publisher, the contact and the note of the release."""
    for label, text in (("Published by", about.publisher), ("Contact", about.contact), ("Note", about.note)):
        if text is not None:
            yield Fact(label, text, "")


def _facts(release: Reported) -> list[Fact]:
    """What was published, how precise it is, and what it cost, in four figures."""
    ledger = release.facts.run.ledger.loss
    subjects = [subject(release.facts.parameters, each.ladder) for each in release.tables]
    groups = sum(kind.population_groups for kind in release.kinds)
    tables = sum(kind.population_groups for kind in release.kinds if kind.cells)
    # As noise left them, all counts of a kind have the same margin, but for totals that barely passed a threshold.
    ends = slice(1, 2) if release.facts.reconciled is None else slice(0, 3)
    margins = [moe95 for kind in release.kinds for moe95 in kind.cell_moe95s[ends]]
    levels = f"{len(release.facts.levels)} {'level' if len(release.facts.levels) == 1 else 'levels'}"
    by = "level" if release.facts.reconciled is None else "region type"
    bound = epsilon_bound(ledger)
    unit, totals = release.unit, ledger.totals
    protected = [] if unit.is_person else [quoted_of(unit, totals), ledger.person_rule]
    return [
        _groups_fact(release, groups, levels),
        Fact("Tables", f"{tables:,}", f"beside totals, of {listed(subjects)}"),
        Fact("Margins of error", _span(margins), f"{unit.many}, of one count, by {by}"),
        Fact(
            "Privacy loss",
            f"{ledger.budget_unit} {decimal_text(totals[quoted_name(totals)] or Fraction(0))}",
            "; ".join([*([f"{bound}, at most"] if bound else []), *protected]),
        ),
    ]


def _groups_fact(release: Reported, totals: int, levels: str) -> Fact:
    """Several ladders count a group once each, so their totals are more than the groups."""
    if len(release.tables) > 1:
        return Fact("Totals", f"{totals:,}", f"one a population group and table, at {levels}")
    return Fact("Population groups", f"{totals:,}", f"with a published total, at {levels}")


def _span(margins: Sequence[float]) -> str:
    if not margins:
        return "–"
    low, high = min(margins), max(margins)
    first, last = (f"{end:,.1f}".removesuffix(".0") for end in (low, high))
    return f"±{first}" if first == last else f"±{first} to {last}"


# What a notebook shows of a release: some sentences, the published groups of each region type, a picture of one.

_NOT_RELEASABLE_SHORT = "Not for release: other random bits than the system's, or totals that no release vouches for."
_MOST_GROUPS = 30_000  # of a region type, among which the one with the pyramid is looked for


def sentences(out: Path, manifest: Mapping[str, Any]) -> str:
    """What was published in folder `out` and what it cost, in a few sentences. No table is read.

    Raises: InputError where the manifest is not of a release.
    """
    facts = release_facts(manifest, out / MANIFEST)
    unit, ledger = facts.parameters.unit, facts.run.ledger.loss
    converted = "" if ledger.budget_unit == "epsilon" else epsilon_bound(ledger)
    whose = "person" if quoted_name(ledger.approximate_dp) == ONE_PERSON and unit.person is None else unit.holder
    is_test = not facts.manifest.published.releasable
    said = (
        f"{facts.about.title or 'Release'} of {facts.day}, in {out}.",
        f"Levels: {', '.join(level.name for level in facts.levels)}.",
        said_loss(unit, facts.loss),
        *([f"By conversion, one {whose} loses at most {converted}."] if converted else []),
        *(["Its counts were reconciled, so that they add up."] if facts.reconciled is not None else []),
        *(["Its records are simulated."] if facts.about.is_simulated else []),
        *([_NOT_RELEASABLE_SHORT] if is_test else []),
    )
    return " ".join(said)


def html_card(out: Path, manifest: Mapping[str, Any]) -> str:
    """The same with the number of published groups, and the age pyramid or the bars of the largest one, as HTML.

    Without the package that draws, there is no picture. Raises: InputError as `sentences`.
    """
    said, groups, picture = sentences(out, manifest), [], Markup()
    facts = release_facts(manifest, out / MANIFEST)
    if facts.run.format == "parquet":
        groups = list(_groups(out, facts))
        picture = _picture(out, facts, groups)
    has_ladders = len({table for _, table, _ in groups}) > 1
    page = template("card.html")
    return page.render(said=said, groups=groups, has_ladders=has_ladders, picture=picture, shown=shown)


def _groups(out: Path, facts: ReleaseFacts) -> Iterator[tuple[str, str, int]]:
    """Region type, name of its table, and how many groups have a published count, in the order of the levels."""
    index = released_table(out / GROUP_INDEX, ("REGION_TYPE", "LADDER"))
    counted = (
        index.to_table(columns=["LADDER", "REGION_TYPE"])
        .group_by(["LADDER", "REGION_TYPE"])
        .aggregate([([], "count_all")])
    )
    found = {(row["LADDER"], row["REGION_TYPE"]): row["count_all"] for row in counted.to_pylist()}
    for ladder in facts.parameters.ladders:
        yield from (
            (name, ladder.name, found[ladder.name, name]) for name in facts.region_types if (ladder.name, name) in found
        )


def _picture(out: Path, facts: ReleaseFacts, groups: list[tuple[str, str, int]]) -> Markup:
    """The largest group of the nation, or of the first region type, that has a table: its pyramid or its bars."""
    sizes = {name: number for name, _, number in groups}
    first = min(sizes, key=lambda name: (name != "USA", name in facts.suppressed_types), default=None)
    if first is None or sizes[first] > _MOST_GROUPS or DRAWING.problems:
        return Markup()
    names = Names(released_codes(out, "ITERATION_CODE")).group
    files = [file for name in (*facts.folders, GROUP_INDEX) for file in table_files(out / name)]
    with scratch_folder(None) as scratch, open_database(scratch, files, [], Resources()) as database:
        for ladder in facts.parameters.ladders:
            show_tables(database, out, facts, ladder, [first])
            drawn = largest_figure(facts.parameters, ladder, made(database, "reported_groups"), names)
            if drawn is not None:
                return Markup("{}<p>{}</p>").format(Markup(svg(drawn[1])), _caption(drawn[0], facts.parameters.unit))  # noqa: S704
    return Markup()


def _caption(panel: Panel, unit: Unit) -> str:
    if not panel.values:
        return "The lines across the ends of bars are 95 % intervals."
    return f"Bars are {unit.people} per {panel.per}; the lines across their ends are 95 % margins of error."


# The section on intervals: totals whose interval is longer on one side, percentages, and what both stages gain.

_LEVEL = Fraction(95, 100)
_MOST_SHARES = 10


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
    return (section("intervals", release.values, tables=tables),)


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
