"""`audit epl`: whether residuals show no more privacy loss than was stated."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path

from safetab_sql.commands.options import Commands, misplaced, new_command
from safetab_sql.evaluation.audit_epl import FEWEST_RESIDUALS, LossAudit, LossTest, audit_losses
from safetab_sql.evaluation.epl import Estimator
from safetab_sql.evaluation.experiments import MORE, SETS, Comparison, Estimate, consistency, invariants, table_sa1
from safetab_sql.evaluation.losses import loss_tests, losses_text, table_residuals
from safetab_sql.evaluation.measured import find_releases, measured
from safetab_sql.evaluation.printed_losses import (
    BY_BANDWIDTH,
    BY_PERCENTILE,
    CONSISTENCY,
    DISTRICTS,
    INVARIANTS,
    PrintedLoss,
)
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import exact_decimal

_EXACT = "The audit compares EXACT counts: for public or synthetic data only."
_NARROWEST, _WIDEST = 1e-6, 100.0  # bandwidths
_EXPERIMENTS = ("sa1", "consistency", "invariants")
_LEGEND = """\
honest noise: median and 97.5th percentile of the EPL of as many draws of the stated law.
lower bound: of the loss at x. It fails above the stated loss, which honest noise does in 1 of 100 audits at most.
noticed from: about how many times the stated loss is noticed half the time."""

_SA1_NOTES = """\
Panel (a): their intervals hold {whole} of {rows} of our means with noise of loss epsilon, and {half} with noise of half
that loss, which is what their text names: "G(epsilon/2)". The definition overshoots, for the largest of many noisy
ratios is too large, and with so few districts noise of half the loss looks like epsilon. With more districts the
estimate comes down to the true loss.
Panels (b) and (c) do not reproduce: by the definition the estimate depends on bandwidth and percentile. Theirs does
not, and their panel (c) repeats {repeated} rows of their panel (b) digit for digit, as if neither had been applied."""
_CONSISTENCY = (
    "Strata measured with epsilon 0.75 and totals with 0.25, made consistent; 1.0 is stated for both together."
)
_CONSISTENCY_NOTES = f"""\
They print {CONSISTENCY}, and give neither the number of strata, nor the weights, nor which of the best solutions they
took. The direction reproduces in every row: less than the 1.0 that sequential composition states. Their figure is
within reach of several rows, which proves nothing about how it was made."""
_INVARIANTS = "Strata of districts with noise of epsilon 0.25, then optimised. The districts are made up."
_INVARIANTS_NOTES = f"""\
They print {INVARIANTS} for exact county totals, and do not say what is minimised. The rise reproduces, but exact totals
alone do not cause it: without them, where negative counts become 0, residuals of empty strata already pile up at 0,
though the counts are as private as before. A rise after post-processing is therefore no proof of a greater loss."""


def add_epl(actions: Commands) -> None:
    """`audit epl`: of releases, of a table, or the published experiments."""
    summary = "hold the empirical privacy loss of residuals (noisy minus EXACT) against the loss that was stated"
    example = "demo/release --ground-truth truth --code-lists demo/nation/code-lists"
    command = new_command(actions, "epl", summary, example, "audit epl")
    what = "releases of the same people with the same parameters, whose residuals are pooled level by level"
    command.add_argument("releases", type=Path, nargs="*", metavar="OUT", help=what)
    command.add_argument("--ground-truth", type=Path, metavar="DIR", help="folder that `ground-truth` made of them")
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="their four code lists")
    command.add_argument("--table", type=Path, metavar="F", help="instead: a Parquet file with noisy and exact counts")
    command.add_argument("--noisy", metavar="COLUMN", help="of --table: whole numbers")
    command.add_argument("--exact", metavar="COLUMN", help="of --table: whole numbers")
    command.add_argument("--epsilon", metavar="E", help="of --table: the loss stated for one count")
    what = "instead: an experiment of the authors of this measure, ours beside theirs"
    command.add_argument("--experiment", choices=_EXPERIMENTS, help=what)
    _add_estimator(command)
    command.set_defaults(command=_epl)


def _add_estimator(command: argparse.ArgumentParser) -> None:
    """--bandwidth, --bandwidth-is, --percentile."""
    default = Estimator()
    what = f"of the kernel density; default: {default.bandwidth}"
    command.add_argument("--bandwidth", type=float, default=default.bandwidth, metavar="H", help=what)
    what = "a factor of the residuals' standard deviation (default), or absolute, in persons"
    command.add_argument("--bandwidth-is", choices=["factor", "absolute"], default=default.bandwidth_is, help=what)
    what = f"search from the (100 - P)th to the Pth percentile of the residuals; default: {default.percentile:g}"
    command.add_argument("--percentile", type=float, default=default.percentile, metavar="P", help=what)


def _epl(options: argparse.Namespace) -> None:
    refuse(_option_problems(options))
    estimator = Estimator(options.bandwidth, options.bandwidth_is, options.percentile)
    if options.experiment is not None:
        print(experiment_text(options.experiment, estimator))
        return
    tests = [_table_test(options)] if options.table is not None else _release_tests(options)
    audits = audit_losses(tests, estimator)
    if not audits:
        what = f"no law of noise has {FEWEST_RESIDUALS} counts that nothing but noise touched"
        raise InputError([Problem("audit epl", what, "audit more releases together, or larger ones")])
    print(_EXACT, file=sys.stderr)
    print(f"{_definition(estimator)}\n{_LEGEND}\n\n{losses_text(audits, tests)}")
    if failures := [_failure(audit) for audit in audits if not audit.passes]:
        print("\n".join(failures), file=sys.stderr)
        raise SystemExit(1)


def _failure(audit: LossAudit) -> str:
    return (
        f"{audit.test.name}, {audit.test.noise}: the residuals show a loss of at least {audit.lower_bound_there:.3f} "
        f"at {audit.worst_x}; {audit.stated_loss_there:.3f} is stated"
    )


def _option_problems(options: argparse.Namespace) -> list[Problem]:
    """What is missing, or makes no sense."""
    problems = []
    given = [bool(options.releases), options.table is not None, options.experiment is not None]
    if sum(given) != 1:
        what = f"wants one of releases, --table and --experiment, and got {sum(given)} of them"
        problems.append(Problem("audit epl", what, "give exactly one of the three"))
    wanted: tuple[str, ...] = ("noisy", "exact", "epsilon") if options.table is not None else ()
    wanted += ("ground_truth", "code_lists") if options.releases else ()
    problems += [] if options.table else misplaced(options, "--table", "noisy", "exact", "epsilon")
    problems += [] if options.releases else misplaced(options, "releases", "ground_truth", "code_lists")
    missing = [f"--{name.replace('_', '-')}" for name in wanted if getattr(options, name) is None]
    problems += [Problem("audit epl", f"needs {name}", "see `safetab-sql audit epl --help`") for name in missing]
    if not _NARROWEST <= options.bandwidth <= _WIDEST:
        fix = f"give a number from {_NARROWEST:g} to {_WIDEST:g}"
        problems.append(Problem("--bandwidth", f"{options.bandwidth:g} is no bandwidth to work with", fix))
    if not 50 < options.percentile < 100:
        fix = "give a number above 50 and below 100"
        problems.append(Problem("--percentile", f"{options.percentile:g} leaves nothing to search", fix))
    return problems


def _release_tests(options: argparse.Namespace) -> list[LossTest]:
    releases = find_releases(options.releases, options.ground_truth, options.code_lists)
    with measured(releases, Resources()) as database:
        return loss_tests(database, releases.noises)


def _table_test(options: argparse.Namespace) -> LossTest:
    """The residuals of a Parquet file. Raises: InputError where it, or the loss stated, cannot be used."""
    epsilon = _epsilon(options.epsilon)
    residuals = table_residuals(options.table, options.noisy, options.exact)
    return LossTest(options.table.name, f"{options.noisy} - {options.exact}", TwoSidedGeometric(epsilon), residuals)


def _epsilon(text: str) -> Fraction:
    """The loss stated. Raises: InputError where it is none, or too small to be simulated."""
    epsilon = exact_decimal(text)
    if epsilon is None or epsilon < Fraction(1, 10_000):
        fix = "give a decimal of at least 0.0001, such as 0.25"
        raise InputError([Problem("--epsilon", f"'{text}' is no loss that can be tested", fix)])
    return epsilon


def _definition(estimator: Estimator) -> str:
    of = "of the standard deviation" if estimator.bandwidth_is == "factor" else "persons"
    return (
        f"EPL: max |log(p(x) / p(x + 1))|, p with bandwidth {estimator.bandwidth:g} {of}, "
        f"x from percentile {100 - estimator.percentile:g} to {estimator.percentile:g}."
    )


def experiment_text(name: str, estimator: Estimator) -> str:
    """An experiment for people to read: ours beside theirs, and what does not reproduce."""
    if name == "sa1":
        return _sa1_text(estimator)
    is_consistency = name == "consistency"
    rows = consistency(estimator) if is_consistency else invariants(estimator)
    columns = ("", "EPL", "bootstrap", "EPL, noise of epsilon/2", "bootstrap")
    table = aligned([columns, *((row.what, *_estimate(row.whole), *_estimate(row.half)) for row in rows)])
    head, notes = (_CONSISTENCY, _CONSISTENCY_NOTES) if is_consistency else (_INVARIANTS, _INVARIANTS_NOTES)
    return "\n".join([_definition(estimator), head, "", table, "", notes])


def _sa1_text(estimator: Estimator) -> str:
    panels = table_sa1(estimator)
    heads = {
        "epsilon": "(a) epsilon",
        "bandwidth": "(b) bandwidth, epsilon 0.25",
        "percentile": "(c) search percentile, epsilon 0.25",
        "many districts": f"(a) with {MORE} times the districts",
    }
    head = f"Table SA1: mean of {SETS} sets of {DISTRICTS:,} residuals, with the range of 95 % of them."
    tables = [_panel(heads[name], rows) for name, rows in panels.items()]
    return "\n\n".join([f"{_definition(estimator)}\n{head}", *tables, _sa1_notes(panels)])


def _panel(head: str, rows: Sequence[Comparison]) -> str:
    columns = (head, "EPL", "", "EPL, noise of epsilon/2", "", "their EPL", "", "whose interval holds")
    return aligned(
        [columns, *((row.what, *_estimate(row.whole), *_estimate(row.half), *_printed(row)) for row in rows)]
    )


def _estimate(estimate: Estimate) -> tuple[str, str]:
    return _loss(estimate.epl), f"({_loss(estimate.lower)}-{_loss(estimate.upper)})"


def _printed(row: Comparison) -> tuple[str, str, str]:
    """Theirs, and which of our means their interval holds."""
    if row.theirs is None:
        return "", "", ""
    held = [name for name, ours in (("epsilon", row.whole), ("epsilon/2", row.half)) if _holds(row.theirs, ours)]
    return f"{row.theirs.mean:.4f}", f"({row.theirs.lower:.4f}-{row.theirs.upper:.4f})", ", ".join(held) or "neither"


def _holds(theirs: PrintedLoss, ours: Estimate) -> bool:
    return theirs.lower <= ours.epl <= theirs.upper


def _loss(value: float) -> str:
    return f"{value:.4f}" if isfinite(value) else "unbounded"


def _sa1_notes(panels: Mapping[str, Sequence[Comparison]]) -> str:
    """What reproduces, and what does not."""
    pairs = [(row.theirs, row) for row in panels["epsilon"] if row.theirs is not None]
    whole = sum(_holds(theirs, row.whole) for theirs, row in pairs)
    half = sum(_holds(theirs, row.half) for theirs, row in pairs)
    printed = [[(row.mean, row.lower, row.upper) for row in panel] for panel in (BY_BANDWIDTH, BY_PERCENTILE)]
    repeated = sum(one == other for one, other in zip(*printed, strict=False))
    return _SA1_NOTES.format(rows=len(pairs), whole=whole, half=half, repeated=repeated)
