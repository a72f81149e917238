"""`plan`: what a run will do and cost, before a person record is opened."""

import argparse

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, add_parameters, new_command
from safetab_sql.jobs.plan import plan, plan_json, plan_text
from safetab_sql.kit.errors import InputError, Problem


def add_plan(commands: Commands) -> None:
    """`plan`: what a run will do and cost, no person record opened."""
    summary = "show what a run will do and cost, from public files alone"
    example = "--parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet"
    command = new_command(commands, "plan", summary, example)
    add_parameters(command)
    command.add_argument("--geography", metavar="F", help="one row per block; without it, no regions are counted")
    command.add_argument(
        "--people", type=int, metavar="N", help="number of people, a public figure, for estimates of the size"
    )
    add_json(command)
    command.set_defaults(command=_plan)


def _plan(options: argparse.Namespace) -> None:
    if options.people is not None and options.people < 1:
        raise InputError([Problem("--people", f"{options.people} is not a number of people", "give at least 1")])
    seen = plan(options.parameters, geography=options.geography, code_lists=options.code_lists)
    print(json_text(plan_json(seen, options.people)) if options.json else plan_text(seen, options.people))
