"""The ratio of two sums of published counts, such as a percentage, and the difference of two, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from safetab_sql.jobs.sum_noise import Atoms, MatchedRows, estimated_sum, reconciled_noise
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.published.derived import Intervals
from safetab_sql.published.ratio_differences import NoisyRatios, equal_ratio_chances, ratio_differences
from safetab_sql.published.ratio_noise import PairNoise, PairTerm, fieller
from safetab_sql.published.reconciled_derived import Reconciled, reconciled_ratios
from safetab_sql.published.release_facts import ReleaseFacts


@dataclass(frozen=True, slots=True)
class PublishedRatio:
    """A sum of published counts by another. other: the sum that it is divided by, persons.

    low, high: interval at the level of the sum. estimate, low, high: numbers, 0.5 for 50 %; None where the other sum
    may be 0, as far as its noise goes.
    """

    estimate: float | None
    low: float | None
    high: float | None
    other: float


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """A ratio less a second one: numbers, 0.05 for five percentage points. low, high: interval at the level of the sum.

    p_value: at most the chance that noise alone makes two equal ratios differ as much; None of reconciled counts.
    """

    second: PublishedRatio
    estimate: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class SumPair:
    """A sum and what it is divided by. times: how often each condition is in either. nets: how often each atom is."""

    times: tuple[Int64s, Int64s]
    nets: tuple[Int64s, Int64s]

    @property
    def is_part(self) -> bool:
        """Whether all that is in the sum is in the other one too."""
        return bool((self.nets[0] <= self.nets[1]).all())


def ratio_of_sums(
    pair: SumPair,
    matched: Sequence[MatchedRows],
    atoms: Atoms,
    facts: ReleaseFacts,
    level: Fraction,
) -> PublishedRatio:
    """The ratio of two sums, each of whose atoms is added once or more often.

    Shared noise cancels as it does in the true ratio: Fieller's interval, accuracy.md section 5. Of reconciled counts:
    all ratios that the intervals of both sums allow, each with half the chance to miss.
    """
    one, other = (
        np.array([estimated_sum(each, matched, net, atoms)]) for each, net in zip(pair.times, pair.nets, strict=True)
    )
    if facts.reconciled is None:
        lows, highs = fieller(_pair_noise(pair, atoms, facts), one.astype(np.float64), other.astype(np.float64), level)
    else:
        first, second = (
            _reconciled(total, each, matched, net, atoms, facts)
            for total, each, net in zip((one, other), pair.times, pair.nets, strict=True)
        )
        made = reconciled_ratios(first, second, facts.definition, level)
        lows, highs = made.lows, made.highs
    lows, highs = (np.clip(ends, 0, 1 if pair.is_part else np.inf) for ends in (lows, highs))
    if np.isnan(lows[0]):
        return PublishedRatio(None, None, None, other[0].item())
    return PublishedRatio((one[0] / other[0]).item(), lows[0].item(), highs[0].item(), other[0].item())


def difference_of_ratios(
    pairs: tuple[SumPair, SumPair], matched: Sequence[MatchedRows], atoms: Atoms, facts: ReleaseFacts, level: Fraction
) -> RatioDifference:
    """The first ratio less the second; each has half the chance to miss. Source: accuracy.md section 5."""
    second = ratio_of_sums(pairs[1], matched, atoms, facts, level)
    halves = [ratio_of_sums(pair, matched, atoms, facts, (1 + level) / 2) for pair in pairs]
    one, other = (
        Intervals(*(np.array([np.nan if end is None else end]) for end in (each.estimate, each.low, each.high, None)))
        for each in halves
    )
    made = ratio_differences(one, other)
    if np.isnan(made.lows[0]):
        return RatioDifference(second, None, None, None, None)
    p_value = None
    if facts.reconciled is None:
        first, other_ratio = (_noisy_ratio(pair, place, matched, atoms) for place, pair in enumerate(pairs))
        noises = [_pair_noise(pair, atoms, facts) for pair in pairs]
        p_value = equal_ratio_chances(first, other_ratio, noises)[0].item()
    return RatioDifference(second, made.estimates[0].item(), made.lows[0].item(), made.highs[0].item(), p_value)


def _noisy_ratio(pair: SumPair, place: int, matched: Sequence[MatchedRows], atoms: Atoms) -> NoisyRatios:
    """The two sums, and the place of their noise in a list."""
    one, other = (
        np.array([estimated_sum(each, matched, net, atoms)], dtype=np.float64)
        for each, net in zip(pair.times, pair.nets, strict=True)
    )
    return NoisyRatios(one, other, np.array([place]))


def _reconciled(
    total: Floats, times: Int64s, matched: Sequence[MatchedRows], net: Int64s, atoms: Atoms, facts: ReleaseFacts
) -> Reconciled:
    variance, *_ = reconciled_noise(times, matched, net, atoms, facts.definition)
    none = np.array([np.nan])
    return Reconciled(total.astype(np.float64), np.sqrt([variance]), none, none)


def _pair_noise(pair: SumPair, atoms: Atoms, facts: ReleaseFacts) -> PairNoise:
    """The noise of two sums: draws of each law, by how often they are in either."""
    nets = pair.nets
    chosen = np.flatnonzero(nets[0] + nets[1])
    columns = {
        "region_type": atoms.region_types.take(chosen),
        "variance": atoms.variances[chosen],
        "one": nets[0][chosen],
        "other": nets[1][chosen],
    }
    draws: dict[tuple[Law, int, int], int] = {}
    kinds = pa.table(columns).group_by(list(columns)).aggregate([([], "count_all")])
    for kind in kinds.to_pylist():
        (_, call), *_ = facts.calls_with(kind["region_type"], kind["variance"])
        key = (call.law, kind["one"], kind["other"])
        draws[key] = draws.get(key, 0) + kind["count_all"]
    terms = [PairTerm(law, one, other, number) for (law, one, other), number in draws.items()]
    return PairNoise(tuple(sorted(terms, key=lambda term: (str(term.law), term.one, term.other))), pair.is_part)
