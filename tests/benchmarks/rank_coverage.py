"""Joint coverage of ranks, and how long their intervals are: `python -m tests.benchmarks.rank_coverage [--sets N]`.

Columns: the case; sets drawn; the share of sets all of whose ranks are held, with one standard error; the mean length
of an interval, in ranks; and the share of sets in which the noisy counts alone have every rank right.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from safetab_sql.kit.text_tables import aligned
from tests.jobs.change_pairs import DEFINITIONS, Count
from tests.jobs.rank_sets import jointly_held, ranks_of, true_ranks

HEAD = ("case", "sets", "jointly held", "+-", "length", "right by counts")
_BLOCK = 2_000  # sets at a time


def cases() -> Iterator[tuple[str, list[Count]]]:
    """Totals near the limit, tables of different sizes, all alike, and as many as there are states."""
    for definition in DEFINITIONS:
        near = [Count(definition, true, cells) for true in (20, 27, 34, 60) for cells in (0, 2)]
        yield f"{definition}: eight near the limit", near
        yield f"{definition}: ten alike", [Count(definition, 500, 4)] * 10
        yield f"{definition}: twenty, 40 apart", [Count(definition, 500 + 40 * place, 4) for place in range(20)]
        sizes = np.geomspace(30, 50_000, 51).round().astype(int).tolist()
        yield (
            f"{definition}: 51 states",
            [Count(definition, size, (0, 4, 9)[place % 3]) for place, size in enumerate(sizes)],
        )


def row_of(name: str, counts: list[Count], sets: int, seed: int) -> tuple[str, ...]:
    """One row of the table."""
    random, held, right, lengths = np.random.default_rng(seed), [], [], []
    for start in range(0, sets, _BLOCK):
        found, _ = ranks_of(counts, min(_BLOCK, sets - start), random)
        held.append(jointly_held(found, counts))
        lengths.append((found.highs - found.lows).mean())
        right.append((found.estimates.reshape(-1, len(counts)) == true_ranks(counts)).all(axis=1))
    share = float(np.concatenate(held).mean())
    return (
        name, f"{sets:,}", f"{share:.4f}", f"{(0.05 * 0.95 / sets) ** 0.5:.4f}", f"{np.mean(lengths):.2f}",
        f"{np.concatenate(right).mean():.4f}",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100_000)
    options = parser.parse_args()
    print(aligned([HEAD, *(row_of(*case, options.sets, seed) for seed, case in enumerate(cases()))]))


if __name__ == "__main__":
    main()
