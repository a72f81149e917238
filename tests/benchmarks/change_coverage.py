"""Coverage of change between two releases, near thresholds: `python -m tests.benchmarks.change_coverage [--pairs N]`.

For each case, pairs of releases are drawn. Columns: coverage where both counts have a row, with one standard error;
where one has none, the share of all pairs whose interval misses; the mean length of the intervals with two ends, and of
what `estimate +- root of the sum of squared margins` gives; how often that holds the truth; and the share of p-values
of at most 0.05 where nothing changed.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from safetab_sql.kit.text_tables import aligned
from safetab_sql.statistics.evaluator import adjusted_level, adjusted_p_values
from tests.jobs.change_pairs import DEFINITIONS, LEVEL, Count, Found, found_of, ratio_differences_of

HEAD = (
    "case",
    "published",
    "covered",
    "+-",
    "missed without a row",
    "length",
    "naive length",
    "naive covers",
    "p<=0.05",
)
KINDS = ["difference", "growth"]
PAIRS = [("zcdp", "zcdp"), ("puredp", "puredp"), ("zcdp", "puredp")]


def sizes(definition: str) -> list[int]:
    """Near and far above the limit of totals."""
    one = Count(definition, 0, 0)
    return [(one.above or 0) + round(place * one.margin) for place in (-0.5, 0, 0.5, 1, 3)]


def cases(pairs: list[tuple[str, str]], kinds: list[str]) -> Iterator[tuple[str, str, Count, Count]]:
    """Totals alone near thresholds; tables of different sizes; a table and a total alone."""
    for first, second in pairs:
        for kind in kinds:
            for place in range(len(sizes(first))):
                one, other = sizes(first)[place], sizes(second)[-1 - place]
                yield (
                    f"{kind} {first} {one} {second} {other}: totals",
                    kind,
                    Count(first, one, 0),
                    Count(second, other, 0),
                )
                same = Count(first, one, 0), Count(second, one, 2)
                yield f"{kind} {first} {one} {second} {one}: total, 2 cells", kind, *same
            both = Count(first, 1500, 4), Count(second, 1500, 18)
            yield f"{kind} {first} 1500 {second} 1500: 4 cells, 18 cells", kind, *both


def truth(kind: str, one: Count, other: Count) -> float:
    """The change that there is."""
    return one.true - other.true if kind == "difference" else one.true / other.true - 1


def row_of(name: str, kind: str, one: Count, other: Count, pairs: int, seed: int) -> tuple[str, ...]:
    """One row of the table."""
    found = found_of(kind, one, other, pairs, np.random.default_rng(seed))
    is_whole, held = found.is_published.all(axis=1), found.held(truth(kind, one, other))
    lengths = found.intervals.highs - found.intervals.lows
    estimates, margins = naive(kind, one, other, found)
    naive_held = np.abs(estimates - truth(kind, one, other)) <= margins
    p_values = found.intervals.p_values[is_whole]
    tested = one.true == other.true and not np.isnan(p_values).any()
    return (
        name, f"{is_whole.mean():.3f}", f"{held[is_whole].mean():.4f}",
        f"{(0.05 * 0.95 / max(1, is_whole.sum())) ** 0.5:.4f}", f"{(~held & ~is_whole).mean():.4f}",
        f"{lengths[is_whole & np.isfinite(lengths)].mean():,.4g}", f"{2 * margins[is_whole].mean():,.4g}",
        f"{naive_held[is_whole].mean():.4f}", f"{(p_values <= 0.05).mean():.4f}" if tested else "-",
    )  # fmt: skip


def naive(kind: str, one: Count, other: Count, found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and margins that forget the choice, and take ratios for normal ones."""
    x, y = found.noisy.T.astype(float)
    if kind == "difference":
        return x - y, np.full(x.size, np.hypot(one.margin, other.margin))
    with np.errstate(divide="ignore", invalid="ignore"):
        return x / y - 1, np.abs(x / y) * np.hypot(one.margin / x, other.margin / y)


RATES = ((400, 1000), (30, 90), (60, 70), (10, 60), (0, 60), (3, 40))  # counts and what they are divided by
SECONDS = ((1, 1), (3, 3), (1, 4))  # the second ratio: both counts so many times as large; in tables of 1 or 9 cells


def rows_of_ratio_differences(pairs: int) -> Iterator[tuple[str, ...]]:
    """Shares in two years, of counts of 4 cells, and of as many or more people in tables of other sizes."""
    for place, (definition, (one, other), (times, others)) in enumerate(product(DEFINITIONS, RATES, SECONDS)):
        kinds = ((one, 4), (other, 4), (times * one, 1), (others * other, 9))
        counts = [Count(definition, *kind) for kind in kinds]
        found = ratio_differences_of(counts, pairs, np.random.default_rng(90 + place))
        truth = one / other * (1 - times / others)
        held, p_values = found.held(truth), found.intervals.p_values
        length = float(np.nanmean(found.intervals.highs - found.intervals.lows))
        share = f"{(p_values <= 0.05).mean():.4f}" if truth == 0 else "-"
        yield (
            f"ratio_difference {definition} {one}/{other} and {times * one}/{others * other}", "1.000",
            f"{held.mean():.4f}", f"{(0.05 * 0.95 / pairs) ** 0.5:.4f}", "0.0000", f"{length:.4g}", "-", "-", share,
        )  # fmt: skip


FAMILY = 20  # comparisons, of which half changed
CHANGED = 120  # persons, of those
ADJUSTED_HEAD = ("20 comparisons", "false among found", "any false", "all held", "missed of stated", "found of changed")


def rows_of_families(families: int) -> Iterator[tuple[str, ...]]:
    """Families of 20 differences of tables, 10 of which changed: what is found by each adjustment, and what is held."""
    for seed, definition in enumerate(DEFINITIONS, start=50):
        changes = np.repeat([0, CHANGED], FAMILY // 2)
        pairs = [(Count(definition, 1500 + change, 4), Count(definition, 1500, 9)) for change in changes.tolist()]
        made = [
            found_of("difference", *pair, families, np.random.default_rng((seed, number)))
            for number, pair in enumerate(pairs)
        ]
        estimates, p_values = (
            np.stack([getattr(found.intervals, name) for found in made], axis=1) for name in ("estimates", "p_values")
        )
        for method in ("holm", "bh"):
            adjusted = np.stack([adjusted_p_values(own, method) for own in p_values])
            is_found = adjusted <= float(1 - LEVEL)
            levels = [adjusted_level(own, method, LEVEL) for own in adjusted]
            margins = {level: _margin(*pairs[0], level) for level in set(levels)}
            missed = np.abs(estimates - changes) > np.array([margins[level] for level in levels])[:, None]
            stated = np.ones_like(is_found) if method == "holm" else is_found
            false = is_found & (changes == 0)
            yield (
                f"{method} {definition}", f"{(false.sum(axis=1) / np.maximum(1, is_found.sum(axis=1))).mean():.4f}",
                f"{false.any(axis=1).mean():.4f}", f"{1 - (missed & stated).any(axis=1).mean():.4f}",
                f"{((missed & stated).sum(axis=1) / np.maximum(1, stated.sum(axis=1))).mean():.4f}",
                f"{is_found[:, changes > 0].mean():.3f}",
            )  # fmt: skip


def _margin(one: Count, other: Count, level: Fraction) -> float:
    """Half the length of an interval of two tables, which is the same whatever the counts."""
    ends = found_of("difference", one, other, 1, np.random.default_rng(0), level).intervals
    return float(ends.highs[0] - ends.lows[0]) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--kind", choices=KINDS, help="this kind alone")
    parser.add_argument(
        "--definitions", type=int, choices=range(len(PAIRS)), help="the first, second or third pair alone"
    )
    parser.add_argument("--adjusted", action="store_true", help="families of comparisons alone, of 20 pairs each")
    parser.add_argument("--ratio-differences", action="store_true", help="differences of two ratios alone")
    options = parser.parse_args()
    if options.ratio_differences:
        print(aligned([HEAD, *rows_of_ratio_differences(options.pairs)]))
        return
    if options.adjusted:
        print(aligned([ADJUSTED_HEAD, *rows_of_families(options.pairs // FAMILY)]))
        return
    chosen = PAIRS if options.definitions is None else [PAIRS[options.definitions]]
    kinds = [options.kind] if options.kind else KINDS
    rows = [HEAD, *(row_of(*case, options.pairs, seed) for seed, case in enumerate(cases(chosen, kinds)))]
    print(aligned([*rows, *([] if options.kind else rows_of_ratio_differences(options.pairs))]))


if __name__ == "__main__":
    main()
