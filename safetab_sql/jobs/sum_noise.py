"""The noise of a sum of published counts: variance and margin of error, exact of a release, bounds where reconciled."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isclose
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.jobs.count_laws import count_law
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.derived import CountLaw
from safetab_sql.published.reconciled_derived import deviations_of_rows, margins
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.published.sum_intervals import SummedCounts, sum_ends
from safetab_sql.published.uncertainty import (
    MarginMethod,
    NoiseTerm,
    chances_within,
    margin_of_terms,
    variance_of_terms,
)
from safetab_sql.settings.budgets import PrivacyDefinition

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEVEL = Fraction(95, 100)
SumMethod = MarginMethod | Literal["as published", "bound", "no margin"]


@dataclass(frozen=True, slots=True)
class SumNoise:
    """What is known of the noise of a sum.

    variance: persons squared. moe95: half-width at 95 %, persons. method: how it was found. margin: half-width at the
    wanted level; low, high: ends of the interval at that level, persons. p_value: the chance that noise alone is as far
    from 0 as the sum. None where it is not known.
    """

    variance: float | None
    moe95: float | None
    method: SumMethod
    margin: float | None
    low: float
    high: float
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of a release in their order: counts [n], variances and moe95s float64[n], ladders, types, bool[n].

    noisy_counts: int64; float64 of reconciled counts. ladders, levels, is_total_only: what says the law of their noise.
    """

    noisy_counts: Int64s | Floats
    variances: Floats
    moe95s: Floats
    region_types: pa.ChunkedArray
    ladders: pa.ChunkedArray
    levels: pa.ChunkedArray
    is_total_only: pa.ChunkedArray
    is_total: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """The rows of one predicate: the first atom of their group, its stat level, and the row of the ladder: int64[rows].

    row_ids: -1 of totals that stand apart. variances, moe95s: as published, float64[rows]. is_mixed: whether they are
    of several characteristic iterations or region types.
    """

    first_atoms: Int64s
    stat_levels: Int64s
    row_ids: Int64s
    variances: Floats
    moe95s: Floats
    noisy_count: float
    is_mixed: bool


def level_problems(level: Fraction, facts: ReleaseFacts) -> list[Problem]:
    """Why there is no margin at this level."""
    if not 0 < level < 1:
        return [Problem("--level", f"{float(level):g} is not between 0 and 1", "say it like 0.9")]
    if facts.reconciled is not None and level != LEVEL:
        what = "reconciled counts have margins at 95 % alone"
        return [Problem("--level", what, "name the folder of the release, whose noise is known exactly")]
    return []


def estimated_sum(signs: Int64s, matched: Sequence[MatchedRows], net: Int64s, atoms: Atoms) -> float:
    """The sum of the rows, persons: a whole number of whole numbers. Raises: InputError where atoms say otherwise."""
    counts = [part.noisy_count for part in matched]
    estimate = sum(sign * count for sign, count in zip(signs.tolist(), counts, strict=True))
    rounding = 0 if isinstance(estimate, int) else 1e-9 * sum(map(abs, counts))
    if abs(estimate - (net @ atoms.noisy_counts).item()) > rounding:
        raise InputError([Problem("T1, T2", "the totals are not the sums of their cells", RELEASE_FIX)])
    return float(estimate) if rounding else estimate


def noise_of_sum(
    signs: Int64s,
    matched: Sequence[MatchedRows],
    net: Int64s,
    atoms: Atoms,
    facts: ReleaseFacts,
    estimate: float,
    level: Fraction,
) -> SumNoise:
    """Variance, margins, interval and p-value of a sum."""
    if facts.reconciled is None:
        return released_noise(summed_counts(net, atoms, facts), facts, estimate, level)
    variance, margin, method = reconciled_noise(signs, matched, net, atoms, facts.definition)
    return SumNoise(variance, margin, method, margin, estimate - margin, estimate + margin, None)


def released_noise(parts: Sequence[SummedCounts], facts: ReleaseFacts, estimate: float, level: Fraction) -> SumNoise:
    """The same of a release. There is no margin where a count was published for its size, or counts were cut at 0.

    Noise that is too wide to convolve has no p-value.
    """
    terms = tuple(NoiseTerm(part.count.law, abs(part.coefficient), part.noisy.size) for part in parts)
    is_one = sum(term.draws for term in terms) == 1
    variance = None if facts.is_clipped and not is_one else float(variance_of_terms(terms))
    if is_as_drawn(parts, facts):
        found, margin = margin_of_terms(terms), margin_of_terms(terms, level).moe95
        chance = _p_value(terms, int(estimate))
        return SumNoise(variance, found.moe95, found.method, margin, estimate - margin, estimate + margin, chance)
    ends = sum_ends(parts, level, is_clipped=facts.is_clipped)
    if is_one and not is_selected(parts):
        found = margin_of_terms(terms)
        return SumNoise(variance, found.moe95, found.method, margin_of_terms(terms, level).moe95, *ends, None)
    return SumNoise(variance, None, "no margin", None, *ends, None)


def is_as_drawn(parts: Sequence[SummedCounts], facts: ReleaseFacts) -> bool:
    """Whether the error of a sum of counts is the noise that was drawn: nothing was chosen for it, nor cut."""
    return not parts or not (facts.is_clipped or is_selected(parts))


def is_selected(parts: Sequence[SummedCounts]) -> bool:
    """Whether one of the counts was published for its size."""
    return any(part.count.above is not None for part in parts)


def summed_counts(net: Int64s, atoms: Atoms, facts: ReleaseFacts) -> list[SummedCounts]:
    """The counts that are left in a sum, by their law and how often they are in it. net: of each atom."""
    chosen = np.flatnonzero(net)
    found: dict[tuple[CountLaw, int], list[Int64s]] = {}
    for count, kind in atoms_by_law(atoms, chosen, {"coefficient": net[chosen]}, facts):
        found.setdefault((count, kind["coefficient"]), []).append(np.array(kind["noisy_list"], dtype=np.int64))
    parts = [SummedCounts(count, times, np.concatenate(noisy)) for (count, times), noisy in found.items()]
    return sorted(parts, key=lambda part: (str(part.count), part.coefficient))


def atoms_by_law(
    atoms: Atoms, chosen: Int64s, columns: Mapping[str, Int64s], facts: ReleaseFacts
) -> Iterator[tuple[CountLaw, Mapping[str, Any]]]:
    """The chosen atoms by their law and their values in `columns`, int64[chosen].

    Gives the law, and the values with the noisy counts in `noisy_list`; one law may come several times.

    Raises: InputError where an atom is of no level of the manifest, or has another variance than its law.
    """
    keys = {
        "ladder": atoms.ladders.take(chosen),
        "level": atoms.levels.take(chosen),
        "is_total_only": atoms.is_total_only.take(chosen),
        "is_total": atoms.is_total[chosen],
        "variance": atoms.variances[chosen],
        **columns,
    }
    kinds = pa.table({**keys, "noisy": atoms.noisy_counts[chosen]}).group_by([*keys]).aggregate([("noisy", "list")])
    for kind in kinds.to_pylist():
        totals = {name: kind[name] for name in ("is_total_only", "is_total")}
        count = count_law(facts, kind["ladder"], kind["level"], **totals)
        what = f"{kind['level']} counts with variance {kind['variance']:g}, which the manifest does not say of them"
        refuse([] if isclose(kind["variance"], variance(count.law)) else [Problem("t1, t2", what, RELEASE_FIX)])
        yield count, kind


def _p_value(terms: tuple[NoiseTerm, ...], estimate: int) -> float | None:
    """The chance that noise alone is at least as far from 0 as the estimate; None where it is too wide to convolve."""
    if not terms:
        return float(estimate == 0)
    within = chances_within(terms)
    if within is None:
        return None
    distance = abs(estimate)
    nearer = float(within[min(distance, within.size) - 1] / within[-1]) if distance else 0.0
    return max(0.0, 1 - nearer)


def reconciled_noise(
    signs: Int64s, matched: Sequence[MatchedRows], net: Int64s, atoms: Atoms, definition: PrivacyDefinition
) -> tuple[float, float, SumMethod]:
    """Variance, MOE95 and how it was found, of reconciled counts: of one row as it is published, of several a bound.

    How their errors go together is in no file. Standard deviations add at most (Cauchy and Schwarz): sd(sum of c_i X_i)
    is at most the sum of |c_i| sd(X_i). That holds for every way to write a sum, and the smallest bound is the best:
    over the rows that were chosen, or over atoms, which leave nothing where rows that contain one another cancel.
    Deviations are those that MOE95 was made from: VARIANCE is right on average alone, and no margin rests on it.
    """
    firsts, sizes, variances, moe95s = (
        np.concatenate([getattr(part, name) for part in matched])
        for name in ("first_atoms", "row_ids", "variances", "moe95s")
    )
    each = np.repeat(signs, [part.row_ids.size for part in matched])
    _, places, numbers = np.unique(np.stack([firsts, sizes]), axis=1, return_index=True, return_inverse=True)
    times = np.bincount(numbers.ravel(), weights=each)
    chosen = np.flatnonzero(times)
    if not net.any():
        return 0.0, 0, "no noise"
    if chosen.size == 1:
        time, place = abs(float(times[chosen[0]])), places[chosen[0]]
        return time**2 * float(variances[place]), time * float(moe95s[place]), "as published"
    rows = places[chosen]
    by_row = times[chosen].astype(np.float64), deviations_of_rows(variances[rows], moe95s[rows], definition)
    by_atom = net.astype(np.float64), deviations_of_rows(atoms.variances, atoms.moe95s, definition)
    return *bounded_sum((by_row, by_atom), definition), "bound"


def bounded_sum(
    weighted_deviations: tuple[tuple[Floats, Floats], ...], definition: PrivacyDefinition
) -> tuple[float, int]:
    """Variance and MOE95, both at most: persons squared, and persons.

    weighted_deviations: ways to write the sum: coefficients and deviations that margins are made from (persons),
    float64[n] both. The estimates are weighted sums of the same noises as any single one, so the margin is made in the
    same way.
    """
    sums = [float(np.abs(coefficients) @ deviations) for coefficients, deviations in weighted_deviations]
    best = int(np.argmin(sums))
    scale = max(1.0, float(np.abs(weighted_deviations[best][0]).max(initial=0)))
    margin = scale * float(margins(np.array([sums[best] / scale]), definition)[0])
    return sums[best] ** 2, ceil(margin - 1e-9)
