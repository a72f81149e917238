"""The ratio of two sums of published counts, such as a percentage, and the difference of two, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.statistics.intervals import Intervals, quotient_estimates
from safetab_sql.statistics.ratio_differences import NoisyRatios, equal_ratio_chances, ratio_differences
from safetab_sql.statistics.ratios import PairNoise, PairTerm, fieller
from safetab_sql.statistics.reconciled_intervals import Reconciled, deviations_of_rows, reconciled_ratios
from safetab_sql.statistics.sum_intervals import sum_ratio_ends
from safetab_sql.statistics.sum_noise import (
    Atoms,
    MatchedRows,
    atoms_by_law,
    estimated_sum,
    is_as_drawn,
    reconciled_noise,
    summed_counts,
)


@dataclass(frozen=True, slots=True)
class PublishedRatio:
    """A sum of published counts by another. other: the sum that it is divided by, persons.

    low, high: interval at the level of the sum; numbers, 0.5 for 50 %. high: None where there is no upper end, as the
    other sum may be 0. estimate: None where the other sum is not above 0.
    """

    estimate: float | None
    low: float
    high: float | None
    other: float


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """A ratio less a second one: numbers, 0.05 for five percentage points. low, high: interval at the level of the sum.

    low, high: None where there is no such end. p_value: at least the chance that noise alone makes two equal ratios
    differ as much; None where the error of a count is not the noise that was drawn: where it was reconciled, published
    for its size, or cut at 0.
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

    Shared noise cancels as it does in the true ratio: Fieller's interval, accuracy.md section 5. Where counts were
    published for their size, cut at 0 or reconciled: all ratios that the intervals of two sums allow, each with half
    the chance to miss.
    """
    one, other = (
        np.array([estimated_sum(each, matched, net, atoms)], dtype=np.float64)
        for each, net in zip(pair.times, pair.nets, strict=True)
    )
    most = 1 if pair.is_part else np.inf
    if facts.reconciled is not None:
        first, second = (
            _reconciled(total, each, matched, net, atoms, facts)
            for total, each, net in zip((one, other), pair.times, pair.nets, strict=True)
        )
        made = reconciled_ratios(first, second, facts.definition, level)
        lows, highs = (np.clip(ends, 0, most) for ends in (made.lows, made.highs))
    elif _is_as_drawn(pair, atoms, facts):
        lows, highs = fieller(_pair_noise(pair, atoms, facts), one, other, level)
    else:
        lows, highs = _of_two_intervals(pair, atoms, facts, level)
    estimate = quotient_estimates(one, other)
    return PublishedRatio(_number(estimate), lows[0].item(), _number(highs), other[0].item())


def _number(values: Floats) -> float | None:
    """The one value; None where it is not known, or without end."""
    return values[0].item() if np.isfinite(values[0]) else None


def _is_as_drawn(pair: SumPair, atoms: Atoms, facts: ReleaseFacts) -> bool:
    return all(is_as_drawn(summed_counts(net, atoms, facts), facts) for net in pair.nets)


def _of_two_intervals(pair: SumPair, atoms: Atoms, facts: ReleaseFacts, level: Fraction) -> tuple[Floats, Floats]:
    net, whole = pair.nets
    one, other = (summed_counts(each, atoms, facts) for each in (net, whole - net if pair.is_part else whole))
    low, high = sum_ratio_ends(one, other, level, is_clipped=facts.is_clipped, is_part=pair.is_part)
    return np.array([low]), np.array([high])


def difference_of_ratios(
    pairs: tuple[SumPair, SumPair], matched: Sequence[MatchedRows], atoms: Atoms, facts: ReleaseFacts, level: Fraction
) -> RatioDifference:
    """The first ratio less the second; each has half the chance to miss. Source: accuracy.md section 5."""
    second = ratio_of_sums(pairs[1], matched, atoms, facts, level)
    one, other = (_interval(ratio_of_sums(pair, matched, atoms, facts, (1 + level) / 2)) for pair in pairs)
    made = ratio_differences(one, other)
    p_value = None
    if facts.reconciled is None and all(_is_as_drawn(pair, atoms, facts) for pair in pairs):
        first, other_ratio = (_noisy_ratio(pair, place, matched, atoms) for place, pair in enumerate(pairs))
        noises = [_pair_noise(pair, atoms, facts) for pair in pairs]
        p_value = equal_ratio_chances(first, other_ratio, noises)[0].item()
    return RatioDifference(second, _number(made.estimates), _number(made.lows), _number(made.highs), p_value)


def _interval(ratio: PublishedRatio) -> Intervals:
    estimate = np.nan if ratio.estimate is None else ratio.estimate
    high = np.inf if ratio.high is None else ratio.high
    return Intervals(*(np.array([value]) for value in (estimate, ratio.low, high, np.nan)))


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
    variance, moe95, _ = reconciled_noise(times, matched, net, atoms, facts.definition)
    none = np.array([np.nan])
    deviations = deviations_of_rows(np.array([variance]), np.array([moe95]), facts.definition)
    return Reconciled(total.astype(np.float64), deviations, none, none)


def _pair_noise(pair: SumPair, atoms: Atoms, facts: ReleaseFacts) -> PairNoise:
    """The noise of two sums: draws of each law, by how often they are in either."""
    nets = pair.nets
    chosen = np.flatnonzero(nets[0] + nets[1])
    draws: dict[tuple[Law, int, int], int] = {}
    for count, kind in atoms_by_law(atoms, chosen, {"one": nets[0][chosen], "other": nets[1][chosen]}, facts):
        key = (count.law, kind["one"], kind["other"])
        draws[key] = draws.get(key, 0) + len(kind["noisy_list"])
    terms = [PairTerm(law, one, other, number) for (law, one, other), number in draws.items()]
    return PairNoise(tuple(sorted(terms, key=lambda term: (str(term.law), term.one, term.other))), pair.is_part)
