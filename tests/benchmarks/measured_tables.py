"""What measuring coarser tables beside the finest cells gains at one loss, in errors of real releases.

    python -m tests.benchmarks.measured_tables [--regions 2000] [--people 400000] [--definition zcdp] [--budget 0.05]

Simulates people with sex and age in regions, releases their sex by 23 ages twice with the same total loss, from the
cells alone and with coarser tables measured too, and compares both releases with the exact tables: the root mean square
error of totals, sexes, four ages and cells, the share of counts within their MOE95, the chi-square of the joint law of
all cells of a group, and the audit of their losses. Then it plants a bug, noise of a fifth of its deviation in the
total alone, and shows what notices it: the coverage of `evaluate` even in one release, the audit of losses in more.
Exit code 1 where the audit of honest noise fails, or the bug passes both.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.evaluation.audited_counts import audited_losses, counts_of_releases, explained_losses
from safetab_sql.evaluation.evaluate import evaluate
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import variance
from safetab_sql.mechanisms import tabulate
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.measured import measurements
from safetab_sql.published.count_laws import covariance
from safetab_sql.release.folder import open_folder

STARTS = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)
FOUR = (0, 18, 45, 65)
PARAMETERS = """
privacy_definition = "{definition}"
allow_negative_counts = true
place.key = {{ REGION = "text" }}
region_types.REGION.id = "REGION"
[attributes]
SEX.values = ["1", "2"]
AGE = {{ minimum = 0, maximum = 115, publish = ["FROM", "TO"], groups = {{ four = {four}, fine = {fine} }} }}
[ladders.T]
choose = "always"
subtotals = [{{ SEX = "each" }}, {{ AGE = "four" }}]
statistics = [{{ name = "sex by age", cells = {{ SEX = "each", AGE = "fine" }}{measured} }}]
levels = [{{ each = ["REGION-ALL"], budget = {budget} }}]
"""
MEASURED = """, also_measured = [
    { table = "TOTAL", share = 0.05 }, { cells = { SEX = "each" }, share = 0.10 },
    { cells = { AGE = "four" }, share = 0.10 },
]"""
KINDS = ("total", "sex", "four ages", "cell")
TOTAL = "TOTAL of sex by age"


@dataclass(frozen=True)
class Errors:
    """Of the counts of each kind: the root mean square error, and the share within their MOE95."""

    deviations: dict[str, float]
    covered: dict[str, float]


def simulated(folder: Path, regions: int, people: int) -> InputPaths:
    """People of regions whose sizes are far from alike, and their geography; parameters.toml is not there yet."""
    random = np.random.default_rng(37)
    sizes = random.pareto(1.2, regions) + 0.1
    names = np.array([f"r{number:05}" for number in range(regions)])
    ages = np.minimum(115, (random.beta(1.3, 2.0, people) * 100).astype(np.int64))
    columns = {
        "REGION": names[random.choice(regions, people, p=sizes / sizes.sum())],
        "SEX": random.choice(["1", "2"], people),
        "AGE": ages,
    }
    pq.write_table(pa.table(columns), folder / "persons.parquet")
    pq.write_table(pa.table({"REGION": names}), folder / "geography.parquet")
    return InputPaths(folder / "parameters.toml", folder / "persons.parquet", folder / "geography.parquet")


def with_parameters(inputs: InputPaths, options: argparse.Namespace, measured: str) -> InputPaths:
    """The inputs, with parameters that measure coarser tables, or none."""
    path = Path(inputs.persons).parent / f"parameters{len(measured)}.toml"
    said = {"definition": options.definition, "budget": options.budget, "measured": measured}
    path.write_text(PARAMETERS.format(four=list(FOUR), fine=list(STARTS), **said), encoding="utf-8")
    return replace(inputs, parameters=path)


def kind_of(rows: pa.Table) -> np.ndarray:
    """Which of KINDS each row is."""
    is_all = [pc.equal(rows[name], "*").to_numpy(zero_copy_only=False) for name in ("SEX", "FROM")]
    return np.array([["cell", "sex"], ["four ages", "total"]])[is_all[0].astype(int), is_all[1].astype(int)]


def errors_of(release: Path, truth: Path) -> Errors:
    """The errors of a release, by the exact tables."""
    keys = ["REGION_ID", "FROM", "TO", "SEX"]
    ours, true = (pq.read_table(path).sort_by([(key, "ascending") for key in keys]) for path in (release / "t", truth))
    assert all(ours[key].to_pylist() == true[key].to_pylist() for key in keys)
    errors = ours["COUNT"].to_numpy().astype(np.float64) - true["COUNT"].to_numpy()
    is_covered, kinds = np.abs(errors) <= ours["MOE95"].to_numpy(), kind_of(ours)
    deviations = {kind: float(np.sqrt((errors[kinds == kind] ** 2).mean())) for kind in KINDS}
    return Errors(deviations, {kind: float(is_covered[kinds == kind].mean()) for kind in KINDS})


def joint_law(release: Path, truth: Path) -> tuple[float, float]:
    """The mean of r' V^-1 r over groups, by the number of cells, and by how many deviations it is off 1.

    r: residuals of the cells of a group, whose covariance is V. Its own variance is that of a Gaussian r.
    """
    facts = open_folder(release).facts
    (ladder,), (level,) = facts.parameters.ladders, facts.levels
    measurement, calls = measurements(facts.parameters, ladder)[0], level.calls.of_table(1)
    inverse = np.linalg.inv(covariance(measurement, calls))
    tables = []
    for path in (release / "t", truth):
        rows = pq.read_table(path)
        rows = rows.filter(pa.array(kind_of(rows) == "cell"))
        rows = rows.append_column("AGE", pc.cast(rows["FROM"], "int64"))
        rows = rows.sort_by([(name, "ascending") for name in ("REGION_ID", "SEX", "AGE")])
        tables.append(rows["COUNT"].to_numpy().astype(np.float64).reshape(-1, measurement.cells))
    residuals = tables[0] - tables[1]
    squares = np.einsum("gi,ij,gj->g", residuals, inverse, residuals)
    weights = measurement.weights / measurement.parts
    spread = np.array([float(variance(call.law)) for call in calls])[measurement.table_of_draws]
    form = (weights.T @ inverse @ weights) * np.sqrt(np.outer(spread, spread))
    off = (squares.mean() - measurement.cells) / sqrt(2 * (form**2).sum() / squares.size)
    return float(squares.mean() / measurement.cells), float(off)


@contextmanager
def narrow_total() -> Iterator[None]:
    """Runs draw the noise of a measured total with a fifth of its deviation; what is stated of it is as before."""
    honest: Any = tabulate._fitted

    def fitted(exact: Any, measurement: Any, calls: Any, bits: Any) -> Any:
        total, *others = calls
        law = type(total.law)(total.budget * (25 if hasattr(total.law, "rho") else 5))
        return honest(exact, measurement, (replace(total, law=law), *others), bits)

    tabulate._fitted = fitted
    try:
        yield
    finally:
        tabulate._fitted = honest


def shown(alone: Errors, fitted: Errors) -> str:
    """Both releases, kind by kind."""
    rows = [("counts of", "error, cells alone", "error, fitted", "change", "covered, alone", "covered, fitted")]
    for kind in KINDS:
        before, after = alone.deviations[kind], fitted.deviations[kind]
        covered = (f"{each.covered[kind]:.2%}" for each in (alone, fitted))
        rows.append((kind, f"{before:.2f}", f"{after:.2f}", f"{after / before - 1:+.1%}", *covered))
    return aligned(rows)


def failed(release: Path, truth: Path) -> tuple[bool, str]:
    """Whether the audit of losses fails, and what it says."""
    counts = counts_of_releases([release], truth.parent, None)
    audits = audited_losses(counts)
    return not all(audit.passes for audit in audits), explained_losses(audits, counts.tests)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is found; 1 where honest noise fails or the bug passes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("regions", 2_000), ("people", 400_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--definition", choices=("zcdp", "puredp"), default="zcdp")
    parser.add_argument("--budget", default="0.05")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as name:
        folder = Path(name)
        inputs = simulated(folder, options.regions, options.people)
        both = [with_parameters(inputs, options, measured) for measured in ("", MEASURED)]
        alone, fitted = (run(own, folder / f"release-{place}").out for place, own in enumerate(both))
        truth = ground_truth(both[1], folder / "truth", dense=True).out / "t.parquet"
        losses = [open_folder(out).facts.loss.of_record for out in (alone, fitted)]
        print(f"total loss of both releases: {losses[0]} = {losses[1]}")
        print(shown(errors_of(alone, truth), errors_of(fitted, truth)))
        mean, off = joint_law(fitted, truth)
        print(f"chi-square of the joint law of all cells of a group, by cells: {mean:.4f}, {off:+.2f} deviations off 1")
        fails, said = failed(fitted, truth)
        print(said)
        with narrow_total():
            wrong = run(both[1], folder / "wrong").out
        is_noticed, said = failed(wrong, truth)
        found = evaluate([wrong], folder / "evaluation", ground_truth=truth.parent)
        rows = {row["statistic"]: row for row in found.tables["by_statistic"].to_pylist()}
        print(f"\nA fifth of the noise in the total alone, planted:\n{said}")
        print(f"its coverage: {rows[TOTAL]['coverage']:.2%}; expected: {rows[TOTAL]['expected_coverage']:.2%}")
        is_noticed = is_noticed or not rows[TOTAL]["is_as_expected"]
    return int(fails or not is_noticed or losses[0] != losses[1])


if __name__ == "__main__":
    sys.exit(main())
