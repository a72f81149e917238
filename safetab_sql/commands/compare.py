"""Commands that compare with exact counts, of public or synthetic data: `ground-truth`, `evaluate` and `epl`."""

import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.commands.options import (
    PUBLIC_ONLY,
    LoggedMachine,
    Machine,
    Out,
    Records,
    decimal_of,
    exact_answer,
    members,
    option_name,
)
from safetab_sql.kit.errors import Problem, refuse


def missing(command: str, given: Mapping[str, object], where: str = "") -> list[Problem]:
    """A problem for each option that is needed and was not given."""
    names = [option_name(name) for name, value in given.items() if value is None]
    return [Problem(where or command, f"needs {name}", f"see `safetab-sql {command} --help`") for name in names]


def ground_truth(*, persons: str, records: Records, folder: Out, machine: LoggedMachine) -> None:
    """Write the EXACT tables, of public or synthetic data only.

    example: INPUTS --out truth
    """
    from safetab_sql.evaluation.ground_truth import ground_truth
    from safetab_sql.public.inputs import InputPaths

    with machine.used() as used:
        inputs = InputPaths(persons=persons, **members(records))
        ground_truth(inputs, folder.out, overwrite=folder.overwrite, **used)
    print(f"{folder.out} holds EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(folder.out)


def evaluate(
    *,
    out_dirs: tuple[Path, ...] = (),
    ground_truth: Path | None = None,
    runs: int | None = None,
    parameters: Path | None = None,
    code_lists: str | None = None,
    persons: str | None = None,
    geography: str | None = None,
    totals: str | None = None,
    totals_are_public: bool = False,
    folder: Out,
    json: bool = False,
    machine: Machine,
    confidential_log: Path | None = None,
) -> None:
    """Compare releases with EXACT counts, of public or synthetic data only.

    example: --runs 20 INPUTS --out evaluation

    out_dirs OUT...: releases, or `reconcile` folders, of the same people and parameters; needs --ground-truth and
        --code-lists
    ground_truth DIR: with --out-dirs: folder that `ground-truth` made of the same people
    parameters P: with --runs: as in `run`
    runs N: instead of --out-dirs: count --persons once, and add noise to these counts in N runs
    persons F: with --runs: as in `run`
    geography F: with --runs: as in `run`
    totals F: with --runs: as in `run`
    totals_are_public: with --runs: as in `run`
    confidential_log F: with --runs: as in `run`
    json: print the tables by_level, by_statistic and quality as JSON
    """
    from safetab_sql.evaluation.evaluate import evaluate, evaluation_text
    from safetab_sql.public.inputs import InputPaths

    exact: dict[str, Any] = {"ground_truth": ground_truth}
    needed = {"parameters": parameters, "persons": persons, "geography": geography}
    if (runs is None) != bool(out_dirs):
        fix = "name releases with --out-dirs, or say how many to make with --runs"
        refuse([Problem("evaluate", "needs either --out-dirs or --runs", fix)])
    refuse(missing("evaluate", exact, "--out-dirs") if runs is None else missing("evaluate", needed, "--runs"))
    given = parameters or "", persons or "", geography or "", code_lists, totals
    seen = out_dirs if runs is None else InputPaths(*given, totals_are_public=totals_are_public)
    how = {"runs": runs or 0, "code_lists": code_lists, **exact}
    with machine.used(confidential_log) as used:
        found = evaluate(seen, folder.out, overwrite=folder.overwrite, **how, **used)
    print(f"{folder.out} was made from EXACT counts, and holds some: {PUBLIC_ONLY}", file=sys.stderr)
    tables = {name: found.tables[name] for name in ("by_level", "by_statistic", "quality")}
    print(exact_answer({"out": folder.out, **tables} if json else f"{evaluation_text(found)}\n{folder.out}"))


_LOSS = decimal_of(  # a smaller one cannot be simulated
    "no loss that can be tested", "give a decimal of at least 0.0001, such as 0.25", lambda loss: loss * 10_000 >= 1
)
_BANDWIDTH = decimal_of(
    "no bandwidth to work with", "give a decimal from 0.000001 to 100", lambda factor: 1 <= factor * 10**6 <= 10**8
)
_PERCENTILE = decimal_of(
    "no percentile to search to", "give a decimal above 50 and below 100, such as 95", lambda share: 50 < share < 100
)


def epl(
    releases: tuple[Path, ...] = (),
    *,
    ground_truth: Path | None = None,
    code_lists: Path | None = None,
    table: Path | None = None,
    noisy: str | None = None,
    exact: str | None = None,
    epsilon: Annotated[Fraction | None, _LOSS] = None,
    bandwidth: Annotated[Fraction, _BANDWIDTH] = Fraction(1, 10),
    percentile: Annotated[Fraction, _PERCENTILE] = Fraction(95),
    json: bool = False,
    figures: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Compare the empirical privacy loss of residuals (noisy minus EXACT) with the stated loss.

    example: demo/release --ground-truth truth --code-lists demo/nation/code-lists

    releases OUT: releases, or folders of `reconcile`, of the same people with the same parameters; residuals are pooled
    ground_truth DIR: without --table: folder that `ground-truth` made of the same people
    code_lists DIR: without --table: the four code lists of the releases
    table F: instead of releases: a Parquet file with noisy and exact counts
    noisy COLUMN: with --table: its column of noisy counts, whole numbers
    exact COLUMN: with --table: its column of exact counts, whole numbers
    epsilon E: with --table: the stated loss of one count
    bandwidth H: of the kernel density, a factor of the standard deviation of the residuals
    percentile X: search from the (100 - X)th to the Xth percentile of the residuals
    json: as JSON, with the loss at every x
    figures DIR: folder to make, with figures as SVG: density of the residuals and loss at every x; with --table, counts
        too
    overwrite: with --figures: replace the folder if it exists
    """
    from safetab_sql.evaluation import audited_counts as job
    from safetab_sql.evaluation.epl import Estimator
    from safetab_sql.kit.errors import DRAWING, missing_extras

    of_table = {"noisy": noisy, "exact": exact, "epsilon": epsilon}
    problems = missing("epl", of_table) if table is not None else []
    problems += missing_extras(DRAWING) if figures is not None else []
    if bool(releases) == (table is not None):
        what = "needs either releases or --table, and got " + ("both" if releases else "neither")
        problems.append(Problem("epl", what, "give one of them"))
    problems += missing("epl", {"ground_truth": ground_truth}) if releases else []
    refuse(problems)
    if table is None:
        counts = job.counts_of_releases(releases, ground_truth or Path(), code_lists)
    else:
        counts = job.counts_of_table(table, noisy or "", exact or "", epsilon or Fraction(0))
    estimator = Estimator(float(bandwidth), float(percentile))
    audits = job.audited_losses(counts, estimator)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}{counts.note}", file=sys.stderr)
    if figures is not None:
        job.write_loss_figures(figures, audits, counts, estimator, overwrite=overwrite)
    answer = job.losses_json(audits, counts.tests) if json else job.losses_text(audits, counts.tests, estimator)
    print(exact_answer(answer))
    if failed := job.failures(audits):
        print("\n".join(failed), file=sys.stderr)
        raise SystemExit(1)
