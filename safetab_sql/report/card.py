"""What a notebook shows of a release: some sentences, the published groups of each region type, a picture of one."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
from markupsafe import Markup

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import ONE_PERSON, quoted_name, said_loss
from safetab_sql.kit.database import reading_connection
from safetab_sql.kit.extras import DRAWING
from safetab_sql.kit.figures import Figure, svg
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.release import released_codes, table_files
from safetab_sql.published.release_facts import ReleaseFacts, release_facts
from safetab_sql.report.bars import bars_figure
from safetab_sql.report.names import Names, iteration_name, region_name
from safetab_sql.report.page import shown, template
from safetab_sql.report.privacy_sections import epsilon_bound
from safetab_sql.report.pyramids import largest_table, pyramid_figure, pyramid_rows
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import GROUP_INDEX, Ladder, attributes_of
from safetab_sql.settings.unit import Unit

_NOT_RELEASABLE = "Not for release: other random bits than the system's, or totals that no release vouches for."
_MOST_GROUPS = 30_000  # of a region type, among which the one with the pyramid is looked for
_BARS = "The lines across the ends of bars are 95 % intervals."


def sentences(out: Path, manifest: Mapping[str, Any]) -> str:
    """What was published in folder `out` and what it cost, in a few sentences. No table is read.

    Raises: InputError where the manifest is not that of a release.
    """
    facts = release_facts(manifest, out / MANIFEST)
    unit, ledger = facts.parameters.unit, facts.run.ledger.loss
    bound = None if ledger.budget_unit == "epsilon" else epsilon_bound(ledger)
    converted = "" if bound is None else f"epsilon {rounded_up(bound[0])} at delta {bound[1].lower()}"
    whose = "person" if quoted_name(ledger.approximate_dp) == ONE_PERSON else unit.one
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
        files = [file for name in (*facts.folders, GROUP_INDEX) for file in table_files(out / name)]
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
    used = attributes_of(ladder, facts.parameters.attributes)
    return _with(rows, {column: attribute.total for attribute in used for column in attribute.publish})


def _picture(
    connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts, groups: list[tuple[str, str, int]]
) -> Markup:
    """One group of the nation, or of the first region type: its age pyramid or the bars of its table, if it has any."""
    sizes = {name: number for name, _, number in groups}
    first = min(sizes, key=lambda name: (name != "USA", name in facts.suppressed_types), default=None)
    if first is None or sizes[first] > _MOST_GROUPS or DRAWING.problems:
        return Markup()
    drawn = _bars(connection, out, facts, first) if facts.own_ladders else _pyramid(connection, out, facts, first)
    if drawn is None:
        return Markup()
    caption = _BARS if facts.own_ladders else _of_pyramid(facts.parameters.unit)
    return Markup("{}<p>{}</p>").format(Markup(svg(drawn)), caption)  # noqa: S704


def _of_pyramid(unit: Unit) -> str:
    return f"Bars are {unit.people} per year of age; the lines across their ends are 95 % margins of error."


def _pyramid(connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts, region_type: str) -> Figure | None:
    """The pyramid of the largest group of a region type that has a table."""
    for name in (*facts.folders, GROUP_INDEX):
        connection.read_parquet([str(file) for file in table_files(out / name)]).create_view(name)
    (ladder,) = facts.parameters.ladders
    levels = render(sql_files()["group_levels"], {"table_name": ladder.name})
    connection.sql(levels.inlined).create_view("group_levels")
    statement = render(sql_files()["reported_groups"], {"picked_types": [region_type]})
    largest = largest_table(connection.sql(statement.inlined).to_arrow_table())
    if largest is None:
        return None
    title = _called(out, largest["iteration_code"], region_type, largest["region_id"])
    return pyramid_figure(title, facts.parameters.unit, pyramid_rows(largest))


def _bars(connection: duckdb.DuckDBPyConnection, out: Path, facts: ReleaseFacts, region_type: str) -> Figure | None:
    """The cells of the table of the largest group of a region type, in the first ladder that has them."""
    for ladder in facts.parameters.ladders:
        totals = _with(_totals(connection, out, facts, ladder), {"REGION_TYPE": region_type})
        columns = ["REGION_ID", "ITERATION_CODE"]
        for group in totals.order("COUNT desc").limit(1).project(", ".join(columns)).fetchall():
            key = {"REGION_TYPE": region_type, **dict(zip(columns, group, strict=True))}
            files = [str(file) for file in table_files(out / ladder.folder)]
            rows = _with(connection.read_parquet(files), key).to_arrow_table().to_pylist()
            if cells := _cells(rows, attributes_of(ladder, facts.parameters.attributes)):
                title = _called(out, key["ITERATION_CODE"], region_type, key["REGION_ID"])
                return bars_figure(title, facts.parameters.unit.many, cells)
    return None


def _called(out: Path, iteration_code: str, region_type: str, region_id: str) -> str:
    """The names of an iteration, as the release lists it, and of a region."""
    names = Names(released_codes(out, "ITERATION_CODE"))
    return f"{iteration_name(names, iteration_code)}, {region_name(names, region_type, region_id)}"


def _with(rows: duckdb.DuckDBPyRelation, values: Mapping[str, str]) -> duckdb.DuckDBPyRelation:
    """The rows with these values."""
    for column, value in values.items():
        rows = rows.filter(duckdb.ColumnExpression(column) == duckdb.ConstantExpression(value))
    return rows


def _cells(rows: Sequence[Mapping[str, Any]], attributes: Sequence[Attribute]) -> list[dict[str, object]]:
    """Bars of the rows of a group that are no sums of others: these name the most attributes."""
    named = [[each for each in attributes if row[each.publish[0]] != each.total] for row in rows]
    most = max(map(len, named), default=0)
    return [
        {
            "label": ", ".join("–".join(dict.fromkeys(str(row[name]) for name in each.publish)) for each in its),
            "count": row["COUNT"],
            "low": row["LOW95"],
            "high": row["HIGH95"],
        }
        for row, its in zip(rows, named, strict=True)
        if len(its) == most > 0
    ]
