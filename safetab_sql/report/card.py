"""What a notebook shows of a release: some sentences, the published groups of each region type, a picture of one."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import ONE_PERSON, quoted_name, said_loss
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.extras import DRAWING
from safetab_sql.kit.figures import svg
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.release.facts import ReleaseFacts, release_facts
from safetab_sql.release.folder import released_codes, released_table, table_files
from safetab_sql.report.groups import Panel, largest_figure
from safetab_sql.report.page import shown, template
from safetab_sql.report.privacy_sections import epsilon_bound
from safetab_sql.report.release import Names, made, show_tables
from safetab_sql.settings.ladders import GROUP_INDEX
from safetab_sql.settings.unit import Unit

_NOT_RELEASABLE = "Not for release: other random bits than the system's, or totals that no release vouches for."
_MOST_GROUPS = 30_000  # of a region type, among which the one with the pyramid is looked for


def sentences(out: Path, manifest: Mapping[str, Any]) -> str:
    """What was published in folder `out` and what it cost, in a few sentences. No table is read.

    Raises: InputError where the manifest is not of a release.
    """
    facts = release_facts(manifest, out / MANIFEST)
    unit, ledger = facts.parameters.unit, facts.run.ledger.loss
    bound = None if ledger.budget_unit == "epsilon" else epsilon_bound(ledger)
    converted = "" if bound is None else f"epsilon {rounded_up(bound[0])} at delta {bound[1].lower()}"
    whose = "person" if quoted_name(ledger.approximate_dp) == ONE_PERSON and unit.person is None else unit.holder
    is_test = not facts.manifest.published.releasable
    said = (
        f"{facts.about.title or 'Release'} of {facts.day}, in {out}.",
        f"Levels: {', '.join(level.name for level in facts.levels)}.",
        said_loss(unit, facts.loss),
        *([f"By conversion, one {whose} loses at most {converted}."] if converted else []),
        *(["Its counts were reconciled, so that they add up."] if facts.reconciled is not None else []),
        *(["Its records are simulated."] if facts.about.is_simulated else []),
        *([_NOT_RELEASABLE] if is_test else []),
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
