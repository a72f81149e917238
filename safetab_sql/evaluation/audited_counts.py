"""What `epl` looks at, from the files that the user names, and the figures that it draws of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.evaluation import epl
from safetab_sql.evaluation.compared import compared_ladders, find_releases
from safetab_sql.evaluation.epl import Estimator, LossAudit, LossTest
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import DRAWING, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.figures import write_figures
from safetab_sql.kit.marks import mark_image
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.laws.noise import TwoSidedGeometric

_LEGEND = """\
EPL: max |log(p(x) / p(x + 1))|, p with bandwidth {0.bandwidth:g} of the standard deviation, x from \
percentile {1:g} to {0.percentile:g}.
honest noise: median and 97.5th percentile of the EPL of simulated noise, as many draws of the stated law.
lower bound: a lower bound on the loss at x. The audit fails if it is above the stated loss; honest noise fails
  in at most 1 of 100 audits.
noticed from: a loss of about so many times the stated loss is noticed in every second audit."""
_OF_RECONCILED = """
Of reconciled folders the column NOISY_COUNT is audited, which holds the counts as the noise left them; and COUNT, in
24ths of each count's standard deviation, as "reconciled"."""


@dataclass(frozen=True, slots=True)
class AuditedCounts:
    """tests: what is tested. note: what is to be said of the counts. table: the noisy and exact counts of a table."""

    tests: list[LossTest]
    note: str = ""
    table: tuple[Int64s, Int64s] | None = None


def counts_of_releases(releases: Sequence[Path], truth: Path, code_lists: Path | None) -> AuditedCounts:
    """Of releases with their exact counts, their residuals pooled. Raises: InputError where they are not of a kind."""
    found = find_releases(releases, truth, code_lists)
    with compared_ladders(found, Resources()) as ladders:
        tests = [test for database in ladders for test in epl.loss_tests(database, found.noises)]
    return AuditedCounts(tests, _OF_RECONCILED if found.is_reconciled else "")


def counts_of_table(path: Path, noisy: str, exact: str, epsilon: Fraction) -> AuditedCounts:
    """Of two columns of a Parquet file, whose noise has a loss of epsilon. Raises: InputError as `table_counts`."""
    counts, exact_counts = epl.table_counts(path, noisy, exact)
    residuals = epl.residuals_of(counts - exact_counts)
    test = LossTest(path.name, f"{noisy} - {exact}", TwoSidedGeometric(epsilon), residuals)
    return AuditedCounts([test], table=(counts, exact_counts))


def audited_losses(counts: AuditedCounts, estimator: Estimator) -> list[LossAudit]:
    """The audits of what has enough residuals. Raises: InputError where nothing has."""
    audits = epl.audit_losses(counts.tests, estimator)
    if not audits:
        what = f"no law of noise has {epl.FEWEST_RESIDUALS} counts that noise alone has changed"
        raise InputError([Problem("epl", what, "audit more releases together, or larger ones")])
    return audits


def explained_losses(audits: Sequence[LossAudit], tests: Sequence[LossTest], estimator: Estimator) -> str:
    """The audits as text, with what its columns mean."""
    legend = _LEGEND.format(estimator, 100 - estimator.percentile)
    return f"{legend}\n\n{epl.losses_text(audits, tests)}"


def failures(audits: Sequence[LossAudit]) -> list[str]:
    """A sentence for each audit that fails."""
    said = "{0.test.name}, {0.test.noise}: the residuals show a loss of at least {0.lower_bound_there:.3f} at "
    said += "{0.worst_x}; {0.stated_loss_there:.3f} is stated"
    return [said.format(audit) for audit in audits if not audit.passes]


def write_loss_figures(
    out: Path, audits: Sequence[LossAudit], counts: AuditedCounts, estimator: Estimator, *, overwrite: bool
) -> None:
    """Write a folder of figures, readable by nobody else: they follow from exact counts."""
    refuse(missing_extras(DRAWING))
    drawn = {}
    for audit in audits:
        stated = dict(zip(*audit.curve.select(["x", "stated_loss"]).to_pydict().values(), strict=True))
        title = f"{audit.test.name}, {audit.test.noise}: empirical privacy loss {audit.epl:.3f}"
        name = "density" if counts.table else f"density-{audit.test.name}-{audit.test.noise}".replace(" ", "-")
        drawn[name] = epl.loss_figure(title, audit.test.residuals, estimator, stated)
    if counts.table is not None:
        noisy, exact = counts.table
        drawn["counts"] = epl.scatter_figure(f"{counts.tests[0].name}: noisy and exact counts", exact, noisy)
    with whole_folder(out, [f"{name}.svg" for name in drawn], overwrite=overwrite) as folder:
        write_figures(folder, drawn, ("svg",))
        for file in folder.iterdir():
            mark_image(file)
            file.chmod(0o600)
