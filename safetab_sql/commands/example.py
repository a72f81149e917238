"""`example`: a small nation, its release and its report."""

import argparse

from safetab_sql.commands.options import Commands, add_out, add_quiet, new_command
from safetab_sql.jobs.example import example, example_text
from safetab_sql.kit.progress import reported_progress


def add_example(commands: Commands) -> None:
    """`example`: simulate a small nation, run it, show a few rows."""
    command = new_command(commands, "example", "simulate a small nation, run it, and show a few rows", "--out demo")
    add_out(command)
    add_quiet(command)
    command.set_defaults(command=_example)


def _example(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        example(options.out, overwrite=options.overwrite, progress=progress)
    print(example_text(options.out))
