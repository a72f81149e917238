"""`validate`, `plan`, `run` and `ground-truth`: the main job."""

import argparse
import sys
from pathlib import Path

from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    Commands,
    add_inputs,
    add_out,
    add_parameters,
    add_resources,
    inputs_of,
    new_command,
    resources_of,
)
from safetab_sql.database import Resources
from safetab_sql.errors import InputError, Problem
from safetab_sql.ground_truth import ground_truth
from safetab_sql.ledger_file import LedgerFile
from safetab_sql.preview import preview, preview_text
from safetab_sql.progress import reported_progress
from safetab_sql.public.budgets import exact_decimal
from safetab_sql.run import run, validate


def add_validate(commands: Commands) -> None:
    """`validate`: every check, nothing written."""
    command = new_command(commands, "validate", "check the inputs and report every problem", INPUT_EXAMPLE)
    add_inputs(command)
    add_resources(command)
    command.set_defaults(command=_validate)


def add_plan(commands: Commands) -> None:
    """`plan`: what a run will do and cost, no person record opened."""
    summary = "show what a run will do and cost, from public files alone"
    example = "--parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet"
    command = new_command(commands, "plan", summary, example)
    add_parameters(command)
    command.add_argument("--geography", metavar="F", help="one row per block; without it, no regions are counted")
    command.add_argument("--people", type=int, metavar="N", help="how many people there are, a public figure")
    command.set_defaults(command=_plan)


def add_run(commands: Commands) -> None:
    """`run`: the main job."""
    command = new_command(commands, "run", "count, add noise and publish T1 and T2", f"{INPUT_EXAMPLE} --out release")
    add_inputs(command)
    add_out(command)
    choices = ["parquet", "census"]
    command.add_argument(
        "--format",
        choices=choices,
        default="parquet",
        help="Parquet with margins of error, or production's text",
    )
    what = "the custodian's file of all runs, made if absent; this run is entered before it draws noise"
    command.add_argument("--ledger", type=Path, metavar="F", help=what)
    what = "refuse the run if the ledger's total for one person would exceed X, in the run's own rho or epsilon"
    command.add_argument("--ledger-limit", metavar="X", help=what)
    add_resources(command)
    command.set_defaults(command=_run)


def add_ground_truth(commands: Commands) -> None:
    """`ground-truth`: the exact tables."""
    summary = "write the EXACT tables, of public or synthetic data only"
    command = new_command(commands, "ground-truth", summary, f"{INPUT_EXAMPLE} --out truth")
    add_inputs(command)
    add_out(command)
    add_resources(command)
    command.set_defaults(command=_ground_truth)


def _validate(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        validate(inputs_of(options), resources=resources_of(options), progress=progress)
    print("no problems found")


def _plan(options: argparse.Namespace) -> None:
    seen = preview(options.parameters, options.geography, options.code_lists, Resources())
    print(preview_text(seen, options.people))


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        run(
            inputs_of(options),
            options.out,
            format=options.format,
            overwrite=options.overwrite,
            ledger_file=_ledger_file(options),
            resources=resources_of(options),
            progress=progress,
        )
    print(options.out)


def _ledger_file(options: argparse.Namespace) -> LedgerFile | None:
    """The ledger asked for. Raises: InputError where the limit is no budget, or limits nothing."""
    if options.ledger_limit is None:
        return None if options.ledger is None else LedgerFile(options.ledger)
    if options.ledger is None:
        raise InputError([Problem("--ledger-limit", "limits the runs of a ledger", "name the ledger: --ledger")])
    limit = exact_decimal(options.ledger_limit)
    if limit is None or limit <= 0:
        fix = "give a decimal above 0, such as 2.5"
        raise InputError([Problem("--ledger-limit", f"'{options.ledger_limit}' is not a budget", fix)])
    return LedgerFile(options.ledger, limit)


def _ground_truth(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        ground_truth(
            inputs_of(options),
            options.out,
            overwrite=options.overwrite,
            resources=resources_of(options),
            progress=progress,
        )
    print(f"{options.out} holds EXACT counts: for public or synthetic data only.", file=sys.stderr)
    print(options.out)
