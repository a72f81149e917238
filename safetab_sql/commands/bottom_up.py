"""`bottom-up`: histograms with two-sided geometric noise on every cell, their margins, and what each epsilon buys."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa

from safetab_sql.commands.answers import exact_answer, json_text
from safetab_sql.commands.options import (
    PUBLIC_ONLY,
    Commands,
    add_json,
    add_ledger,
    add_out,
    add_person_id,
    add_resources,
    ledger_file_of,
    new_command,
    resources_of,
)
from safetab_sql.evaluation.evaluate_margins import evaluate_margins, margins_json, margins_text
from safetab_sql.histograms.bottom_up import BottomUpInputs, bottom_up
from safetab_sql.histograms.evaluation.curve import EPSILONS, Trials, bottom_up_curve
from safetab_sql.histograms.public.ledger import histogram_ledger_text
from safetab_sql.histograms.public.records import Records
from safetab_sql.histograms.published.calibration import shown_count
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import reported_progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.settings.decimals import exact_decimal

_EXAMPLE = "--spec demo/nation/bottom-up.toml --data demo/nation/persons"


def add_bottom_up(commands: Commands) -> None:
    """`bottom-up`: its actions."""
    summary = "publish the margins of a histogram of any table, all of them sums of the same noisy cells"
    command = new_command(commands, "bottom-up", summary, f"run {_EXAMPLE} --out counties")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add_run(actions)
    _add_curve(actions)
    _add_evaluate(actions)


def _add_run(actions: Commands) -> None:
    summary = "count cells, add noise to every one, and publish margins"
    command = new_command(actions, "run", summary, f"{_EXAMPLE} --out counties", "bottom-up run")
    _add_inputs(command)
    add_out(command)
    what = "refuse the run if a public total is not the exact sum of its records: one person can change that"
    command.add_argument("--refuse-wrong-totals", action="store_true", help=what)
    add_ledger(command)
    add_json(command, "print the ledger, and the public totals that were left out, as JSON")
    add_resources(command)
    command.set_defaults(command=_run)


def _add_curve(actions: Commands) -> None:
    summary = "draw accuracy against epsilon, from EXACT counts of public or synthetic data only"
    command = new_command(actions, "curve", summary, f"{_EXAMPLE} --out curve", "bottom-up curve")
    _add_inputs(command)
    add_out(command)
    default = ", ".join(f"{float(epsilon):g}" for epsilon in EPSILONS)
    what = f"an epsilon to try; repeat for several; default: {default}"
    command.add_argument("--epsilon", action="append", default=[], metavar="E", help=what)
    what = "how often noise is drawn at each epsilon; default: 20"
    command.add_argument("--replicates", type=int, default=20, metavar="N", help=what)
    add_json(command)
    add_resources(command)
    command.set_defaults(command=_curve)


def _add_evaluate(actions: Commands) -> None:
    summary = "compare the margins of a histogram with EXACT ones, of public or synthetic data only"
    command = new_command(actions, "evaluate", summary, f"counties {_EXAMPLE}", "bottom-up evaluate")
    command.add_argument(
        "folder", type=Path, metavar="OUT", help="folder that `bottom-up run` made of --spec and --data"
    )
    _add_inputs(command)
    add_json(command, "as JSON, with the loss at every x")
    add_resources(command)
    command.set_defaults(command=_evaluate)


def _add_inputs(command: argparse.ArgumentParser) -> None:
    what = "TOML: epsilon, domains of the columns, margins"
    command.add_argument("--spec", type=Path, required=True, metavar="S", help=what)
    what = (
        "one record a row: Parquet or CSV (a file, a glob, a directory), or a table of a database, FILE.duckdb::TABLE"
    )
    command.add_argument("--data", required=True, metavar="F", help=what)
    add_person_id(command)


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        made = bottom_up(
            BottomUpInputs(options.spec, options.data, options.person_id, options.refuse_wrong_totals),
            options.out,
            overwrite=options.overwrite,
            ledger_file=ledger_file_of(options),
            resources=resources_of(options),
            progress=progress,
        )
    for total in made.left_out:
        counts = [shown_count(units, made.unit) for units in (total.total, total.noisy_sum)]
        what = f"the total {counts[0]} of {total.name} is left out: the noisy sum is {counts[1]}"
        print(f"{what}, and noise does not explain the difference", file=sys.stderr)
    if options.json:
        print(
            json_text(
                {
                    "out": options.out,
                    "ledger": made.manifest["ledger"],
                    "left_out": made.manifest.get("totals_left_out", []),
                }
            )
        )
        return
    print(histogram_ledger_text(made.ledger))
    print(options.out)


def _curve(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        curve = bottom_up_curve(
            options.spec,
            Records(options.data, options.person_id),
            options.out,
            trials=Trials(_epsilons(options.epsilon) or EPSILONS, options.replicates),
            overwrite=options.overwrite,
            resources=resources_of(options),
            progress=progress,
        )
    print(f"{options.out} was measured on EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    if options.json:
        print(exact_answer({"out": options.out, "curve": curve}))
        return
    print(exact_answer(_curve_text(curve)))
    print(options.out)


def _evaluate(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        found = evaluate_margins(
            options.folder,
            options.spec,
            Records(options.data, options.person_id),
            resources=resources_of(options),
            progress=progress,
        )
    print(f"The margins are compared with EXACT ones: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer(margins_json(found) if options.json else margins_text(found)))


def _epsilons(given: list[str]) -> tuple[Fraction, ...]:
    """The epsilons, sorted. Raises: InputError with every text that is not a budget."""
    read = {text: exact_decimal(text) for text in given}
    wrong = [text for text, epsilon in read.items() if epsilon is None or epsilon <= 0]
    if wrong:
        fix = "give a decimal above 0, such as 0.5"
        raise InputError([Problem("--epsilon", f"'{text}' is not a budget", fix) for text in wrong])
    return tuple(sorted({epsilon for epsilon in read.values() if epsilon is not None}))


def _curve_text(curve: pa.Table) -> str:
    rows = [("epsilon", "margin", "L1", "L2", "A1", "A2")]
    rows += [
        (
            f"{row['epsilon']:g}",
            row["margin"],
            f"{row['l1']:,.4g}",
            f"{row['l2']:,.4g}",
            f"{row['a1']:.4f}",
            f"{row['a2']:.4f}",
        )
        for row in curve.to_pylist()
    ]
    return aligned(rows)
