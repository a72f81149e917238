"""`moe`: the margin of error of a sum that was not published."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from safetab_sql.commands.options import Commands, new_command
from safetab_sql.published.sums import PublishedSum, sum_of_release
from safetab_sql.text_tables import aligned

_METHODS = {
    "no noise": "no noise is left",
    "exact quantile": "exact quantile of one noise",
    "convolution": "exact convolution of the noises",
    "coarser convolution": "at most: convolution of the noises on a coarser lattice, rounded outward",
}


def add_moe(commands: Commands) -> None:
    """`moe`: estimate, variance and margin of error of any sum of published counts."""
    summary = "add up published counts, with the margin of error of the sum"
    example = "demo/release --sum \"REGION_TYPE='STATE' and TABLE='T1' and ITERATION_CODE='6004'\""
    command = new_command(commands, "moe", summary, example)
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` made, in Parquet")
    condition = (
        "SQL condition on TABLE ('T1', 'T2'), REGION_ID, REGION_TYPE, ITERATION_CODE, AGESTART, AGEEND, SEX, COUNT"
    )
    command.add_argument(
        "--sum", action="append", required=True, metavar="PREDICATE", help=f"add the rows it matches: {condition}"
    )
    command.add_argument(
        "--minus", action="append", default=[], metavar="PREDICATE", help="subtract the rows it matches"
    )
    command.add_argument("--json", action="store_true", help="the same as JSON")
    command.set_defaults(command=_moe)


def _moe(options: argparse.Namespace) -> None:
    found = sum_of_release(options.release, plus=options.sum, minus=options.minus)
    print(json.dumps(asdict(found), indent=2) if options.json else sum_text(found))


def sum_text(found: PublishedSum) -> str:
    """The sum for people to read."""
    figures = [
        ("estimate", f"{found.estimate:,}", "persons, of the rows published"),
        ("MOE95", f"±{found.moe95:,}", f"persons: {_METHODS[found.method]}"),
        ("variance", f"{found.variance:,.6g}", "persons squared"),
    ]
    selections = [
        ("", "rows", "counts", "predicate"),
        *(
            ("minus" if part.sign < 0 else "sum", f"{part.rows:,}", f"{part.atoms:,}", " ".join(part.predicate.split()))
            for part in found.selections
        ),
    ]
    netted = f"{found.atoms:,} independent noisy counts are left in the sum; {found.cancelled_atoms:,} cancelled."
    return "\n".join([aligned(figures), "", aligned(selections), netted, *found.caveats])
