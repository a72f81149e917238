"""`statistics`: a table of wanted statistics in, the same table with estimates and intervals out."""

import argparse
from pathlib import Path

from pyarrow import compute

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, add_machine, level_of, new_command, resources_of
from safetab_sql.jobs.statistics import statistics
from safetab_sql.jobs.wanted import KINDS
from safetab_sql.kit.text_tables import counted


def add_statistics(commands: Commands) -> None:
    """`statistics`: counts, differences, ratios and quantiles with intervals, many at once."""
    summary = "compute ratios, differences, medians and counts with intervals, for a table of wanted ones"
    example = "demo/release --wanted wanted.csv --out answers.csv"
    command = new_command(commands, "statistics", summary, example)
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` made, in Parquet, or `reconcile`")
    what = "one row a statistic, CSV or Parquet: KIND (" + ", ".join(KINDS) + "), its group and values"
    command.add_argument("--wanted", type=Path, required=True, metavar="F", help=what)
    what = "file to make, .csv or .parquet: the same rows with ESTIMATE, LOW, HIGH, P_VALUE and NOTE"
    command.add_argument("--out", type=Path, required=True, metavar="F", help=what)
    command.add_argument("--level", default="0.95", metavar="X", help="level of the intervals; default: 0.95")
    command.add_argument("--from-zero", action="store_true", help="cut the intervals of counts at 0")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    add_json(command, "print how many statistics there are, and how many have an interval, as JSON")
    add_machine(command)
    command.set_defaults(command=_statistics)


def _statistics(options: argparse.Namespace) -> None:
    made = statistics(
        options.release,
        options.wanted,
        options.out,
        level=level_of(options.level),
        from_zero=options.from_zero,
        overwrite=options.overwrite,
        resources=resources_of(options),
    )
    is_open = compute.and_(compute.is_null(made["LOW"]), compute.is_null(made["HIGH"]))
    answered = made.filter(compute.invert(is_open)).num_rows
    if options.json:
        print(json_text({"out": options.out, "statistics": made.num_rows, "intervals": answered}))
        return
    print(f"{options.out}: {counted(made.num_rows, 'statistic', 'statistics')}, {answered:,} with an interval")
