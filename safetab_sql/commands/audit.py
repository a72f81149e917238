"""Check a run against EXACT counts, on public or synthetic data only.

example: stability INPUTS
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from safetab_sql.commands.options import (
    PUBLIC_ONLY,
    Inputs,
    Json,
    LoggedMachine,
    decimal_of,
    exact_answer,
    members,
    misplaced,
    missing,
    refused,
)
from safetab_sql.commands.signatures import Means
from safetab_sql.kit.errors import Problem, refuse

if TYPE_CHECKING:
    from safetab_sql.evaluation.audit_epl import LossAudit, LossTest
    from safetab_sql.evaluation.audit_stability import StabilityAudit
    from safetab_sql.kit.arrays import Int64s
    from safetab_sql.settings.unit import Unit

_LEGEND = """\
EPL: max |log(p(x) / p(x + 1))|, p with bandwidth {0.bandwidth:g} of the standard deviation, x from \
percentile {1:g} to {0.percentile:g}.
honest noise: median and 97.5th percentile of the EPL of simulated noise, as many draws of the stated law.
lower bound: a lower bound on the loss at x. The audit fails if it is above the stated loss; honest noise fails
  in at most 1 of 100 audits.
noticed from: a loss of about so many times the stated loss is noticed in every second audit."""
_LOSS = decimal_of(  # a smaller one cannot be simulated
    "no loss that can be tested",
    "give a decimal of at least 0.0001, such as 0.25",
    lambda epsilon: epsilon >= Fraction(1, 10_000),
)

_OF_RECONCILED = """
Of reconciled folders the column NOISY_COUNT is audited, which holds the counts as the noise left them, not COUNT."""


def stability(*, inputs: Inputs, people: int = 20, json: Json = False, machine: LoggedMachine) -> None:
    """Leave people out, one at a time, and compare every EXACT count, of public or synthetic data only.

    example: INPUTS

    people N: how many people to leave out: half those in the most groups of a level, half spread over the rest
    """
    from safetab_sql.evaluation.audit_stability import audit_stability
    from safetab_sql.settings.parameters import load_parameters

    with machine.used() as used:
        audit = audit_stability(inputs.paths(), people, **used)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer(members(audit) if json else _text(audit, load_parameters(inputs.records.parameters).unit)))
    if audit.violations:
        print("\n".join(audit.violations), file=sys.stderr)
        raise SystemExit(1)


def _text(audit: "StabilityAudit", unit: "Unit") -> str:
    from safetab_sql.kit.text_tables import aligned

    rows = [(level.name, str(level.bound), str(level.most_changed)) for level in audit.levels]
    table = aligned([("level", "bound", "most changed"), *rows])
    people = f"{audit.people} {unit.holder if audit.people == 1 else unit.holders} left out, one at a time"
    verdict = f"{len(audit.violations)} violations" if audit.violations else "no level changed more than it may"
    return f"{table}\n{people}: {verdict}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Noisy and exact counts in a table.

    table F: instead of releases: a Parquet file with noisy and exact counts
    noisy COLUMN: with --table: its column of noisy counts, whole numbers
    exact COLUMN: with --table: its column of exact counts, whole numbers
    epsilon E: with --table: the stated loss of one count
    """

    table: Path | None = None
    noisy: str | None = None
    exact: str | None = None
    epsilon: Annotated[Fraction | None, _LOSS] = None

    def __post_init__(self) -> None:
        """Refuse a table without its columns and loss, and these without a table."""
        others = {"noisy": self.noisy, "exact": self.exact, "epsilon": self.epsilon}
        refuse(missing("audit epl", others) if self.table is not None else misplaced("--table", others))


def epl(
    releases: tuple[Path, ...] = (),
    *,
    ground_truth: Path | None = None,
    code_lists: Path | None = None,
    given: Counts,
    json: Annotated[bool, Means("as JSON, with the loss at every x")] = False,
    figures: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Compare the empirical privacy loss of residuals (noisy minus EXACT) with the stated loss.

    example: demo/release --ground-truth truth --code-lists demo/nation/code-lists

    releases OUT: releases, or folders of `reconcile`, of the same people with the same parameters; residuals are pooled
    ground_truth DIR: folder that `ground-truth` made of the same people
    code_lists DIR: the four code lists of the releases
    figures DIR: folder to make, with figures as SVG: density of the residuals and loss at every x; with --table, counts
        too
    overwrite: replace the folder of --figures if it exists
    """
    from safetab_sql.evaluation.audit_epl import (
        FEWEST_RESIDUALS,
        Estimator,
        audit_losses,
        losses_json,
        losses_text,
        table_counts,
    )
    from safetab_sql.kit.extras import DRAWING, missing_extras

    problems = missing_extras(DRAWING) if figures is not None else misplaced("--figures", {"overwrite": overwrite})
    if bool(releases) == (given.table is not None):
        what = "needs either releases or --table, and got " + ("both" if releases else "neither")
        problems.append(Problem("audit epl", what, "give one of them"))
    of_releases = {"ground_truth": ground_truth, "code_lists": code_lists}
    problems += missing("audit epl", {"ground_truth": ground_truth}) if releases else misplaced("releases", of_releases)
    refuse(problems)
    counts, note = None, ""
    if given.table is None:
        tests, note = _of_releases(releases, ground_truth, code_lists)
    else:
        counts = table_counts(given.table, given.noisy or "", given.exact or "")
        tests = [_table_test(given, given.table.name, *counts)]
    estimator = Estimator()
    audits = audit_losses(tests, estimator)
    if not audits:
        what = f"no law of noise has {FEWEST_RESIDUALS} counts that noise alone has changed"
        raise refused("audit epl", what, "audit more releases together, or larger ones")
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}{note}", file=sys.stderr)
    if figures is not None:
        _write_figures(figures, audits, given, counts, overwrite=overwrite)
    legend = _LEGEND.format(estimator, 100 - estimator.percentile)
    print(exact_answer(losses_json(audits, tests) if json else f"{legend}\n\n{losses_text(audits, tests)}"))
    if failures := [_failure(audit) for audit in audits if not audit.passes]:
        print("\n".join(failures), file=sys.stderr)
        raise SystemExit(1)


def _of_releases(releases: Sequence[Path], truth: Path | None, code_lists: Path | None) -> "tuple[list[LossTest], str]":
    """What is audited of releases, and what is to be said of it."""
    from safetab_sql.evaluation.audit_epl import loss_tests
    from safetab_sql.evaluation.measured import find_releases, measured
    from safetab_sql.kit.database import Resources

    found = find_releases(releases, truth or Path(), code_lists)
    with measured(found, Resources()) as ladders:
        tests = [test for database in ladders for test in loss_tests(database, found.noises)]
    return tests, _OF_RECONCILED if found.is_reconciled else ""


def _table_test(given: Counts, name: str, noisy: "Int64s", exact: "Int64s") -> "LossTest":
    from safetab_sql.evaluation.audit_epl import LossTest, residuals_of
    from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric

    law = TwoSidedGeometric(given.epsilon or Fraction(0))
    return LossTest(name, f"{given.noisy} - {given.exact}", law, residuals_of(noisy - exact))


def _write_figures(
    out: Path, audits: "list[LossAudit]", given: Counts, counts: "tuple[Int64s, Int64s] | None", *, overwrite: bool
) -> None:
    """The figures, readable by nobody else: they follow from exact counts."""
    from safetab_sql.evaluation.audit_epl import Estimator, loss_figure, scatter_figure
    from safetab_sql.kit.figures import write_figures
    from safetab_sql.kit.marks import mark_image
    from safetab_sql.kit.whole_folders import whole_folder

    drawn = {}
    for audit in audits:
        stated = dict(zip(*audit.curve.select(["x", "stated_loss"]).to_pydict().values(), strict=True))
        title = f"{audit.test.name}, {audit.test.noise}: empirical privacy loss {audit.epl:.3f}"
        name = "density" if counts else f"density-{audit.test.name}-{audit.test.noise}".replace(" ", "-")
        drawn[name] = loss_figure(title, audit.test.residuals, Estimator(), stated)
    if counts is not None and given.table is not None:
        drawn["counts"] = scatter_figure(f"{given.table.name}: noisy and exact counts", counts[1], counts[0])
    with whole_folder(out, [f"{name}.svg" for name in drawn], overwrite=overwrite) as folder:
        write_figures(folder, drawn, ("svg",))
        for file in folder.iterdir():
            mark_image(file)
            file.chmod(0o600)


def _failure(audit: "LossAudit") -> str:
    return (
        f"{audit.test.name}, {audit.test.noise}: the residuals show a loss of at least {audit.lower_bound_there:.3f} "
        f"at {audit.worst_x}; {audit.stated_loss_there:.3f} is stated"
    )


ACTIONS = (stability, epl)
