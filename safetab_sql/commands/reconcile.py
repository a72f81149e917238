"""`reconcile`: a release made consistent, as another folder."""

import argparse
from math import sqrt
from pathlib import Path

from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Commands, add_json, add_machine, add_out, new_command, resources_of
from safetab_sql.jobs.reconcile import Reconciliation, reconcile
from safetab_sql.kit.progress import reported_progress
from safetab_sql.kit.text_tables import aligned, counted
from safetab_sql.public.unit import Unit
from safetab_sql.published.release import unit_of

_LEFT_OUT = (
    "the stage-1 totals of the release were left out: of two-sided geometric noise (pure DP) no sum of both stages "
    "says all that they say, so no estimate from both is known to be right on average; the folder measurements has them"
)


def add_reconcile(commands: Commands) -> None:
    """`reconcile`: least squares over regions that divide one another, iterations that make up others, and stage 1."""
    summary = "make the counts of a release add up, by least squares, in another folder"
    command = new_command(commands, "reconcile", summary, "demo/release --out reconciled")
    command.add_argument(
        "release", type=Path, metavar="OUT", help="folder that `run` made, in Parquet; it stays as it is"
    )
    add_out(command)
    what = "the geography file of the run; without it, region types with suppressed totals stay as they are"
    command.add_argument("--geography", metavar="F", help=what)
    what = (
        "the code lists of the run: iterations that make up another one add up to it; also counts the totals that are "
        "larger than totals that include their people"
    )
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    command.add_argument("--integers", action="store_true", help="make whole numbers that are unbiased and add up")
    add_json(command)
    add_machine(command)
    command.set_defaults(command=_reconcile)


def _reconcile(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        done = reconcile(
            options.release,
            options.out,
            geography=options.geography,
            code_lists=options.code_lists,
            integers=options.integers,
            overwrite=options.overwrite,
            resources=resources_of(options),
            progress=progress,
        )
    if options.json:
        print(json_text(members(done, without="manifest")))
        return
    print(reconciliation_text(done, unit_of(options.release)))


def reconciliation_text(done: Reconciliation, unit: Unit) -> str:
    """What was done, for people to read. unit: what a record is."""
    header = ("table", "region type", "adds up to", "rows", "changed", "noise before", "after")
    rows = [
        (
            row.published_table,
            row.region_type,
            done.divisions.get(row.region_type, "nothing"),
            f"{row.published_rows:,}",
            f"{row.changed_rows:,}",
            f"{sqrt(row.noisy_variance):,.2f}",
            f"{sqrt(row.reconciled_variance):,.2f}",
        )
        for row in done.types
    ]
    noise = f"noise: root mean square of the standard deviations, {unit.many}"
    used = ["the stage-1 totals of the release were used"] if done.uses_stage_1 else []
    used += [_LEFT_OUT] if done.leaves_out_stage_1 else []
    nested = counted(done.nested, "iteration is known to be part", "iterations are known to be parts")
    used += [f"{nested} of another one"] if done.nested else []
    return "\n".join([aligned([header, *rows]), noise, *used, *_orders_text(done)])


def _orders_text(done: Reconciliation) -> list[str]:
    """How many totals are larger than totals that include their people; empty where no lists say that any could be."""
    if not done.orders:
        return []
    header = ("region type", "totals of", "above totals of", "compared", "as released", "reconciled")
    rows = [
        (
            orders.region_type,
            f"{orders.narrow_kind}, level {orders.narrow_level}",
            f"{orders.wide_kind}, level {orders.wide_level}",
            f"{orders.compared:,}",
            f"{orders.noisy_broken:,}",
            f"{orders.reconciled_broken:,}",
        )
        for orders in done.orders
    ]
    note = "compared: pairs of iterations where the second includes everybody in the first; this order is not enforced"
    return ["", aligned([header, *rows]), note]
