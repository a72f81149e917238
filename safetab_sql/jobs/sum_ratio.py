"""The ratio of two sums of published counts, such as a percentage, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from safetab_sql.jobs.sum_noise import Atoms, MatchedRows, estimated_sum, reconciled_noise
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
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


def ratio_of_sums(
    times: tuple[Int64s, Int64s],
    matched: Sequence[MatchedRows],
    nets: tuple[Int64s, Int64s],
    atoms: Atoms,
    facts: ReleaseFacts,
    level: Fraction,
) -> PublishedRatio:
    """The ratio of two sums. times: how often each condition is in either sum. nets: how often each atom is, >= 0.

    Shared noise cancels as it does in the true ratio: Fieller's interval, accuracy.md section 5. Of reconciled counts:
    all ratios that the intervals of both sums allow, each with half the chance to miss.
    """
    one, other = (np.array([estimated_sum(each, matched, net, atoms)]) for each, net in zip(times, nets, strict=True))
    is_part = bool((nets[0] <= nets[1]).all())
    if facts.reconciled is None:
        noise = PairNoise(_pair_terms(nets, atoms, facts), is_part)
        lows, highs = fieller(noise, one.astype(np.float64), other.astype(np.float64), level)
    else:
        first, second = (
            _reconciled(total, each, matched, net, atoms, facts)
            for total, each, net in zip((one, other), times, nets, strict=True)
        )
        made = reconciled_ratios(first, second, facts.definition, level)
        lows, highs = made.lows, made.highs
    lows, highs = (np.clip(ends, 0, 1 if is_part else np.inf) for ends in (lows, highs))
    if np.isnan(lows[0]):
        return PublishedRatio(None, None, None, other[0].item())
    return PublishedRatio((one[0] / other[0]).item(), lows[0].item(), highs[0].item(), other[0].item())


def _reconciled(
    total: Floats, times: Int64s, matched: Sequence[MatchedRows], net: Int64s, atoms: Atoms, facts: ReleaseFacts
) -> Reconciled:
    variance, *_ = reconciled_noise(times, matched, net, atoms, facts.definition)
    none = np.array([np.nan])
    return Reconciled(total.astype(np.float64), np.sqrt([variance]), none, none)


def _pair_terms(nets: tuple[Int64s, Int64s], atoms: Atoms, facts: ReleaseFacts) -> tuple[PairTerm, ...]:
    """The noise of two sums: draws of each law, by how often they are in either."""
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
    return tuple(sorted(terms, key=lambda term: (str(term.law), term.one, term.other)))
