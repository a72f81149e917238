"""Coverage and length of published 95 % intervals near thresholds and near the limit of suppression, simulated.

    python -m tests.benchmarks.interval_coverage [--draws N]

COUNTY-2 of 2020 under zCDP, and of the paper's Table 1 under pure DP. For each point groups of one true size are drawn
until N of them are published at the stat level. Columns: share of intervals from both stages (`measurements`) and from
stage 2 alone (`t1`) that hold the true size, and of plus and minus a margin around the weighted mean of both stages;
mean length of the interval from both stages beside that of twice MOE95; mean error of the estimate, and root mean
square errors of the estimate and of COUNT, persons.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import variance
from safetab_sql.laws.selection import selected_counts
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import draw
from safetab_sql.published.measurements import TotalLaw, combined_totals
from tests.published.total_coverage import county_law

HEAD = (
    "noise",
    "cells",
    "distance",
    "size",
    "published",
    "both stages",
    "stage 2",
    "naive",
    "length",
    "bias",
    "error",
    "of COUNT",
)
DISTANCES = (-3, -2, -1, 0, 1, 2, 3, 5, 8)
SIZES = (0, 1, 2, 3, 5, 8, 12, 16, 20, 21, 22, 25, 30, 35, 40, 50, 60)
FEWEST = 1e-4  # chance of a point to be published, below which it is left out


def published(law: TotalLaw, size: int, draws: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Stage-1 totals and sums of stage 2 of `draws` published groups of this size, and the share that is published."""
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    found = drawn = 0
    while found < draws and drawn * FEWEST <= max(found, 1) + 200_000 * FEWEST:
        stage_1 = size + draw(law.stage_1, draws, system_bits)
        summed = size + draw(law.stage_2, draws * law.counts, system_bits).reshape(draws, law.counts).sum(axis=1)
        shown = (stage_1 >= (law.first or -(2**60))) & (stage_1 < (law.end or 2**60))
        shown &= summed > (-(2**60) if law.above is None else law.above)
        kept.append((stage_1[shown], summed[shown]))
        found, drawn = found + int(shown.sum()), drawn + draws
    stage_1, summed = (np.concatenate(each)[:draws] for each in zip(*kept, strict=True))
    return stage_1, summed, found / drawn


def row(name: str, law: TotalLaw, distance: str, size: int, draws: int) -> Sequence[str] | None:
    """One line of the table; None where such groups are hardly ever published."""
    stage_1, summed, share = published(law, size, draws)
    if summed.size < draws // 10:
        return None
    made = combined_totals(law, stage_1, summed)
    free = combined_totals(replace(law, first=None, end=None, above=None), stage_1, summed)
    lows, highs = summed - law.margin, summed + law.margin
    if law.above is not None:
        near = {one.noisy_count: one for one in selected_counts(law.stage_2, law.above) or ()}
        lows = np.array([near[s].low if s in near else s - law.margin for s in summed.tolist()])
        highs = np.array([near[s].high if s in near else s + law.margin for s in summed.tolist()])
    covers = [
        f"{np.mean((low <= size) & (size <= high)):.4f}"
        for low, high in ((made.lows, made.highs), (lows, highs), (free.lows, free.highs))
    ]
    errors = [np.mean((found - size) ** 2.0) ** 0.5 for found in (made.estimates, summed)]
    persons = [f"{value:.1f}" for value in (np.mean(made.estimates) - size, *errors)]
    length = np.mean(made.highs - made.lows) / (2 * law.margin)
    return (name, str(law.counts), distance, f"{size:,}", f"{share:.4f}", *covers, f"{length:.3f}", *persons)


def rows(draws: int) -> Iterator[Sequence[str] | None]:
    """Every point: distances from the first threshold of each table, then sizes around the limit of suppression."""
    for name in ("zcdp", "puredp"):
        for stat_level in (1, 2, 3):
            law = county_law(name, stat_level)
            for distance in DISTANCES:
                size = (law.first or 0) + round(distance * float(variance(law.stage_1)) ** 0.5)
                yield row(name, law, f"{distance:+d}", size, draws)
        for size in SIZES:
            yield row(name, county_law(name, 0), "", size, draws)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20_000, help="published groups of each point")
    options = parser.parse_args()
    print(aligned([HEAD, *(line for line in rows(options.draws) if line is not None)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
