"""The section on intervals: totals whose interval is longer on one side, percentages, and what both stages gain."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.ladders import MEASUREMENTS
from safetab_sql.published.derived import CountLaw, Shape, ratios
from safetab_sql.published.release import table_files
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.report.region_names import region_name
from safetab_sql.report.sections import Section, Table

_LEVEL = Fraction(95, 100)
Rows = Sequence[Mapping[str, Any]]


def read_intervals(database: Database, out: Path, facts: ReleaseFacts, names: Mapping[str, str]) -> Section | None:
    """The section of a release whose tables t1 and t2 are shown; None where counts were changed or cut at 0."""
    if facts.reconciled is not None or facts.is_clipped:
        return None
    wanted = ["reported_intervals", "reported_shares"]
    if facts.parameters.publish_stage_1:
        database.show("measured_groups", table_files(out / MEASUREMENTS))
        wanted.append("stage_1_gains")
    database.set_values({"first_type": facts.region_types[0]})
    found: dict[str, Rows] = {}
    for name in wanted:
        database.create(sql_files()[name])
        found[name] = database.table(name).to_pylist()
    return intervals_section(facts, found, names)


def intervals_section(facts: ReleaseFacts, found: Mapping[str, Rows], names: Mapping[str, str]) -> Section:
    """The section from the tables of sql/tools/report, by their names. names: of iterations, by code."""
    gains = found.get("stage_1_gains", ())
    tables = (
        *_sided_table(facts, found["reported_intervals"]),
        *_shares_table(facts, found["reported_shares"], names),
        *_gains_table(facts, gains),
    )
    both = (
        (
            "The total that decided how detailed a table is was paid for as if it were published, and here it is. "
            "Intervals that rest on both stages of noise are shorter, above all those of detailed tables; they hold "
            "although that total chose the table.",
        )
        if gains
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


def _sided_table(facts: ReleaseFacts, rows: Rows) -> Iterator[Table]:
    chosen = sorted(
        (row for row in rows if row["one_sided"]), key=lambda row: facts.region_types.index(row["region_type"])
    )
    if chosen:
        heads = ("Region type", "Published totals", "Longer on one side", "Smallest of them", "Largest of them")
        made = tuple(
            (row["region_type"], row["totals"], row["one_sided"], _interval(row, "least"), _interval(row, "most"))
            for row in chosen
        )
        yield Table("Totals whose 95 % interval is longer on one side, persons", heads, made)


def _interval(row: Mapping[str, Any], which: str) -> str:
    count, low, high = (row[f"{which}_{name}"] for name in ("count", "low95", "high95"))
    return f"{count:,}: from {low:,} to {high:,}"


def _shares_table(facts: ReleaseFacts, rows: Rows, names: Mapping[str, str]) -> Iterator[Table]:
    if rows:
        made = tuple(
            (names.get(row["iteration_code"], row["iteration_code"]), _place(row), *_share(facts, row)) for row in rows
        )
        heads = ("Group", "Region", "Total", "Female", "from", "to")
        yield Table("Share of women in the largest groups with a table, and its 95 % interval", heads, made)


def _place(row: Mapping[str, Any]) -> str:
    return region_name(row["region_type"], row["region_id"])


def _share(facts: ReleaseFacts, row: Mapping[str, Any]) -> tuple[str, ...]:
    (_, call), *_ = facts.calls_with(row["region_type"], row["variance"], ("stage_2",))
    half = row["cells"] // 2
    shape = Shape(CountLaw(call.law, half), CountLaw(call.law, row["cells"]), half)
    found = ratios(shape, np.array([row["females"]]), np.array([row["people"]]), _LEVEL)
    ends = (found.estimates[0], np.floor(1e4 * found.lows[0]) / 1e4, np.ceil(1e4 * found.highs[0]) / 1e4)
    return f"{row['people']:,}", *("–" if np.isnan(share) else f"{100 * share:.2f} %" for share in ends)


def _gains_table(facts: ReleaseFacts, rows: Rows) -> Iterator[Table]:
    if rows:
        order = sorted(rows, key=lambda row: (facts.region_types.index(row["region_type"]), row["cells"]))
        heads = ("Region type", "Total of", "Totals", "Stage 2 alone", "Both stages", "Shorter by")
        made = tuple(
            (
                row["region_type"],
                f"{row['cells']} cells" if row["cells"] else "no table",
                row["totals"],
                f"{row['one_stage']:,.1f}",
                f"{row['both_stages']:,.1f}",
                f"{100 * (1 - row['both_stages'] / row['one_stage']):.0f} %" if row["one_stage"] else "–",
            )
            for row in order
        )
        yield Table("Mean length of the 95 % interval of totals, persons", heads, made)
