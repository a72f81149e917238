"""Coverage of sums of skewed amounts and of their means: `python -m tests.benchmarks.sum_coverage [--draws N]`.

Each draw makes a group anew: that many records, whose amounts are lognormal (of some, most records add next to nothing,
and a few a hundred times the median); each is clamped, noise is made for the most that a record adds, and the interval
is compared with the sum and the mean of the clamped amounts. Columns: definition, clamp and skew (of the logarithm),
records of a group, independent counts in the sum and the number, the share of records that are clamped; the shares of
sums and means that are held, with one standard error, where 95 % is promised; the mean length of the interval of a
mean, and how often that has no upper end; last, the share of means *before* clamping that are held, which nothing
promises: the bias of clamping is no noise.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.words import aligned
from safetab_sql.laws.noise import noise_law
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.intervals import ratios, sums
from safetab_sql.statistics.ratios import Counted, Shape, Term

_BLOCK = 2_000_000  # amounts at a time
DEFINITIONS: tuple[PrivacyDefinition, ...] = ("zcdp", "puredp")
BUDGET = {"zcdp": Fraction(1, 5), "puredp": Fraction(1)}


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of group. skew: standard deviation of the logarithm of amounts, whose median is a fifth of `most`."""

    definition: PrivacyDefinition
    most: int
    skew: float
    records: int
    counts: int = 1


@dataclass(frozen=True, slots=True)
class Held:
    """Shares of the draws: sums and means that are held, means before clamping, means without an upper end.

    clamped: of the records. length: of the intervals of means with an upper end.
    """

    sums: float
    means: float
    unclamped: float
    endless: float
    clamped: float
    length: float


def cases() -> Iterator[Case]:
    """From groups in which noise is all there is to groups in which there is hardly any."""
    for definition in DEFINITIONS:
        for most, skew in ((30, 0.5), (30, 1.5), (20_000, 2.5)):
            for records in (5, 40, 1_000):
                yield Case(definition, most, skew, records)
        yield Case(definition, 30, 1.5, 200, 9)


def shape_of(case: Case) -> Shape:
    """What a mean consists of: `counts` sums in the one sum, and as many counts in the other."""
    unit, budget = Unit(), BUDGET[case.definition]
    of_sums, of_counts = (
        noise_law(case.definition, budget / unit.bound(1, case.definition, most)) for most in (case.most, 1)
    )
    return Shape((Term(of_sums, 1, 0, case.counts), Term(of_counts, 0, 1, case.counts)))


def held(case: Case, draws: int, seed: int) -> Held:
    """What is held in so many draws of the noise and of the group; the noise is from the system's bits."""
    random, shape, found = np.random.default_rng(seed), shape_of(case), []
    for start in range(0, draws, step := max(1, _BLOCK // case.records)):
        size = min(step, draws - start)
        amounts = random.lognormal(np.log(case.most / 5), case.skew, (size, case.records)).astype(np.int64)
        clamped = np.minimum(amounts, case.most)
        exact = clamped.sum(axis=1), np.full(size, case.records)
        noise = [
            add_noise(np.zeros((size, case.counts), dtype=np.int64), term.law, system_bits).sum(axis=1)
            for term in shape.terms
        ]
        one, other = (each + own for each, own in zip(exact, noise, strict=True))
        none = np.zeros((size, 0), dtype=np.int64)
        means, truth = ratios(Counted(shape, one, other, none), LEVEL), exact[0] / case.records
        alone = sums(Counted(Shape(shape.terms[:1]), one, 0 * one, none), LEVEL)
        ends = np.isfinite(means.highs)
        found.append(
            [
                ((alone.lows <= exact[0]) & (exact[0] <= alone.highs)).sum(),
                ((means.lows <= truth) & (truth <= means.highs)).sum(),
                ((means.lows <= amounts.mean(axis=1)) & (amounts.mean(axis=1) <= means.highs)).sum(),
                (~ends).sum(),
                (amounts > case.most).mean() * size,
                (means.highs - means.lows)[ends].sum(),
            ]
        )
    of_sums, of_means, unclamped, endless, clamped, length = (np.array(found).sum(axis=0) / draws).tolist()
    return Held(of_sums, of_means, unclamped, endless, clamped, length / max(1 / draws, 1 - endless))


def row_of(case: Case, draws: int, seed: int) -> tuple[str, ...]:
    """One row of the table."""
    found, error = held(case, draws, seed), (0.05 * 0.95 / draws) ** 0.5
    kind = f"{case.definition}: 0 to {case.most:,}, skew {case.skew:g}"
    return (
        *(kind, f"{case.records:,}", str(case.counts), f"{found.clamped:.1%}"),
        *(f"{found.sums:.4f}", f"{found.means:.4f}", f"{error:.4f}"),
        *(f"{found.length:,.2f}", f"{found.endless:.2%}", f"{found.unclamped:.4f}"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100_000)
    options = parser.parse_args()
    head = ("amounts", "records", "counts", "clamped", "sums held", "means held", "+-", "length", "no end", "unclamped")
    print(aligned([head, *(row_of(case, options.draws, seed) for seed, case in enumerate(cases()))]))


if __name__ == "__main__":
    main()
