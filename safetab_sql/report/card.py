"""What a notebook shows of a release: some sentences, the published groups of each region type, an age pyramid."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
from markupsafe import Markup

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.kit.figures import can_draw, svg
from safetab_sql.kit.reading_connection import reading_connection
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.public.ladders import Ladder, attributes_of
from safetab_sql.public.unit import in_words
from safetab_sql.published.manifest import MANIFEST, unit_from_json
from safetab_sql.published.release import table_files
from safetab_sql.published.release_facts import (
    ReleaseFacts,
    described,
    release_day,
    release_facts,
    taken_apart,
    understood,
)
from safetab_sql.report.page import shown, template
from safetab_sql.report.privacy_sections import epsilon_bound
from safetab_sql.report.pyramids import largest_table, pyramid_figure, pyramid_rows
from safetab_sql.report.region_names import region_name

_MOST_GROUPS = 30_000  # of a region type, among which the one with the pyramid is looked for
_PYRAMID = "Bars are {many} per year of age; the lines across their ends are 95 % margins of error."


def sentences(out: Path, manifest: Mapping[str, Any]) -> str:
    """What was published in folder `out` and what it cost, in a few sentences. No table is read.

    Raises: InputError where the manifest is not that of a release.
    """
    of_run, reconciled = taken_apart(manifest, out / MANIFEST)
    about = described(of_run, out / MANIFEST)
    with understood(out / MANIFEST):
        ledger, levels = of_run["ledger"], [level["level"] for level in of_run["ledger"]["levels"]]
        loss = f"{ledger['budget_unit']} = {ledger['totals']['one_person']['decimal']}"
        bound = epsilon_bound(ledger)
        epsilon = "" if bound is None else f" (epsilon = {rounded_up(bound[0])} at delta = {bound[1].lower()})"
        said = (
            f"{about.title or 'Release'} of {release_day(of_run)}, in {out}.",
            f"Levels: {', '.join(levels)}.",
            f"One {unit_from_json(of_run['parameters'].get('unit', {})).one} loses at most {loss}{epsilon}.",
            *(["Its counts were reconciled, so that they add up."] if reconciled is not None else []),
            *(["Its records are simulated."] if about.is_simulated else []),
            *([] if of_run["releasable"] else ["Not for release: its noise did not come from the system's generator."]),
        )
    return " ".join(said)


def html_card(out: Path, manifest: Mapping[str, Any]) -> str:
    """The same with the number of published groups, and of sex by age the largest age pyramid of the nation, as HTML.

    Without the package that draws, there is no pyramid. Raises: InputError as `sentences`.
    """
    said, groups, picture = sentences(out, manifest), [], Markup()
    if taken_apart(manifest, out / MANIFEST)[0]["format"] == "parquet":
        facts = release_facts(manifest, out / MANIFEST)
        files = [file for name in facts.folders for file in table_files(out / name)]
        with reading_connection(files) as connection:
            groups = list(_groups(connection, out, facts))
            picture = _picture(connection, out, facts, groups)
    has_ladders = len({table for _, table, _ in groups}) > 1
    page = template("card.html")
    return page.render(said=said, groups=groups, has_ladders=has_ladders, picture=picture, shown=shown)


def _groups(connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts) -> Iterator[tuple[str, str, int]]:
    """Region type, name of its table, and how many groups have a published count, in the order of the levels."""
    for ladder in facts.parameters.ladders:
        totals = _totals(connection, out, facts, ladder)
        found = dict(totals.aggregate("REGION_TYPE, count(*)", "REGION_TYPE").fetchall())
        yield from ((name, ladder.name, found[name]) for name in facts.region_types if name in found)


def _totals(
    connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts, ladder: Ladder
) -> duckdb.DuckDBPyRelation:
    """One row per group with a published count: the totals of a ladder, where they stand apart or in its table."""
    rows = connection.read_parquet([str(file) for file in table_files(out / (ladder.totals_folder or ladder.folder))])
    if ladder.totals_folder is not None:
        return rows
    for attribute in attributes_of(ladder, facts.parameters.attributes):
        for column in attribute.publish:
            rows = rows.filter(duckdb.ColumnExpression(column) == duckdb.ConstantExpression(attribute.total))
    return rows


def _picture(
    connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts, groups: list[tuple[str, str, int]]
) -> Markup:
    """The pyramid of the largest table of the nation, or of the first region type; nothing where there is none."""
    sizes = {name: number for name, _, number in groups}
    first = min(sizes, key=lambda name: (name != "USA", name in facts.suppressed_types), default=None)
    if facts.own_ladders or first is None or sizes[first] > _MOST_GROUPS or not can_draw():
        return Markup()
    for name in facts.folders:
        connection.read_parquet([str(file) for file in table_files(out / name)]).create_view(name)
    statement = render(sql_files()["reported_groups"], {"picked_types": [first]})
    largest = largest_table(connection.sql(statement.inlined).to_arrow_table())
    if largest is None:
        return Markup()
    title = f"{largest['iteration_code']}, {region_name(largest['region_type'], largest['region_id'])}"
    unit = facts.parameters.unit
    drawn = svg(in_words(unit, pyramid_figure(title, pyramid_rows(largest))))
    caption = _PYRAMID.format(many="people" if unit.one == "person" else unit.many)
    return Markup("{}<p>{}</p>").format(Markup(drawn), caption)  # noqa: S704  (drawn by us)
