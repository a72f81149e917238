"""`validate`, `plan`, `run` and `ground-truth`: the main job."""

import argparse
import sys

from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    Commands,
    add_inputs,
    add_ledger,
    add_out,
    add_parameters,
    add_resources,
    inputs_of,
    ledger_file_of,
    new_command,
    resources_of,
)
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.plan import preview, preview_text
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import reported_progress
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
    add_ledger(command)
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
        warnings = validate(inputs_of(options), resources=resources_of(options), progress=progress)
    told = f"; {len(warnings)} warning{'s' if len(warnings) > 1 else ''} on stderr" if warnings else ""
    print(f"no problems found{told}")


def _plan(options: argparse.Namespace) -> None:
    if options.people is not None and options.people < 1:
        raise InputError([Problem("--people", f"{options.people} is not a number of people", "give at least 1")])
    seen = preview(options.parameters, options.geography, options.code_lists, Resources())
    print(preview_text(seen, options.people))


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        run(
            inputs_of(options),
            options.out,
            format=options.format,
            overwrite=options.overwrite,
            ledger_file=ledger_file_of(options),
            resources=resources_of(options),
            progress=progress,
        )
    print(options.out)


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
