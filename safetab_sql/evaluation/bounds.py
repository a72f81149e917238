"""What the bound on the records of a person does to counts: what it leaves out, beside the noise that is made for it.

Counts of public or synthetic data alone. Source: evaluation.md section 2.6.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import count_totals, make_group_totals
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import Intake
from safetab_sql.public.values import bound_values
from safetab_sql.settings.ladders import COUNTED
from safetab_sql.settings.unit import MOST_KEPT, Unit

LARGEST_START = 100_000  # of the bucket of the largest groups
BOUNDS = pa.schema(
    [
        *(("population_group_level", pa.string()), ("most_records", pa.int64()), ("size_start", pa.int64())),
        *(("groups_with_people", pa.int64()), ("exact", pa.int64()), ("counted", pa.int64())),
        *(("share_left_out", pa.float64()), ("bias", pa.float64()), ("moe95", pa.int64())),
        *(("noise_deviation", pa.float64()), ("root_mean_square_error", pa.float64())),
    ]
)


def bound_problems(unit: Unit, bounds: Sequence[int]) -> list[Problem]:
    """Problems of bounds to be compared: numbers that are no bound, or records whose parameters name no person."""
    wrong = [bound for bound in bounds if not 1 <= bound <= MOST_KEPT]
    found = [Problem(f"--most-records {each}", "is not a bound", f"give 1 to {MOST_KEPT:,}") for each in wrong]
    if bounds and unit.person is None:
        fix = "name the column of the person: [unit] person, with most_records"
        found.append(Problem("--most-records", "the parameters name no person", fix))
    return found


def bound_errors(intake: Intake, bounds: Sequence[int]) -> pa.Table:
    """Table BOUNDS: one row per level, bound and size bucket, and one per level and bound with size_start NULL.

    bounds: to be compared with the bound in the parameters. Sizes are of totals without a bound. exact, counted: what
    is counted without and with the bound, added up over groups. bias: mean of what a group lacks. moe95,
    noise_deviation: of a total that has noise of its own. root_mean_square_error: of such totals, by bias and noise
    together. No row where the parameters name no person. The database has the values of the parameters again
    afterwards.
    """
    unit = intake.parameters.unit
    if unit.person is None or unit.most_records is None:
        return BOUNDS.empty_table()
    database = intake.database
    catalog = build_catalog(database, intake.parameters)
    intake.stage("counting without a bound on the records of a person")
    _count(intake, catalog, replace(unit, most_records=MOST_KEPT))
    database.create(sql_files()["unbounded_totals"])
    rows: list[dict[str, Any]] = []
    for bound in sorted({unit.most_records, *bounds}):
        bounded = replace(unit, most_records=bound)
        intake.stage(f"counting with a bound of {bound:,}")
        _count(intake, catalog, bounded)
        found = database.select(sql_files()["bound_errors"], {}).to_pylist()
        left_out = sorted(found, key=lambda row: -1 if row["size_start"] is None else row["size_start"])
        plans = level_plans(catalog, replace(intake.parameters, unit=bounded))
        rows += (row for plan in plans if plan.measure == COUNTED for row in _rows(plan, bound, left_out))
    database.drop("unbounded_totals")  # of a nation, tens of millions of rows
    database.set_values(bound_values(unit))
    return pa.Table.from_pylist(rows, BOUNDS)


def _count(intake: Intake, catalog: Catalog, unit: Unit) -> None:
    """Make `group_totals` of the records that are counted with the bounds of `unit`."""
    intake.database.set_values(bound_values(unit))
    count_totals(replace(intake, parameters=replace(intake.parameters, unit=unit)))
    make_group_totals(intake.database, catalog)


def _rows(plan: LevelPlan, bound: int, left_out: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of one level and bound. left_out: rows of `bound_errors`."""
    law = (plan.calls.total_only if plan.is_total_only.all() else plan.calls.stage_2).law
    spread = float(variance(law))
    for row in left_out:
        if row["level_id"] == plan.catalog.level_id:
            groups, lacking = row["groups_with_people"], row["exact"] - row["counted"]
            yield {
                "population_group_level": plan.name,
                "most_records": bound,
                "size_start": row["size_start"],
                **{name: row[name] for name in ("groups_with_people", "exact", "counted")},
                "share_left_out": lacking / row["exact"],
                "bias": lacking / groups,
                "moe95": margin_of_error(law),
                "noise_deviation": sqrt(spread),
                "root_mean_square_error": sqrt(row["squared_bias"] / groups + spread),
            }


def bounds_text(bounds: pa.Table, unit: Unit) -> str:
    """A line for each level and bound for people to read. unit: of the parameters, whose bound has a star."""
    by_size: dict[tuple[str, int], dict[int | None, dict[str, Any]]] = {}
    for row in bounds.to_pylist():
        by_size.setdefault((row["population_group_level"], row["most_records"]), {})[row["size_start"]] = row
    starts = sorted({start for sizes in by_size.values() for start in sizes if start is not None})
    ends = {start: "+" if start == LARGEST_START else f"-{10 * start - 1:,}" for start in starts}  # see size_bucket
    head = ("level", "most records", "left out", "MOE95", *(f"error of {start:,}{ends[start]}" for start in starts))
    rows = [
        (
            level,
            f"{bound:,}{'*' if bound == unit.most_records else ''}",
            f"{sizes[None]['share_left_out']:.2%}",
            f"±{sizes[None]['moe95']:,}",
            *(f"{sizes[start]['root_mean_square_error']:,.1f}" if start in sizes else "-" for start in starts),
        )
        for (level, bound), sizes in by_size.items()
    ]
    return aligned([head, *rows])
