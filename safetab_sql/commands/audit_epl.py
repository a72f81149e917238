"""`audit epl`: checks that the residuals of a release show no more privacy loss than it states."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

from safetab_sql.commands.options import PUBLIC_ONLY, Commands, misplaced, new_command
from safetab_sql.evaluation.audit_epl import FEWEST_RESIDUALS, LossAudit, LossTest, audit_losses
from safetab_sql.evaluation.epl import Estimator
from safetab_sql.evaluation.losses import loss_tests, losses_text, table_residuals
from safetab_sql.evaluation.measured import find_releases, measured
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import exact_decimal

_ESTIMATOR = Estimator()
_LEGEND = f"""\
EPL: max |log(p(x) / p(x + 1))|, p with bandwidth {_ESTIMATOR.bandwidth:g} of the standard deviation, x from \
percentile {100 - _ESTIMATOR.percentile:g} to {_ESTIMATOR.percentile:g}.
honest noise: median and 97.5th percentile of the EPL of simulated noise, as many draws of the stated law.
lower bound: a lower bound on the loss at x. The audit fails if it is above the stated loss; honest noise fails
  in at most 1 of 100 audits.
noticed from: a loss of about so many times the stated loss is noticed in every second audit."""


def add_epl(actions: Commands) -> None:
    """`audit epl`: of releases, or of one table of noisy and exact counts."""
    summary = "compare the empirical privacy loss of residuals (noisy minus EXACT) with the stated loss"
    example = "demo/release --ground-truth truth --code-lists demo/nation/code-lists"
    command = new_command(actions, "epl", summary, example, "audit epl")
    what = "releases, or folders of `reconcile`, of the same people with the same parameters; residuals are pooled"
    command.add_argument("releases", type=Path, nargs="*", metavar="OUT", help=what)
    command.add_argument(
        "--ground-truth", type=Path, metavar="DIR", help="folder that `ground-truth` made of the same people"
    )
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="the four code lists of the releases")
    what = "instead of releases: a Parquet file with noisy and exact counts"
    command.add_argument("--table", type=Path, metavar="F", help=what)
    command.add_argument("--noisy", metavar="COLUMN", help="with --table: its column of noisy counts, whole numbers")
    command.add_argument("--exact", metavar="COLUMN", help="with --table: its column of exact counts, whole numbers")
    command.add_argument("--epsilon", metavar="E", help="with --table: the stated loss of one count")
    command.set_defaults(command=_epl)


def _epl(options: argparse.Namespace) -> None:
    refuse(_option_problems(options))
    tests = [_table_test(options)] if options.table is not None else _release_tests(options)
    audits = audit_losses(tests, _ESTIMATOR)
    if not audits:
        what = f"no law of noise has {FEWEST_RESIDUALS} counts that noise alone has changed"
        raise InputError([Problem("audit epl", what, "audit more releases together, or larger ones")])
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(f"{_LEGEND}\n\n{losses_text(audits, tests)}")
    if failures := [_failure(audit) for audit in audits if not audit.passes]:
        print("\n".join(failures), file=sys.stderr)
        raise SystemExit(1)


def _failure(audit: LossAudit) -> str:
    return (
        f"{audit.test.name}, {audit.test.noise}: the residuals show a loss of at least {audit.lower_bound_there:.3f} "
        f"at {audit.worst_x}; {audit.stated_loss_there:.3f} is stated"
    )


def _option_problems(options: argparse.Namespace) -> list[Problem]:
    """Options that are missing, or that do not go together."""
    problems = []
    if bool(options.releases) == (options.table is not None):
        what = "needs either releases or --table, and got " + ("both" if options.releases else "neither")
        problems.append(Problem("audit epl", what, "give one of them"))
    wanted: tuple[str, ...] = ("noisy", "exact", "epsilon") if options.table is not None else ()
    wanted += ("ground_truth",) if options.releases else ()
    problems += [] if options.table else misplaced(options, "--table", "noisy", "exact", "epsilon")
    problems += [] if options.releases else misplaced(options, "releases", "ground_truth", "code_lists")
    missing = [f"--{name.replace('_', '-')}" for name in wanted if getattr(options, name) is None]
    problems += [Problem("audit epl", f"needs {name}", "see `safetab-sql audit epl --help`") for name in missing]
    return problems


def _release_tests(options: argparse.Namespace) -> list[LossTest]:
    releases = find_releases(options.releases, options.ground_truth, options.code_lists)
    with measured(releases, Resources()) as database:
        return loss_tests(database, releases.noises)


def _table_test(options: argparse.Namespace) -> LossTest:
    """The residuals of a Parquet file. Raises: InputError where the file, or the stated loss, cannot be used."""
    epsilon = _epsilon(options.epsilon)
    residuals = table_residuals(options.table, options.noisy, options.exact)
    return LossTest(options.table.name, f"{options.noisy} - {options.exact}", TwoSidedGeometric(epsilon), residuals)


def _epsilon(text: str) -> Fraction:
    """The stated loss. Raises: InputError where it is no decimal number, or too small to simulate."""
    epsilon = exact_decimal(text)
    if epsilon is None or epsilon < Fraction(1, 10_000):
        fix = "give a decimal of at least 0.0001, such as 0.25"
        raise InputError([Problem("--epsilon", f"'{text}' is no loss that can be tested", fix)])
    return epsilon
