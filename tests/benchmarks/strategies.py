"""Strategies beside what was published, and the lower bound: for prefix sums, ranges, marginals, and sex by age.

    python -m tests.benchmarks.strategies [--quick]

Columns: the variance of the worst answer, as a multiple of what is wanted, at rho 1 (zCDP) or epsilon 1 (pure DP): of
the best that `strategy` proposes, of the best that was published for the workload, and the lower bound; how far ours is
above the bound; seconds of the clock for all methods together.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from safetab_sql.semantics.methods import EQUAL_SUMS, EQUAL_WAVELETS, SQUARE_ROOT, Method, families, free, of_tables
from safetab_sql.semantics.products import Product, every_range, every_total, every_value, prefix_sums
from safetab_sql.settings.budgets import PrivacyDefinition

_PUBLISHED = (EQUAL_SUMS, EQUAL_WAVELETS, SQUARE_ROOT)
_ATTRIBUTES = (2, 3, 4, 5, 6)
_SEX, _AGES = 2, 23


@dataclass(frozen=True, slots=True)
class Row:
    """Costs of one workload under one definition, as in `balanced`."""

    workload: str
    definition: PrivacyDefinition
    ours: Method
    published: Method
    least: float
    seconds: float


def workloads(*, is_quick: bool) -> Iterator[tuple[str, tuple[Product, ...]]]:
    """By name."""
    for cells in (64, 256) if is_quick else (64, 256, 1024):
        yield f"prefix sums of {cells:,} cells", (Product((prefix_sums(cells),)),)
    for cells in (64,) if is_quick else (64, 256):
        yield f"all ranges of {cells} cells", (Product((every_range(cells),)),)
    axes = range(len(_ATTRIBUTES))
    sets = [some for ways in (1, 2) for some in combinations(axes, ways)]
    yield (
        "all 1- and 2-way marginals of 2x3x4x5x6",
        tuple(
            Product(tuple((every_value if axis in some else every_total)(_ATTRIBUTES[axis]) for axis in axes))
            for some in sets
        ),
    )
    sex, age, all_sexes, all_ages = every_value(_SEX), every_value(_AGES), every_total(_SEX), every_total(_AGES)
    yield (
        "sex by 23 ages: sex, age, sex by age",
        (
            Product((sex, all_ages)),
            Product((all_sexes, age)),
            Product((sex, age)),
        ),
    )


def measured(name: str, queries: Sequence[Product], definition: PrivacyDefinition) -> Row:
    """All that `strategy` tries."""
    began = time.monotonic()
    bound = free(queries)
    tables = {str(place): each for place, each in enumerate(queries)}
    cells = {"cells": Product(tuple(every_value(factor.values) for factor in queries[0].factors))}
    equal = of_tables(queries, tables, definition, [1.0] * len(queries)) if len(queries) > 1 else None
    best = [of_tables(queries, tables, definition, None)] if equal else []
    alone = of_tables(queries, cells, definition, [1.0])
    tried = [*families(queries, definition), *best, *([bound] if definition == "zcdp" else [])]
    seconds = time.monotonic() - began
    published = [replace(alone, name="cells alone"), *(each for each in tried if each.name in _PUBLISHED)]
    published += [replace(equal, name="the tables, equal weights")] if equal else []
    if equal and definition == "zcdp":  # of marginals: the bound is what ResidualPlanner reaches
        published.append(Method("ResidualPlanner", bound.least or np.inf, bound.worst))
    named = [replace(each, name=each.name or "the tables, best weights") for each in tried]
    ours, known = (min(some, key=lambda each: each.cost) for some in (named, published))
    return Row(name, definition, ours, known, bound.least or 0.0, seconds)


def error(row: Row, cost: float) -> float:
    """The variance of the worst answer at rho 1 or epsilon 1."""
    return cost / 2 if row.definition == "zcdp" else 2 * cost


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table in Markdown."""
    yield "| workload | | ours | by | published | by | lower bound | ours above it | s |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        ours, known, least = (error(row, cost) for cost in (row.ours.cost, row.published.cost, row.least))
        yield (
            f"| {row.workload} | {row.definition} | {ours:.4g} | {row.ours.name} | {known:.4g} | {row.published.name} "
            f"| {least:.4g} | {ours / least - 1:.1%} | {row.seconds:.1f} |"
        )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without the longest workloads")
    parser.add_argument("--definition", choices=("zcdp", "puredp"), action="append")
    given = parser.parse_args()
    chosen: list[PrivacyDefinition] = given.definition or ["zcdp", "puredp"]
    rows = []
    for definition in chosen:
        for name, queries in workloads(is_quick=given.quick):
            rows.append(measured(name, queries, definition))
            print(list(lines(rows))[-1], file=sys.stderr, flush=True)
    print("\n".join(lines(rows)))


if __name__ == "__main__":
    main()
