"""The section on intervals: totals whose interval is longer on one side, percentages, and what both stages gain."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.values import rows_of
from safetab_sql.published.derived import CountLaw, Shape, ratios
from safetab_sql.published.release import table_files
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.report.names import Names, iteration_name, region_name
from safetab_sql.report.own_tables import table_names
from safetab_sql.report.sections import Section, Table
from safetab_sql.settings.ladders import MEASUREMENTS

_LEVEL = Fraction(95, 100)
Rows = Sequence[Mapping[str, Any]]


def read_intervals(database: Database, out: Path, facts: ReleaseFacts, names: Names) -> Section | None:
    """The section of a release whose tables t1 and t2 are shown; None where counts were changed or cut at 0."""
    if facts.reconciled is not None or facts.is_clipped:
        return None
    total_name = facts.parameters.ladders[0].total_name
    database.set_values({"first_type": facts.region_types[0], "columns_of_totals": [], "total_name": total_name})
    wanted = ["reported_intervals", "reported_shares"]
    if facts.parameters.publish_stage_1:
        database.show("measured_groups", table_files(out / MEASUREMENTS))
        wanted += ["reported_tables", "stage_1_gains"]
    found: dict[str, Rows] = {}
    for name in wanted:
        database.create(sql_files()[name])
        found[name] = database.table(name).to_pylist()
    return intervals_section(facts, found, names)


def intervals_section(facts: ReleaseFacts, found: Mapping[str, Rows], names: Names) -> Section:
    """The section from the tables of sql/tools/report, by their names."""
    shares = [(group_names(row, names), _share(facts, row)) for row in found["reported_shares"]]
    gains = found.get("stage_1_gains", ())
    ladder = facts.parameters.ladders[0]
    sizes = [f"{size} cells" for size in rows_of(facts.parameters, ladder).sizes]
    labels = dict(zip(table_names(ladder), ["no table", *sizes], strict=True))
    tables = (
        *sided_table(facts, found["reported_intervals"]),
        *shares_table("Share of women in the largest groups with a table, and its 95 % interval", "Female", shares),
        *gains_table(facts, gains, labels),
    )
    return section_of(tables, has_gains=bool(gains))


def section_of(tables: tuple[Table, ...], *, has_gains: bool) -> Section:
    """The section with these tables. has_gains: whether one of them tells what both stages gain."""
    both = (
        (
            "The total that decided how detailed a table is was paid for as if it were published, and here it is. "
            "Intervals that rest on both stages of noise are shorter, above all those of detailed tables; they hold "
            "although that total chose the table.",
        )
        if has_gains
        else ()
    )
    return Section(
        id="intervals",
        title="Intervals",
        paragraphs=(
            "LOW95 and HIGH95 hold the true count with a chance of at least 95 %, whatever noise chose before the "
            "count was published. Mostly they are the count minus and plus its margin. A small total of a suppressed "
            "region type is published only where it is large enough, so one that barely passed did so with high "
            "noise: its interval reaches further down than up.",
            "A percentage has an interval of its own: the noise that part and whole share cancels.",
            *both,
        ),
        tables=tables,
    )


def sided_table(facts: ReleaseFacts, rows: Rows, prefix: str = "") -> Iterator[Table]:
    """Totals with an interval that is longer on one side. rows: reported_intervals. prefix: of levels of a ladder."""
    chosen = sorted(
        (row for row in rows if row["one_sided"]), key=lambda row: facts.region_types.index(row["region_type"])
    )
    if chosen:
        heads = ("Region type", "Published totals", "Longer on one side", "Smallest of them", "Largest of them")
        made = tuple(
            (
                f"{prefix}{row['region_type']}",
                row["totals"],
                row["one_sided"],
                _interval(row, "least"),
                _interval(row, "most"),
            )
            for row in chosen
        )
        yield Table(f"Totals whose 95 % interval is longer on one side, {facts.parameters.unit.many}", heads, made)


def _interval(row: Mapping[str, Any], which: str) -> str:
    count, low, high = (row[f"{which}_{name}"] for name in ("count", "low95", "high95"))
    return f"{count:,}: from {low:,} to {high:,}"


def shares_table(title: str, part: str, rows: Sequence[tuple[tuple[str, str], tuple[str, ...]]]) -> Iterator[Table]:
    """Shares with their intervals. rows: group and region; the whole, the share and its ends."""
    if rows:
        yield Table(title, ("Group", "Region", "Total", part, "from", "to"), tuple((*one, *two) for one, two in rows))


def group_names(row: Mapping[str, Any], names: Names) -> tuple[str, str]:
    """The name of an iteration, and its region."""
    return iteration_name(names, row["iteration_code"]), region_name(names, row["region_type"], row["region_id"])


def _share(facts: ReleaseFacts, row: Mapping[str, Any]) -> tuple[str, ...]:
    (ladder,) = facts.parameters.ladders
    law = facts.level_called(ladder.name, row["level_name"]).calls.stage_2.law
    return percentages(law, (row["cells"] // 2, row["cells"]), row["females"], row["people"])


def percentages(law: Law, cells: tuple[int, int], part: int, whole: int) -> tuple[str, ...]:
    """The whole, the share of a part of it, and the ends of its interval. cells: of the part and of the whole."""
    shape = Shape(CountLaw(law, cells[0]), CountLaw(law, cells[1]), cells[0])
    found = ratios(shape, np.array([part]), np.array([whole]), _LEVEL)
    ends = (found.estimates[0], np.floor(1e4 * found.lows[0]) / 1e4, np.ceil(1e4 * found.highs[0]) / 1e4)
    return f"{whole:,}", *("–" if np.isnan(share) else f"{100 * share:.2f} %" for share in ends)


def gains_table(facts: ReleaseFacts, rows: Rows, labels: Mapping[str, str], prefix: str = "") -> Iterator[Table]:
    """What both stages gain. rows: stage_1_gains. labels: of tables, in their order. prefix: of levels of a ladder."""
    if rows:
        names = list(labels)
        order = sorted(
            rows, key=lambda row: (facts.region_types.index(row["region_type"]), names.index(row["statistic"]))
        )
        heads = ("Region type", "Total of", "Totals", "Stage 2 alone", "Both stages", "Shorter by")
        made = tuple(
            (
                f"{prefix}{row['region_type']}",
                labels[row["statistic"]],
                row["totals"],
                f"{row['one_stage']:,.1f}",
                f"{row['both_stages']:,.1f}",
                f"{100 * (1 - row['both_stages'] / row['one_stage']):.0f} %" if row["one_stage"] else "–",
            )
            for row in order
        )
        yield Table(f"Mean length of the 95 % interval of totals, {facts.parameters.unit.many}", heads, made)
