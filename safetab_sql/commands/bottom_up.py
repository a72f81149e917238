"""Publish the margins of a histogram of any table, all of them sums of the same noisy cells.

example: run --spec demo/nation/bottom-up.toml --data demo/nation/persons --out counties
"""

import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from safetab_sql.commands.options import PUBLIC_ONLY, Ledger, LoggedMachine, Out, decimal_of, exact_answer, json_text

_BUDGET = decimal_of("not a budget", "give a decimal above 0, such as 0.5", lambda epsilon: epsilon > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """What is counted.

    spec S: TOML: epsilon, domains of the columns, margins
    data F: one record a row: Parquet or CSV (a file, a glob, a directory), or a table of a database, FILE.duckdb::TABLE
    """

    spec: Path
    data: str


def run(
    *,
    counted: Histogram,
    folder: Out,
    withhold: bool = False,
    ledger: Ledger,
    json: bool = False,
    machine: LoggedMachine,
) -> None:
    """Count cells, add noise to every one, and publish margins.

    example: --spec demo/nation/bottom-up.toml --data demo/nation/persons --out counties

    withhold: publish no row of areas whose public total noise does not explain, such as a state of another year
    json: print the ledger, and the public totals that were left out, as JSON
    """
    from safetab_sql.histograms.bottom_up import BottomUpInputs, bottom_up
    from safetab_sql.histograms.public.spending import histogram_ledger_text
    from safetab_sql.histograms.published.calibration import shown_count

    inputs, keep = BottomUpInputs(counted.spec, counted.data), ledger.file
    with machine.used() as used:
        made = bottom_up(inputs, folder.out, withhold=withhold, overwrite=folder.overwrite, ledger_file=keep, **used)
    left_out = made.manifest.get("totals_left_out", [])
    for each in left_out:
        total, noisy_sum = (shown_count(each[name]) for name in ("total", "noisy_sum"))
        what = f"the total {total} of {each['name']} is left out: the noisy sum is {noisy_sum}"
        print(f"{what}, and noise does not explain the difference{'; withheld' * withhold}", file=sys.stderr)
    answer = {"out": folder.out, "ledger": made.manifest["ledger"], "left_out": left_out}
    print(json_text(answer) if json else f"{histogram_ledger_text(made.budget)}\n{folder.out}")


def curve(
    *,
    counted: Histogram,
    folder: Out,
    epsilon: Annotated[tuple[Fraction, ...], _BUDGET] = (),
    replicates: int = 20,
    json: bool = False,
    machine: LoggedMachine,
) -> None:
    """Draw accuracy against epsilon, from EXACT counts of public or synthetic data only.

    example: --spec demo/nation/bottom-up.toml --data demo/nation/persons --out curve

    epsilon E: an epsilon to try; repeat for several; default: 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
        0.5, 1, 2, 5, 10
    replicates N: how often noise is drawn at each epsilon
    """
    from safetab_sql.histograms.evaluation.curve import EPSILONS, Trials, bottom_up_curve, curve_text

    data, trials = (counted.spec, counted.data), Trials(tuple(sorted(set(epsilon))) or EPSILONS, replicates)
    with machine.used() as used:
        found = bottom_up_curve(*data, folder.out, trials=trials, overwrite=folder.overwrite, **used)
    print(f"{folder.out} was measured on EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer({"out": folder.out, "curve": found} if json else f"{curve_text(found)}\n{folder.out}"))


ACTIONS = (run, curve)
