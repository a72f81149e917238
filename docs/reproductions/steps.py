"""What each step buys on the budgets of the 2020 Detailed DHC-A: steps.md.

In the folder of the same name: sizes.csv, how many groups of a simulated nation of 3.3 million people in production's
lists have how many people; divided.toml and fitted.toml, what `targets --uses` makes of them, without and with
`--coarser-tables`; measured.csv and reconciled.csv, what the programs tests/benchmarks/allocation.py and
reconciled_errors.py measured.
"""

import csv
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from docs.reproductions.markdown import table
from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.jobs.allocation import expected_error
from safetab_sql.jobs.targets import Settings, settings_of
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.semantics.expected_errors import query_variance, unit_variance
from safetab_sql.semantics.use_queries import coarser_rows
from safetab_sql.settings.ladder_tables import TOTAL, CoarserTable
from safetab_sql.settings.ladders import attributes_of

FOLDER, CONFIGS = Path(__file__).parent / "steps", packaged_folder("configs")
USES = CONFIGS / "uses-ddhca-2020.toml"
LEVEL = "COUNTY-2"
FINEST = "age23"
HALF = Fraction(1, 2)
QUERIES = {
    "total": CoarserTable(HALF, TOTAL),
    "each sex": CoarserTable(HALF, "", (("SEX", "sex"),)),
    "cell of age4": CoarserTable(HALF, "age4"),
    "cell of age9": CoarserTable(HALF, "age9"),
    "cell of age23": None,
}
COARSER = """
[ladders.T2]
statistics = [
    { name = "age4", cells = { SEX = "sex", AGE = "age4" }, also_measured = [
        { table = "TOTAL", share = 0.10 }, { cells = { SEX = "sex" }, share = 0.10 } ] },
    { name = "age9", cells = { SEX = "sex", AGE = "age9" }, also_measured = [
        { table = "TOTAL", share = 0.10 }, { cells = { SEX = "sex" }, share = 0.10 },
        { table = "age4", share = 0.05 } ] },
    { name = "age23", cells = { SEX = "sex", AGE = "age23" }, also_measured = [
        { table = "TOTAL", share = 0.05 }, { cells = { SEX = "sex" }, share = 0.10 },
        { table = "age4", share = 0.05 }, { table = "age9", share = 0.05 } ] },
]
"""
SHARES = "shares = { alone = 7, in_combination = 1, ethnicity = 1 }\n"
STAGE_1 = "publish_stage_1 = true\n"


@cache
def steps() -> dict[str, Settings]:
    """The steps, by their names."""
    published = (CONFIGS / "example.toml").read_text(encoding="utf-8").partition("\n")[2]
    divided, fitted = ((FOLDER / f"{name}.toml").read_text(encoding="utf-8") for name in ("divided", "fitted"))
    shared = published.replace(f"[levels.{LEVEL}]\n", f"[levels.{LEVEL}]\n{SHARES}")
    texts = {
        "the paper, as published": published,
        "stage 1 published, and used": STAGE_1 + published,
        "and shares 7:1:1, of alone groups": STAGE_1 + shared,
        "coarser tables measured, shares by hand": published + COARSER,
        "loss divided for the uses": divided,
        "loss divided, with coarser tables": fitted,
    }
    with TemporaryDirectory() as folder:
        found = {}
        for name, text in texts.items():
            file = Path(folder) / "step.toml"
            file.write_text(text, encoding="utf-8")
            found[name] = settings_of(file, or_fitted=True)
        return found


def plan_of(settings: Settings) -> LevelPlan:
    """The level that is looked at, of its alone groups where it has shares."""
    names = (LEVEL, f"{LEVEL} alone")
    return next(plan for plan in settings.ledger.levels if plan.name in names)  # type: ignore[union-attr]


def matrices(settings: Settings, tables: Sequence[CoarserTable | None]) -> list[Floats]:
    """Tables as sums of the cells of the finest one; None is that one."""
    (ladder,) = settings.parameters.ladders
    attributes = {each.name: each for each in attributes_of(ladder, settings.parameters.attributes)}
    finest = next(each for each in ladder.statistics if each.name == FINEST)
    cells = np.eye(plan_of(settings).sizes[-1])
    return [cells if each is None else coarser_rows(ladder, finest, each, attributes) for each in tables]


def variances(settings: Settings) -> list[float]:
    """Of each query, the mean variance in a group with the finest table."""
    plan, definition = plan_of(settings), settings.definition
    finest = next(each for each in settings.parameters.ladders[0].statistics if each.name == FINEST)
    stage_2 = float(plan.calls.stage_2.budget)
    coarser = zip(matrices(settings, finest.also_measured), finest.also_measured, strict=True)
    sums = [(rows, unit_variance(definition, stage_2 * float(each.share))) for rows, each in coarser]
    if plan.publishes_stage_1 and plan.calls.stage_1 is not None:
        rows = matrices(settings, [QUERIES["total"]])[0]
        sums.append((rows, unit_variance(definition, float(plan.calls.stage_1.budget))))
    cell = unit_variance(definition, stage_2 * float(finest.shares_of_tables[-1]))
    return [query_variance(queries, cell, sums) for queries in matrices(settings, list(QUERIES.values()))]


def joint_bound(settings: Settings) -> float:
    """No Gaussian mechanism has a smaller sum of the five mean variances, whatever it measures.

    With W the queries, those of a table with k counts divided by sqrt(k), and A what is measured, of columns of length
    1 at most: tr(W (A^T A)^-1 W^T) tr(A^T A) is at least the square of the sum of the singular values of W, by Cauchy
    and Schwarz. Source: Li and Miklau 2013, Optimal error of query sets under the matrix mechanism.
    """
    queries = np.vstack([each / sqrt(len(each)) for each in matrices(settings, list(QUERIES.values()))])
    values = np.linalg.svd(queries, compute_uv=False)
    return float(values.sum() ** 2 / queries.shape[1]) * alone(settings)


def alone(settings: Settings) -> float:
    """The least variance of any of the queries by itself: of its cells, measured with all that a group may spend."""
    return unit_variance(settings.definition, float(plan_of(settings).calls.total_only.budget))


def page() -> str:
    """The page."""
    rows, errors = [], {}
    for name, settings in steps().items():
        found = variances(settings)
        is_shared = plan_of(settings).whole is not None
        errors[name] = "" if is_shared else f"{expected_error(settings, USES, FOLDER / 'sizes.csv'):.3f}"
        above = sum(found) / joint_bound(settings) - 1
        rows.append((name, *(f"{sqrt(each):.2f}" for each in found), f"{100 * above:.0f} %", errors[name]))
    published, divided = (steps()[name] for name in ("the paper, as published", "loss divided for the uses"))
    bounds = [
        (f"least of any mechanism, for it alone, {what}", *[f"{sqrt(alone(each)):.2f}"] * len(QUERIES), "", "")
        for what, each in {"published budgets": published, "loss divided": divided}.items()
    ]
    head = ("step", *QUERIES, "all five above the bound", "error of the uses")
    levels = [
        (plan.name, *(f"{float(each.levels[plan.name].budget):.4g}" for each in (published, divided)))
        for plan in published.ledger.levels  # type: ignore[union-attr]
    ]
    return _TEXT.format(
        steps=table(head, [*rows, *bounds]),
        budgets=table(("level", "rho, published", "rho, divided"), levels),
        measured=_listed("measured.csv"),
        reconciled=_listed("reconciled.csv"),
    )


def _listed(name: str) -> str:
    """A file of figures as a table."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        first, *rows = csv.reader(file)
    return table(first, rows)


_TEXT = """\
# What each step buys on the budgets of 2020

Written by `make reproductions`; a test compares. One loss, rho 4.944, that of the 2020 Detailed DHC-A in the United
States, and what can be had for it. Standard deviations, people, in a group of a county at the detailed level that has
the finest table, two sexes by 23 ages; and the weighted error, in multiples of what is wanted, of the uses for which
the 2020 budgets were chosen ([configs/uses-ddhca-2020.toml](../../configs/uses-ddhca-2020.toml)), over the groups of a
simulated nation of 3.3 million people.

{steps}

- **Stage 1** picks the table of a group and was charged; the paper's algorithm throws it away. `publish_stage_1 = true`
  uses it.
- **Shares by kind**, 7:1:1, cost nothing that is stated, as the person who loses most is in eight groups in combination
  and in none alone. Whoever is in an alone group then loses all of the stated loss
  ([accounting, section 1.1](../specification/accounting.md#11-unequal-shares)). The row is of alone groups, and beside
  the bound of their own loss.
- **Coarser tables measured** take a part of stage 2, in place of a published stage 1 ([tabulation, section
  5.10](../specification/tabulation.md)): here .05 for the total, .10 for the sexes, .05 for age4, .05 for age9.
- **Loss divided for the uses**: `targets --uses` ([accounting, section
  5.4](../specification/accounting.md#54-from-stated-uses)) finds level budgets, gamma and thresholds, and with
  `--coarser-tables` shares of coarser tables too. The nation and states give to counties and to regional groups: see
  the next table. These uses do not ask for sexes, so nothing is spent on them; uses that do would get the row above.
- **All five above the bound**: the sum of the five variances beside the least that any Gaussian mechanism can have with
  the same loss of a group, whatever it measures (Li and Miklau 2013). The last rows have the least standard deviation
  of each count by itself.

## Budgets

{budgets}

## Measured

One run with each parameter file, of 3.3 million simulated people in production's lists (`python -m
tests.benchmarks.allocation`). The loss was divided for the sizes of groups of another simulated nation. In the diverse
nation a third of the people give codes that hardly anybody shares. What is measured of a few groups next to a threshold
is chance: one group of 7,000 people that misses its table costs as much as ten thousand groups that have theirs.

{measured}

## Reconciled

`reconcile` lets regions add up: each count then uses what is published of the regions around it, too. Measured on a
simulated nation of 1.7 million people (`python -m tests.benchmarks.reconciled_errors --scale 0.005`), with the
published budgets: root mean square errors of totals, people, by kind of group and cells of its table.

{reconciled}
"""
