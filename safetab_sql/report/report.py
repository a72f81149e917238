"""The report on a release: which sections, in which order, and the figures in them. `safetab-sql report`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import quoted_name, quoted_of
from safetab_sql.accounting.written import decimal_text
from safetab_sql.kit.figures import Figure
from safetab_sql.public.states import US_STATES
from safetab_sql.report.bars import bars_figure, largest_bars, packed_tables
from safetab_sql.report.detail_sections import detail_section, own_detail_section
from safetab_sql.report.names import Names, iteration_name, region_name
from safetab_sql.report.page import Fact, Groups, Page, html
from safetab_sql.report.privacy_sections import epsilon_bound, privacy_section, provenance_section
from safetab_sql.report.published_sections import margins_section, published_section, suppression_section
from safetab_sql.report.pyramids import OLDEST_AGE, largest_table, packed_groups, pyramid_figure, pyramid_rows
from safetab_sql.report.quality_section import quality_section
from safetab_sql.report.reconciled_section import reconciled_margins_section, reconciliation_section
from safetab_sql.report.release import Reported, read_release
from safetab_sql.report.sections import Section
from safetab_sql.report.semantics_section import semantics_section
from safetab_sql.report.shapes import region_maps
from safetab_sql.report.undercount_section import undercount_section
from safetab_sql.settings.about import About

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
    largest = None if release.own_tables else largest_table(release.groups)
    is_reconciled = release.facts.reconciled is not None
    sections = (
        *((reconciliation_section(release),) if is_reconciled else ()),
        published_section(release),
        own_detail_section(release) if release.own_tables else detail_section(release),
        reconciled_margins_section(release) if is_reconciled else margins_section(release),
        *(() if release.intervals is None else (release.intervals,)),
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
        groups=_bars(release) if release.own_tables else _pyramids(release) if release.groups.num_rows else None,
        sections=sections,
        maps=() if shapes is None else region_maps(shapes, _shown_types(release)),
        is_exact=bool(accuracy),
    )
    figures = {chart.name: chart.figure for section in sections for chart in section.figures}
    if largest is not None:
        where = region_name(release.names, largest["region_type"], largest["region_id"])
        title = f"{iteration_name(release.names, largest['iteration_code'])}, {where}"
        figures["age-pyramid"] = pyramid_figure(title, unit, pyramid_rows(largest))
    return Report(html(page), figures | dict(largest_bars(release)))


def _warnings(release: Reported, *, is_exact: bool) -> tuple[str, ...]:
    """What the page says at its head, before everything else."""
    is_test = not release.facts.manifest.published.releasable
    return (*((_NOT_RELEASABLE,) if is_test else ()), *((_EXACT,) if is_exact else ()))


def _title(release: Reported) -> str:
    """The title of a release that gives itself none: what its tables count, and by what."""
    parameters = release.facts.parameters
    if release.own_tables:
        names = dict.fromkeys(attribute.name for own in release.own_tables for attribute in own.attributes)
        return f"{parameters.unit.many.capitalize()} by {_listed(list(names))}"
    names = {question.name: None for question in parameters.questions.all}
    return f"{parameters.unit.many.capitalize()} by {_listed([*names, 'sex', 'age'])}"


def _byline(release: Reported) -> str:
    end = "Every count holds random noise; every margin says how much."
    if release.facts.reconciled is not None:
        end = f"Reconciled on {release.facts.made_on}: counts were changed so that they add up. {end}"
    return f"Released{_where(release)} on {release.facts.day}. {end}"


def _shown_types(release: Reported) -> list[str]:
    """The region types whose groups the page shows one by one, in the order of the parameters, without the nation."""
    if release.own_tables:
        shown = {group["region_type"] for own in release.own_tables for group in own.groups}
    else:
        shown = set(release.groups["region_type"].to_pylist())
    return [kind.name for kind in release.facts.parameters.region_types if kind.name in shown - {"USA"}]


def _where(release: Reported) -> str:
    """The places that the release is for, as its Census region types show; empty for region types of the user's own."""
    types = {level.region_type for level in release.facts.levels}
    filtered = release.facts.parameters.geography.parts[0].where.get("TABBLKST")
    if filtered is None:
        return ""
    places = []
    if types & set(_US_TYPES):
        names = [region_name(Names(), "STATE", state) for state in sorted(filtered)]
        some = _listed(names) if len(names) <= _FEW else f"{len(names)} states of the United States"
        places.append("the United States" if len(filtered) >= len(US_STATES) else some)
    if any(name.startswith("PR-") for name in types):
        places.append("Puerto Rico")
    return f" for {' and '.join(places)}" if places else ""


def _listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _credits(about: About) -> Iterator[Fact]:
    """The publisher, the contact and the note of the release."""
    for label, text in (("Published by", about.publisher), ("Contact", about.contact), ("Note", about.note)):
        if text is not None:
            yield Fact(label, text, "")


def _facts(release: Reported) -> list[Fact]:
    """What was published, how precise it is, and what it cost, in four figures."""
    ledger = release.facts.run.ledger.loss
    groups = sum(kind.population_groups for kind in release.kinds)
    tables = sum(kind.population_groups for kind in release.kinds if kind.cells)
    margins = [end for kind in release.kinds for end in (kind.count_moe95.least, kind.count_moe95.most)]
    levels = f"{len(release.facts.levels)} {'level' if len(release.facts.levels) == 1 else 'levels'}"
    by = "level" if release.facts.reconciled is None else "region type"
    bound = epsilon_bound(ledger)
    note = "" if bound is None else f"epsilon {rounded_up(bound[0])} at delta {bound[1].lower()}, at most"
    unit, totals = release.unit, ledger.totals
    protected = [] if unit.is_person else [quoted_of(unit, totals), ledger.person_rule]
    return [
        _groups_fact(release, groups, levels),
        *_tables_fact(release, tables),
        Fact("Margins of error", _span(margins), f"{unit.many}, of one count, by {by}"),
        Fact(
            "Privacy loss",
            f"{ledger.budget_unit} {decimal_text(totals[quoted_name(totals)] or Fraction(0))}",
            "; ".join(filter(None, [note, *protected])),
        ),
    ]


def _groups_fact(release: Reported, totals: int, levels: str) -> Fact:
    """Several ladders count a group once each, so their totals are more than the groups."""
    if len(release.own_tables) > 1:
        return Fact("Totals", f"{totals:,}", f"one a population group and table, at {levels}")
    return Fact("Population groups", f"{totals:,}", f"with a published total, at {levels}")


def _tables_fact(release: Reported, tables: int) -> Iterator[Fact]:
    if release.own_tables:
        names = [own.ladder.name for own in release.own_tables]
        yield Fact("Tables", f"{tables:,}", f"beside totals, of {_listed(names)}")
    else:
        yield Fact("Tables of sex by age", f"{tables:,}", "for groups large enough")


def _span(margins: Sequence[float]) -> str:
    if not margins:
        return "–"
    low, high = min(margins), max(margins)
    first, last = (f"{end:,.1f}".removesuffix(".0") for end in (low, high))
    return f"±{first}" if first == last else f"±{first} to {last}"


def _pyramids(release: Reported) -> Groups:
    """The pyramids of the groups that are shown one by one; the page opens with the first region."""
    many = release.unit.people
    return Groups(
        id="pyramids",
        title="Age pyramids",
        how=f"Bars are {many} per year of age, so that equal areas are equal numbers of {many} however wide an age "
        "group is. The lines across their ends are 95 % margins of error. The oldest age group is open; it is drawn "
        "as if it ended at 100.",
        hidden=_hidden(release),
        groups={**packed_groups(release), "oldest": OLDEST_AGE, "many": many},
        template=pyramid_figure("", release.unit, ()),
    )


def _bars(release: Reported) -> Groups:
    """The bars of the groups that are shown one by one."""
    many = release.unit.people
    return Groups(
        id="bars-of-groups",
        title="Tables of groups",
        how="Each table has its total and its bars; the lines across the ends of bars are 95 % intervals. Bars of "
        "sums are drawn before those of the cells that they add up.",
        hidden=_hidden(release),
        groups={**packed_tables(release), "many": many},
        template=bars_figure("", many, ()),
        are_pyramids=False,
    )


def _hidden(release: Reported) -> str:
    hidden = release.hidden_types
    return f"The groups of {_listed(hidden)} are too many for a page; the tables have them." if hidden else ""
