"""`strategy`: what to measure for queries of one's own, how exact the answers are, and what they cost."""

import argparse
from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, new_command
from safetab_sql.jobs.strategy import strategies_json, strategies_text, strategy


def add_strategy(commands: Commands) -> None:
    """`strategy`: a workload with wanted variances in, errors and the cheapest budget out."""
    summary = "find what to measure for queries of your own, their errors, and the cheapest budget"
    command = new_command(commands, "strategy", summary, "--spec configs/strategy.toml")
    what = "TOML: domains, queries with the variance wanted of each, and what is measured"
    command.add_argument("--spec", type=Path, required=True, metavar="F", help=what)
    add_json(command, "as JSON, with what to measure and all covariances")
    command.set_defaults(command=_strategy)


def _strategy(options: argparse.Namespace) -> None:
    found = strategy(options.spec)
    print(json_text(strategies_json(found)) if options.json else strategies_text(found))
