"""The report on a release: which sections, in which order, and the figures in them. `safetab-sql report`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.statement import ONE_PERSON, said_loss
from safetab_sql.kit.errors import DRAWING, missing_extras
from safetab_sql.kit.figures import Figure, svg
from safetab_sql.kit.words import listed, said
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.states import US_STATES
from safetab_sql.release.folder import ReleaseFacts, release_facts, released_codes, released_table
from safetab_sql.report.change_section import change_section, changes_of, names_of
from safetab_sql.report.counts import packed_counts
from safetab_sql.report.groups import largest_figure, largest_figures, words
from safetab_sql.report.page import Fact, Page, html, piece_files, region_maps, shown, template
from safetab_sql.report.privacy_sections import privacy_section, provenance_section, semantics_section
from safetab_sql.report.published_sections import quality_section, sections_of_levels
from safetab_sql.report.release import ENDS, Names, Reported, opened_tables, read_release, titles_of_levels
from safetab_sql.report.sections import LABELS, WORDS, Section, Values, relabelled
from safetab_sql.settings.ladders import GROUP_INDEX
from safetab_sql.statistics.names import opened_releases

_US_TYPES = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH")
_FEW = 5  # at most so many states are listed by name


@dataclass(frozen=True, slots=True)
class Report:
    """A report. html: the whole file. figures: its charts by the names their files get.

    pieces: the files of a folder beside the page, by name, of a release whose counts have no room in it.
    """

    html: str
    figures: Mapping[str, Figure]
    pieces: Mapping[str, str] = field(default_factory=dict)


def release_report(
    out: Path,
    code_lists: Path | None = None,
    *,
    accuracy: Sequence[Section] = (),
    shapes: Path | None = None,
    earlier: Sequence[Path] = (),
    beside: str = "",
) -> Report:
    """The report on the release in folder `out`, its iterations named where `code_lists` is a folder of code lists.

    accuracy: sections made from EXACT counts, which make the whole report confidential. shapes: file of the regions'
    shapes, for a map. earlier: folders of earlier releases of the same kind, the oldest first, for a section on change.
    beside: what the folder of pieces is called.
    Raises: InputError where a release or the lists cannot be read or compared, or the package that draws is missing.
    """
    release = read_release(out, code_lists)
    opened = opened_releases(folders := [*earlier, out])
    changes = changes_of(release, opened, folders) if earlier else None
    of_change = () if changes is None else (change_section(release, changes),)
    titles = titles_of_levels(release.facts)
    sections = (
        *(relabelled(each, titles) for each in (*sections_of_levels(release), *of_change)),
        *((quality_section(release.quality),) if release.quality else ()),
        privacy_section(release),
        semantics_section(release.facts.run.ledger, release.facts.parameters, out.absolute().name),
        *accuracy,
        provenance_section(release),
    )
    about = release.facts.about
    types = [kind.name for kind in release.facts.parameters.region_types if kind.name != "USA"]
    page = Page(
        title=about.title or _title(release),
        about=about,
        many=release.values["people"],
        byline=said(WORDS["sentences"]["byline"], {**release.values, "where": _where(release)}),
        facts=_facts(release),
        sections=sections,
        counts=packed_counts(opened, release, names_of(opened.given, folders)),
        beside=beside,
        region=release.names.region,
        maps=() if shapes is None else region_maps(shapes, types),
        is_releasable=release.facts.manifest.published.releasable,
        is_exact=bool(accuracy),
    )
    figures = {chart.name: chart.figure for section in sections for chart in section.figures}
    return Report(html(page), figures | dict(largest_figures(release)), piece_files(page))


def _title(release: Reported) -> str:
    """The title of a release that gives itself none: what its tables count, and by what."""
    parameters = release.facts.parameters
    attributes = [words(name) for ladder in parameters.ladders for name, _ in ladder.statistics[-1].cells]
    names = dict.fromkeys([*(question.name for question in parameters.questions.asked), *attributes])
    return release.label("title", {"names": listed(list(names))})


def _where(release: Reported) -> str:
    """The places that the release is for, as its Census region types show; empty for region types of the user's own."""
    types = {level.region_type for level in release.facts.levels}
    filtered = release.facts.parameters.geography.parts[0].where.get("TABBLKST")
    if filtered is None:
        return ""
    places = []
    if types & set(_US_TYPES):
        names = [Names().region("STATE", state) for state in sorted(filtered)]
        some = listed(names) if len(names) <= _FEW else release.label("states", {"number": len(names)})
        places.append(LABELS["of_nation"] if len(filtered) >= len(US_STATES) else some)
    if any(name.startswith("PR-") for name in types):
        places.append("Puerto Rico")
    where = release.label("where", {"places": listed(places)})
    return f" {where}" if places else ""


def _facts(release: Reported) -> list[Fact]:
    """What was published, how precise it is, and what it cost, in four figures."""
    facts, kinds, own = release.facts, release.kinds, WORDS["facts"]
    is_sex_by_age = facts.parameters.is_sex_by_age
    subjects = [LABELS["sex_by_age"] if is_sex_by_age else each.ladder.name for each in release.tables]

    def fact(name: str, figure: str, values: Values) -> Fact:
        return own[name], figure, said(own[f"{name}_note"], {**release.values, **values})

    levels = said(own["levels"], {"number": len(release.levels)})
    groups = f"{sum(kind['population_groups'] for kind in kinds):,}"
    tables = f"{sum(kind['population_groups'] for kind in kinds if kind['cells']):,}"
    # As noise left them, all counts of a kind have the same margin, but for totals that barely passed a threshold.
    as_drawn = facts.reconciled is None
    margins = [kind[f"{end}_cell_moe95"] for kind in kinds for end in (["median"] if as_drawn else ENDS)]
    ends = [f"{end:,.1f}".removesuffix(".0") for end in (min(margins), max(margins))] if margins else []
    note = own["margins_note" if as_drawn else "reconciled_note"]
    return [
        # Several ladders count a group once each, so their totals are more than the groups.
        fact("totals" if len(release.tables) > 1 else "groups", groups, {"levels": levels}),
        fact("tables", tables, {"subjects": listed(subjects)}),
        (own["margins"], f"±{' to '.join(dict.fromkeys(ends))}" if ends else "–", said(note, release.values)),
        _loss(release),
    ]


def _loss(release: Reported) -> Fact:
    """What the release cost, and whom."""
    ledger = release.facts.run.ledger.loss
    loss = f"{ledger.budget_unit} {rounded_up(ledger.totals[ONE_PERSON] or ledger.of_record, 3)}"
    return WORDS["facts"]["loss"], loss, f"{release.facts.quoted}; {ledger.person_rule}"


# What a notebook shows of a release: some sentences, the published groups of each region type, a picture of one.

_MOST_GROUPS = 30_000  # of a region type, among which the one with the pyramid is looked for


def sentences(out: Path, manifest: Mapping[str, Any]) -> str:
    """What was published in folder `out` and what it cost, in a few sentences. No table is read.

    Raises: InputError where the manifest is not of a release.
    """
    facts = release_facts(manifest, out / MANIFEST)
    values = {
        **{"facts": facts, "out": out, "loss": said_loss(facts.loss)},
        "levels": ", ".join(level.name for level in facts.levels),
    }
    return said(WORDS["sentences"]["card"], values)


def html_card(out: Path, manifest: Mapping[str, Any]) -> str:
    """The same with the number of published groups, and the age pyramid or the bars of the largest one, as HTML.

    Without the package that draws, there is no picture. Raises: InputError as `sentences`.
    """
    facts = release_facts(manifest, out / MANIFEST)
    groups = list(_groups(out, facts))
    has_ladders = len({table for _, table, _ in groups}) > 1
    values = {"said": sentences(out, manifest), "groups": groups, "has_ladders": has_ladders, "shown": shown}
    return template("card.html").render(values, picture=_picture(out, facts, groups))


def _groups(out: Path, facts: ReleaseFacts) -> Iterator[tuple[str, str, int]]:
    """Region type, name of its table, and how many groups have a published count, in the order of the levels."""
    keys = ["LADDER", "REGION_TYPE"]
    index = released_table(out / GROUP_INDEX)
    counted = index.to_table(columns=keys).group_by(keys).aggregate([([], "count_all")])
    found = {(row["LADDER"], row["REGION_TYPE"]): row["count_all"] for row in counted.to_pylist()}
    for ladder in facts.parameters.ladders:
        yield from (
            (name, ladder.name, found[ladder.name, name]) for name in facts.region_types if (ladder.name, name) in found
        )


def _picture(out: Path, facts: ReleaseFacts, groups: list[tuple[str, str, int]]) -> Markup:
    """The largest group of the nation, or of the first region type, that has a table: its pyramid or its bars."""
    sizes = {name: number for name, _, number in groups}
    first = min(sizes, key=lambda name: (name != "USA", name in facts.suppressed_types()), default=None)
    if first is None or sizes[first] > _MOST_GROUPS or missing_extras(DRAWING):
        return Markup()
    names = Names(released_codes(out, "ITERATION_CODE")).group
    with opened_tables(out, facts) as tables:
        for ladder in facts.parameters.ladders:
            tables.show(ladder, [first])
            drawn = largest_figure(facts.parameters, ladder, tables.made("reported_groups"), names)
            if drawn is not None:
                values = {"per": drawn[0].per, "people": facts.parameters.unit.people}
                caption = said(WORDS["sentences"]["picture"], values)
                return Markup("{}<p>{}</p>").format(Markup(svg(drawn[1])), caption)  # noqa: S704
    return Markup()
