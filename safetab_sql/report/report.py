"""The report on a release: which sections, in which order, and the figures in them. `safetab-sql report`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import quoted_name, quoted_of
from safetab_sql.accounting.written import decimal_text
from safetab_sql.kit.figures import Figure
from safetab_sql.public.about import About
from safetab_sql.public.states import US_STATES
from safetab_sql.report.groups import groups_of, largest_figures, words
from safetab_sql.report.intervals_section import intervals_sections
from safetab_sql.report.page import Fact, Page, html
from safetab_sql.report.privacy_sections import epsilon_bound, privacy_section, provenance_section
from safetab_sql.report.published_sections import (
    detail_section,
    margins_section,
    published_section,
    quality_section,
    reconciled_margins_section,
    reconciliation_section,
    suppression_section,
    undercount_section,
)
from safetab_sql.report.release import Names, Reported, read_release, subject
from safetab_sql.report.sections import Section, listed
from safetab_sql.report.semantics_section import semantics_section
from safetab_sql.report.shapes import region_maps

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
        reconciled_margins_section(release) if is_reconciled else margins_section(release),
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
    margins = [end for kind in release.kinds for end in (kind.count_moe95.least, kind.count_moe95.most)]
    levels = f"{len(release.facts.levels)} {'level' if len(release.facts.levels) == 1 else 'levels'}"
    by = "level" if release.facts.reconciled is None else "region type"
    bound = epsilon_bound(ledger)
    note = "" if bound is None else f"epsilon {rounded_up(bound[0])} at delta {bound[1].lower()}, at most"
    unit, totals = release.unit, ledger.totals
    protected = [] if unit.is_person else [quoted_of(unit, totals), ledger.person_rule]
    return [
        _groups_fact(release, groups, levels),
        Fact("Tables", f"{tables:,}", f"beside totals, of {listed(subjects)}"),
        Fact("Margins of error", _span(margins), f"{unit.many}, of one count, by {by}"),
        Fact(
            "Privacy loss",
            f"{ledger.budget_unit} {decimal_text(totals[quoted_name(totals)] or Fraction(0))}",
            "; ".join(filter(None, [note, *protected])),
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
