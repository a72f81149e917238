"""Bias, variance and coverage of reconciled totals near the threshold of their table, with stage 1, simulated.

    python -m tests.benchmarks.stage_1_coverage [--draws N]

Two tracts of one size whose stage-1 totals chose their tables, and their county, COUNTY-2 of 2020. distance: of the
true size above the threshold, standard deviations of stage 1. +-: one standard error.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import variance
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import draw
from safetab_sql.published.both_stages import BetterSums, Chosen, better_sums
from safetab_sql.reconciliation.forest import TOTAL, Combined, Groups, RegionTree, forest
from safetab_sql.reconciliation.least_squares import reconciled_rows, solution
from safetab_sql.reconciliation.tables import margins_of_rows
from tests.published.suppressed_releases import known_statistics

HEAD = ("cells", "distance", "total of", "totals", "bias", "deviation", "stated", "covered")
DISTANCES = (-3, -2, -1, 0, 1, 3, 8)
THRESHOLDS = (971, 4971, 19971)
BUDGET = Fraction("0.159") / 9
STAGE_1, STAGE_2 = noise_law("zcdp", BUDGET / 10), noise_law("zcdp", BUDGET * 9 / 10)
TREE = RegionTree((1, -1), np.array([0, 0, 1]), np.array([2, 2, -1]))


def cells_of(
    size: int, level: int, limits: tuple[int | None, int | None], groups: int
) -> tuple[np.ndarray, BetterSums]:
    """The cells of groups of one size whose stage-1 total lay within limits, moved to what both stages say."""
    known, (first, end) = known_statistics(), limits
    kept = [np.empty(0, dtype=np.int64)]
    while sum(map(len, kept)) < groups:
        found = size + drawn(STAGE_1, groups)
        kept.append(found[(found >= (first or -(2**60))) & (found < (end or 2**60))])
    stage_1 = np.concatenate(kept)[:groups].astype(np.float64)
    counts = drawn(STAGE_2, groups * known.cells[level]).reshape(groups, -1).astype(np.float64)
    counts[:, 0] += size  # all in the first cell, which is as good as any
    sums = counts.sum(axis=1)
    law = Chosen(float(variance(STAGE_1)), known.cells[level] * float(variance(STAGE_2)), first, end)
    better = better_sums(law, stage_1, sums)
    return counts + ((better.sums - sums) / known.cells[level])[:, None], better


def drawn(law: Law, size: int) -> np.ndarray:
    """So many draws, int64."""
    return draw(law, size, system_bits)


def rows_of(level: int, distance: float, draws: int) -> Iterator[tuple[str, ...]]:
    """Two rows: the tracts, and the county."""
    known = known_statistics()
    size = round(THRESHOLDS[level - 1] + distance * float(variance(STAGE_1)) ** 0.5)
    limits = (THRESHOLDS[level - 1], THRESHOLDS[level] if level < len(THRESHOLDS) else None)
    tracts, of_tracts = cells_of(size, level, limits, 2 * draws)
    counties, of_counties = cells_of(2 * size, 3, (None, None), draws)
    sizes = np.repeat([tracts.shape[1], counties.shape[1]], [2 * draws, draws])
    none = np.full(3 * draws, np.nan)
    usual = np.repeat([of_tracts.usual_variance, of_counties.usual_variance], [2 * draws, draws])
    variances, margin_variances = (
        np.concatenate([getattr(of_tracts, name), getattr(of_counties, name)])
        for name in ("variances", "margin_variances")
    )
    regions = np.concatenate([np.tile([0, 1], draws), np.full(draws, 2)])
    groups = Groups(
        iterations=np.concatenate([np.repeat(np.arange(draws), 2), np.arange(draws)]),
        regions=regions,
        stat_levels=np.repeat([level, 3], [2 * draws, draws]).astype(np.int8),
        variances=np.full(3 * draws, float(variance(STAGE_2))),
        first_counts=np.cumsum(sizes) - sizes,
        counts=np.concatenate([tracts.ravel(), counties.ravel()]),
        are_evidence=np.ones(3 * draws, dtype=np.bool_),
        combined=Combined(usual, variances, margin_variances, none, none, np.ones(3 * draws, dtype=np.bool_)),
    )
    trees = forest(groups, TREE)
    found: dict[str, list[np.ndarray]] = {"tract": [], "county": []}
    for part in reconciled_rows(groups, trees, solution(groups, trees, known), known):
        margins = margins_of_rows(part.margin_variances, "zcdp")
        is_county = regions[part.groups] == 2
        errors = part.estimates - np.where(is_county, 2 * size, size)
        columns = np.column_stack([errors, np.abs(errors) <= margins, part.variances])
        for name, chosen in (("tract", ~is_county), ("county", is_county)):
            found[name].append(columns[chosen & (part.row_ids == TOTAL)])
    for name, parts in found.items():
        errors, inside, stated = np.vstack(parts).T
        bias = f"{errors.mean():+.2f} +- {errors.std() / errors.size**0.5:.2f}"
        deviations = (f"{errors.std():.2f}", f"{stated.mean() ** 0.5:.2f}")
        yield (
            str(known.cells[level]),
            f"{distance:g}",
            name,
            f"{errors.size:,}",
            bias,
            *deviations,
            f"{inside.mean():.4f}",
        )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=8_000, help="counties of each point")
    options = parser.parse_args()
    points = [(level, distance) for level in (1, 2, 3) for distance in DISTANCES]
    print(aligned([HEAD, *(row for point in points for row in rows_of(*point, options.draws))]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
