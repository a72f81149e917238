"""`ground-truth`: the exact tables, of public or synthetic data."""

import argparse
import sys

from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    PUBLIC_ONLY,
    Commands,
    add_inputs,
    add_out,
    add_resources,
    inputs_of,
    new_command,
    resources_of,
)
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.kit.progress import reported_progress


def add_ground_truth(commands: Commands) -> None:
    """`ground-truth`: the exact tables."""
    summary = "write the EXACT tables, of public or synthetic data only"
    command = new_command(commands, "ground-truth", summary, f"{INPUT_EXAMPLE} --out truth")
    add_inputs(command)
    what = "write every zero too, as the Census tool does; without it, groups and cells with people alone"
    command.add_argument("--dense", action="store_true", help=what)
    add_out(command)
    add_resources(command)
    command.set_defaults(command=_ground_truth)


def _ground_truth(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        ground_truth(
            inputs_of(options),
            options.out,
            dense=options.dense,
            overwrite=options.overwrite,
            resources=resources_of(options),
            progress=progress,
        )
    print(f"{options.out} holds EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(options.out)
