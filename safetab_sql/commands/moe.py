"""`moe`: the margin of error of a sum that was not published, or of a percentage."""

import argparse
from pathlib import Path

from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Commands, add_json, level_of, new_command
from safetab_sql.jobs.moe import sum_of_release


def add_moe(commands: Commands) -> None:
    """`moe`: estimate, variance and margin of error of any sum of published counts."""
    summary = "add up published counts, or divide sums, with the margin of error"
    example = "demo/release --sum \"REGION_TYPE='STATE' and TABLE='T1' and ITERATION_CODE='6004'\""
    command = new_command(commands, "moe", summary, example)
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` (in Parquet) or `reconcile` made")
    condition = (
        "SQL condition on TABLE ('T1', 'T2'), REGION_ID, REGION_TYPE, ITERATION_CODE, STATISTIC, COUNT, and columns of "
        "attributes, such as AGESTART, AGEEND, SEX"
    )
    command.add_argument(
        "--sum", action="append", required=True, metavar="PREDICATE", help=f"add the rows it matches: {condition}"
    )
    command.add_argument(
        "--minus", action="append", default=[], metavar="PREDICATE", help="subtract the rows it matches"
    )
    what = "divide by the rows it matches: also show the percentage, with its interval at --level"
    command.add_argument("--of", action="append", default=[], metavar="PREDICATE", help=what)
    what = "with --second-of: add the rows of a second percentage, which is subtracted from that of --sum and --of"
    command.add_argument("--second", action="append", default=[], metavar="PREDICATE", help=what)
    what = "divide the second percentage by the rows it matches: shows the difference, its interval and its p-value"
    command.add_argument("--second-of", action="append", default=[], metavar="PREDICATE", help=what)
    what = "the geography of the run; with --code-lists too, the suppressed groups that a sum asks for are counted"
    command.add_argument("--geography", metavar="F", help=what)
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="the code lists of the run, see --geography")
    command.add_argument("--level", default="0.95", metavar="X", help="a level of which to show the margin too")
    add_json(command)
    command.set_defaults(command=_moe)


def _moe(options: argparse.Namespace) -> None:
    found = sum_of_release(
        options.release,
        plus=options.sum,
        minus=options.minus,
        of=options.of,
        second=(options.second, options.second_of),
        geography=options.geography,
        code_lists=options.code_lists,
        level=level_of(options.level),
    )
    print(json_text(members(found, without="unit")) if options.json else found)
