"""Variance and coverage of calibrated bottom-up margins: one set of all cells, and what is published of each row.

    python -m tests.benchmarks.calibrated_coverage [--draws N]

Columns: the case; noises drawn, each with all its rows; variance stated and observed, persons squared; MOE95, the share
it covers by the exact law, and the share covered. +-: one standard error, as if rows of one noise were independent.
"""

import argparse
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from safetab_sql.histograms.published.calibration import (
    RowNoise,
    SetPart,
    calibrated_cells,
    part_law,
    part_variance,
    row_margin,
)
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from tests.statistics import recorded_bits

CASES = ((8, 130, 76), (8, 20, 50), (6, 500, 10), (7, 300, 30))
HEAD = ("case", "noises", "rows", "variance stated", "observed", "MOE95", "covers", "covered")
_BLOCK = 10**6  # noises of cells at a time


def errors_of(epsilon: int, rows: int, cells: int, draws: int) -> np.ndarray:
    """Errors of every row in `draws` noises: int64[draws, rows]."""
    law, size = TwoSidedGeometric(Fraction(epsilon)), rows * cells
    sets, total = np.zeros(size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    bits = recorded_bits(f"coverage {epsilon} {rows} {cells}")
    found = []
    while draws:
        here = min(draws, max(1, _BLOCK // size))
        noises = draw(law, here * size, bits).reshape(here, size)
        found += [calibrated_cells(noise, sets, total).reshape(rows, cells).sum(axis=1) for noise in noises]
        draws -= here
    return np.array(found)


def row_of(case: tuple[int, int, int], draws: int) -> Sequence[str]:
    """One row of the table."""
    epsilon, rows, cells = case
    part, law = SetPart(rows * cells, cells), TwoSidedGeometric(Fraction(epsilon))
    errors, chances = errors_of(*case, draws), part_law(part, law)
    moe95, middle = int(row_margin(RowNoise(0, ((part, 1),)), law)), chances.size // 2
    squares, share = errors.ravel().astype(float) ** 2, float((np.abs(errors) <= moe95).mean())
    return (
        f"epsilon {epsilon}, {rows} rows of {cells} cells", f"{draws:,}", f"{errors.size:,}",
        f"{part_variance(part, law):.4f}", f"{squares.mean():.4f} +- {squares.std() / squares.size**0.5:.4f}",
        f"{moe95}", f"{100 * chances[middle - moe95 : middle + moe95 + 1].sum():.3f} %",
        f"{100 * share:.3f} +- {100 * (share * (1 - share) / squares.size) ** 0.5:.3f} %",
    )  # fmt: skip


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20_000, help="noises of each case")
    options = parser.parse_args()
    print(aligned([HEAD, *(row_of(case, options.draws) for case in CASES)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
