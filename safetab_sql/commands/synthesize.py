"""Make synthetic data from noisy tables of pairs of fields, or of groups of fields.

example: run --spec rows.toml --data sim/persons --out out
"""

import sys
from pathlib import Path
from typing import Literal

from safetab_sql.commands.options import Ledger, LoggedMachine, Out, Seed, exact_answer, json_text

_PRICE = (
    "Rows look like records and hold noise all the same: use them for a first look, and published counts with margins "
    "for numbers that matter."
)


def run(
    *,
    spec: Path,
    epsilon: str | None = None,
    data: str,
    format: Literal["parquet", "csv"] = "parquet",
    seed: Seed = 0,
    folder: Out,
    ledger: Ledger,
    json: bool = False,
    machine: LoggedMachine,
) -> None:
    """Count fields and pairs (or groups) of fields, add noise, and draw synthetic rows from the noisy counts.

    example: --spec rows.toml --data sim/persons --out synthetic

    spec S: TOML: domains, budget, and groups of fields
    epsilon X: pure DP budget of the whole release, in place of the budget of the spec
    data F: Parquet file, glob or folder
    format: of the rows: parquet, or csv with commas
    seed N: seed for the drawing of rows, which comes after all noise
    json: print the folder, the ledger and the number of rows as JSON
    """
    from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize

    inputs, keep = SynthesisInputs(spec, data, seed, epsilon), ledger.file
    with machine.used() as used:
        made = synthesize(inputs, folder.out, format=format, overwrite=folder.overwrite, ledger_file=keep, **used)
    answer = {"out": folder.out, **{name: made.manifest[name] for name in ("ledger", "rows")}}
    print(json_text(answer) if json else f"{_PRICE}\n{folder.out}")


def score(
    *,
    data: str,
    synthetic: tuple[str, ...],
    ways: tuple[int, ...] = (),
    sets: int = 100,
    seed: Seed = 0,
    json: bool = False,
    machine: LoggedMachine,
) -> None:
    """Score synthetic rows by their k-way marginals, against EXACT rows: public data, or for the custodian.

    example: --data sim/persons --synthetic synthetic/synthetic.parquet --ways 2 --ways 3

    data F: the exact rows: Parquet, or text
    synthetic G: synthetic rows: Parquet, or text; repeat to compare several tables
    ways K: number of fields of a marginal; repeat for several; default: 2 and 3
    sets N: random sets of fields
    seed N: seed for the choice of sets
    """
    from safetab_sql.evaluation.score import marginal_scores, scores_text

    with machine.used() as used:
        scores = marginal_scores(data, synthetic, ways or (2, 3), sets, seed=seed, **used)
    shown = [{name: getattr(one, name) for name in ("name", "ways", "score")} for one in scores]
    told = "The scores compare with EXACT rows: for public or synthetic data, or for the custodian alone."
    print(told, file=sys.stderr)
    print(exact_answer({"scores": shown} if json else scores_text(scores)))


ACTIONS = (run, score)
