"""`moe`: the margin of error of a sum that was not published, or of a percentage."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from safetab_sql.commands.options import Commands, level_of, new_command
from safetab_sql.jobs.moe import PublishedSum, sum_of_release
from safetab_sql.jobs.sum_ratio import PublishedRatio
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.unit import in_words
from safetab_sql.published.release import unit_of

_USUAL = 0.95
_SMALLEST = 1e-4  # of the p-values that are printed
_METHODS = {
    "no noise": "no noise is left",
    "exact quantile": "exact quantile of the noise of one count",
    "convolution": "exact convolution of the noise of the counts",
    "as published": "as published with the reconciled count",
    "bound": "an upper bound: the standard deviations added up",
    "coarser convolution": "an upper bound: convolution of the noise on a coarser lattice, rounded outward",
}


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
    command.add_argument("--json", action="store_true", help="the same as JSON")
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
    print(json.dumps(asdict(found), indent=2) if options.json else in_words(unit_of(options.release), sum_text(found)))


def sum_text(found: PublishedSum) -> str:
    """The sum for people to read."""
    figures = [
        ("estimate", _persons(found.estimate), "persons, the sum of the published rows"),
        ("MOE95", f"±{_persons(found.moe95)}", f"persons: {_METHODS[found.method]}"),
        *([(f"margin at {found.level:g}", f"±{_persons(found.margin)}", "persons")] if found.level != _USUAL else []),
        ("variance", f"{found.variance:,.6g}", "persons squared"),
        *_percentage("percentage", found.ratio, found.level),
        *_difference(found),
        *([] if found.p_value is None or not _is_difference(found) else [_p_value(found.p_value)]),
    ]
    selections = [
        ("", "rows", "counts", "predicate"),
        *(
            (part.use, f"{part.rows:,}", f"{part.atoms:,}", " ".join(part.predicate.split()))
            for part in found.selections
        ),
    ]
    counts = "reconciled counts" if found.method in ("as published", "bound") else "independent noisy counts"
    netted = f"{found.atoms:,} {counts} are left in the sum; {found.cancelled_atoms:,} cancelled."
    return "\n".join([aligned(figures), "", aligned(selections), netted, *found.caveats])


def _is_difference(found: PublishedSum) -> bool:
    return any(part.sign < 0 for part in found.selections)


def _percentage(name: str, ratio: PublishedRatio | None, level: float) -> list[tuple[str, str, str]]:
    if ratio is None:
        return []
    other = f"of {_persons(ratio.other)} persons"
    if ratio.estimate is None or ratio.low is None or ratio.high is None:
        return [(name, "none", f"{other}, which may be 0 as far as the noise goes")]
    ends = f"{_percent(ratio.low)} to {_percent(ratio.high)}"
    return [(name, _percent(ratio.estimate), other), (f"interval at {level:g}", ends, "")]


def _difference(found: PublishedSum) -> list[tuple[str, str, str]]:
    """The second percentage, and how far it is below the first."""
    difference = found.difference
    if difference is None:
        return []
    second = _percentage("second percentage", difference.second, found.level)
    if difference.estimate is None or difference.low is None or difference.high is None:
        return [*second, ("difference", "none", "as one of the percentages is none")]
    ends = f"{100 * difference.low:,.2f} to {100 * difference.high:,.2f}"
    return [
        *second,
        ("difference", f"{100 * difference.estimate:,.2f}", "percentage points"),
        (f"interval at {found.level:g}", ends, "percentage points"),
        *([] if difference.p_value is None else [_p_value(difference.p_value)]),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:,.2f} %"


def _p_value(chance: float) -> tuple[str, str, str]:
    shown = f"{chance:.4f}" if chance >= _SMALLEST else f"below {_SMALLEST:g}"
    return "p-value", shown, "chance that noise alone makes such a difference"


def _persons(number: float) -> str:
    """Whole numbers as they are, reconciled ones to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{number:,.2f}"
