"""The report on a release: which sections, in which order, and the figures in them. `safetab-sql report`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.published.releases import release_day
from safetab_sql.report.figures import Figure
from safetab_sql.report.page import Fact, Page, Pyramids, html
from safetab_sql.report.privacy_sections import epsilon_bound, privacy_section, provenance_section
from safetab_sql.report.published_sections import (
    detail_section,
    margins_section,
    published_section,
    suppression_section,
)
from safetab_sql.report.pyramids import OLDEST_AGE, largest_table, packed_groups, pyramid_figure, pyramid_rows
from safetab_sql.report.release import Release, read_release
from safetab_sql.report.sections import Section
from safetab_sql.report.semantics_section import semantics_section
from safetab_sql.report.states import region_name

_TITLE = "Population by detailed race and ethnicity"
_NOT_RELEASABLE = "Not for release: this run did not draw its noise from the system's generator, so it protects nobody."
_EXACT = (
    "This report compares published counts with EXACT counts. It is for public or synthetic data only: beside a "
    "release "
    "of confidential data it would undo the protection."
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
) -> Report:
    """The report on the release in folder `out`, its iterations named where `code_lists` is a folder of code lists.

    accuracy: sections made from EXACT counts, which make the whole report confidential.
    Raises: InputError where the release or the lists cannot be read, or the package that draws is missing.
    """
    release = read_release(out, code_lists)
    largest = largest_table(release)
    sections = (
        published_section(release),
        detail_section(release),
        margins_section(release),
        suppression_section(release),
        privacy_section(release),
        semantics_section(release.manifest, out.absolute().name),
        *accuracy,
        provenance_section(release),
    )
    page = Page(
        title=_TITLE,
        byline=_byline(release),
        warnings=(
            *(() if release.manifest["releasable"] else (_NOT_RELEASABLE,)),
            *((_EXACT,) if accuracy else ()),
        ),
        facts=tuple(_facts(release)),
        pyramids=_pyramids(release) if release.groups.num_rows else None,
        sections=sections,
    )
    figures = {chart.name: chart.figure for section in sections for chart in section.figures}
    if largest is not None:
        code = largest["iteration_code"]
        where = region_name(largest["region_type"], largest["region_id"])
        title = f"{release.names.get(code, code)}, {where}"
        figures["age-pyramid"] = pyramid_figure(title, pyramid_rows(largest))
    return Report(html(page), figures)


def _byline(release: Release) -> str:
    day = release_day(release.manifest)
    parts = sorted({level.part for level in release.levels})
    where = " and ".join({"US": "the United States", "PR": "Puerto Rico"}[part] for part in reversed(parts))
    return f"Released for {where} on {day}. Every count holds random noise; every margin says how much."


def _facts(release: Release) -> list[Fact]:
    """What was published, how precise it is, and what it cost, in four figures."""
    ledger = release.manifest["ledger"]
    groups = sum(kind.population_groups for kind in release.kinds)
    tables = sum(kind.population_groups for kind in release.kinds if kind.cells)
    margins = [kind.count_moe95 for kind in release.kinds]
    bound = epsilon_bound(ledger)
    note = "" if bound is None else f"epsilon {rounded_up(bound[0])} at delta {bound[1].lower()}, at most"
    return [
        Fact("Population groups", f"{groups:,}", f"with a published total, at {len(release.levels)} levels"),
        Fact("Tables of sex by age", f"{tables:,}", "for groups large enough"),
        Fact("Margins of error", _span(margins), "persons, of one count, by level"),
        Fact("Privacy loss", f"{ledger['budget_unit']} {ledger['totals']['one_person']['decimal']}", note),
    ]


def _span(margins: Sequence[float]) -> str:
    if not margins:
        return "–"
    low, high = min(margins), max(margins)
    return f"±{low:,.0f}" if low == high else f"±{low:,.0f} to {high:,.0f}"


def _pyramids(release: Release) -> Pyramids:
    """The pyramids of all groups of nation and states; the page opens with the nation, or else the first region."""
    groups = packed_groups(release)
    regions = groups["regions"]
    types = [region[0] for region in regions] if isinstance(regions, list) else []
    first = types.index("USA") if "USA" in types else 0
    return Pyramids(
        title="Age pyramids",
        groups={**groups, "oldest": OLDEST_AGE, "first": first},
        template=pyramid_figure("", ()),
    )
