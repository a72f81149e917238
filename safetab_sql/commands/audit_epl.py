"""`audit epl`: checks that the residuals of a release show no more privacy loss than it states."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from safetab_sql.commands.answers import exact_answer
from safetab_sql.commands.options import PUBLIC_ONLY, Commands, add_json, misplaced, new_command
from safetab_sql.evaluation.audit_epl import FEWEST_RESIDUALS, LossAudit, LossTest, audit_losses
from safetab_sql.evaluation.epl import Estimator, residuals_of
from safetab_sql.evaluation.loss_figures import StatedLoss, loss_figure, scatter_figure
from safetab_sql.evaluation.losses import loss_tests, losses_json, losses_text, table_counts
from safetab_sql.evaluation.measured import find_releases, measured
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.extras import DRAWING, missing_extras
from safetab_sql.kit.figures import write_figures
from safetab_sql.kit.marks import mark_image
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.decimals import exact_decimal

Int64s = npt.NDArray[np.int64]
Counts = tuple[Int64s, Int64s]  # noisy and exact

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
    add_json(command, "as JSON, with the loss at every x")
    what = "folder to make, with figures as SVG: density of the residuals and loss at every x; with --table, counts too"
    command.add_argument("--figures", type=Path, metavar="DIR", help=what)
    command.add_argument("--overwrite", action="store_true", help="replace the folder of --figures if it exists")
    command.set_defaults(command=_epl)


def _epl(options: argparse.Namespace) -> None:
    refuse(_option_problems(options))
    counts = None if options.table is None else table_counts(options.table, options.noisy, options.exact)
    tests = _release_tests(options) if counts is None else [_table_test(options, *counts)]
    audits = audit_losses(tests, _ESTIMATOR)
    if not audits:
        what = f"no law of noise has {FEWEST_RESIDUALS} counts that noise alone has changed"
        raise InputError([Problem("audit epl", what, "audit more releases together, or larger ones")])
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    if options.figures is not None:
        _write_figures(options, audits, counts)
    print(exact_answer(losses_json(audits, tests) if options.json else _text(audits, tests)))
    if failures := [_failure(audit) for audit in audits if not audit.passes]:
        print("\n".join(failures), file=sys.stderr)
        raise SystemExit(1)


def _text(audits: list[LossAudit], tests: list[LossTest]) -> str:
    return f"{_LEGEND}\n\n{losses_text(audits, tests)}"


def _write_figures(options: argparse.Namespace, audits: list[LossAudit], counts: Counts | None) -> None:
    """The figures, readable by nobody else: they follow from exact counts."""
    drawn = {}
    for audit in audits:
        stated = StatedLoss(audit.curve.values, audit.curve.stated)
        title = f"{audit.test.name}, {audit.test.noise}: empirical privacy loss {audit.epl:.3f}"
        name = "density" if counts else f"density-{audit.test.name}-{audit.test.noise}".replace(" ", "-")
        drawn[name] = loss_figure(title, audit.test.residuals, _ESTIMATOR, stated)
    if counts is not None:
        drawn["counts"] = scatter_figure(f"{options.table.name}: noisy and exact counts", counts[1], counts[0])
    with whole_folder(options.figures, [f"{name}.svg" for name in drawn], overwrite=options.overwrite) as folder:
        write_figures(folder, drawn, ("svg",))
        for file in folder.iterdir():
            mark_image(file)
            file.chmod(0o600)


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
    problems += missing_extras(DRAWING) if options.figures else misplaced(options, "--figures", "overwrite")
    problems += [] if options.releases else misplaced(options, "releases", "ground_truth", "code_lists")
    missing = [f"--{name.replace('_', '-')}" for name in wanted if getattr(options, name) is None]
    problems += [Problem("audit epl", f"needs {name}", "see `safetab-sql audit epl --help`") for name in missing]
    return problems


def _release_tests(options: argparse.Namespace) -> list[LossTest]:
    releases = find_releases(options.releases, options.ground_truth, options.code_lists)
    with measured(releases, Resources()) as ladders:
        return [test for _, database in ladders for test in loss_tests(database, releases.noises)]


def _table_test(options: argparse.Namespace, noisy: Int64s, exact: Int64s) -> LossTest:
    """The residuals of the counts of a file. Raises: InputError where the stated loss cannot be used."""
    epsilon, residuals = _epsilon(options.epsilon), residuals_of(noisy - exact)
    return LossTest(options.table.name, f"{options.noisy} - {options.exact}", TwoSidedGeometric(epsilon), residuals)


def _epsilon(text: str) -> Fraction:
    """The stated loss. Raises: InputError where it is no decimal number, or too small to simulate."""
    epsilon = exact_decimal(text)
    if epsilon is None or epsilon < Fraction(1, 10_000):
        fix = "give a decimal of at least 0.0001, such as 0.25"
        raise InputError([Problem("--epsilon", f"'{text}' is no loss that can be tested", fix)])
    return epsilon
