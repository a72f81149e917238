"""The noise of a sum of published counts: variance and margin of error, exact of a release, bounds where reconciled."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.published.uncertainty import (
    MarginMethod,
    NoiseTerm,
    chances_within,
    margin_of_terms,
    variance_of_terms,
)
from safetab_sql.reconciliation.tables import margins_of_rows

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEVEL = Fraction(95, 100)
SumMethod = MarginMethod | Literal["as published", "bound"]


class AtLevel(TypedDict):
    """A margin at a level, persons, and the chance that noise alone is as far from 0 as the sum; None if unknown."""

    margin: float
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of a release in their order: counts [n], variances float64[n], region types, bool[n].

    noisy_counts: int64; float64 of reconciled counts.
    """

    noisy_counts: Int64s | Floats
    variances: npt.NDArray[np.float64]
    region_types: pa.Array
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
) -> tuple[tuple[float, float, SumMethod], AtLevel]:
    """Variance, MOE95 and how it was found; then the margin at `level`, and the p-value of no sum at all."""
    if facts.reconciled is None:
        return released_noise(net, atoms, facts), released_margin(net, atoms, facts, estimate, level)
    noise = reconciled_noise(signs, matched, net, atoms, facts.definition)
    return noise, AtLevel(margin=noise[1], p_value=None)


def released_noise(net: Int64s, atoms: Atoms, facts: ReleaseFacts) -> tuple[float, float, SumMethod]:
    """Variance, MOE95 and how it was found."""
    terms = _noise_terms(net, atoms, facts)
    margin = margin_of_terms(terms)
    return float(variance_of_terms(terms)), margin.moe95, margin.method


def released_margin(net: Int64s, atoms: Atoms, facts: ReleaseFacts, estimate: float, level: Fraction) -> AtLevel:
    """Half-width at `level`, and the chance that noise alone is at least as far from 0 as the estimate.

    The chance is None where the noise is too wide to convolve.
    """
    terms = _noise_terms(net, atoms, facts)
    within = chances_within(terms) if terms else None
    margin = margin_of_terms(terms, level).moe95
    if not terms:
        return AtLevel(margin=margin, p_value=float(estimate == 0))
    if within is None:
        return AtLevel(margin=margin, p_value=None)
    distance = abs(int(estimate))
    nearer = float(within[min(distance, within.size) - 1] / within[-1]) if distance else 0.0
    return AtLevel(margin=margin, p_value=max(0.0, 1 - nearer))


def reconciled_noise(
    signs: Int64s, matched: Sequence[MatchedRows], net: Int64s, atoms: Atoms, definition: PrivacyDefinition
) -> tuple[float, float, SumMethod]:
    """The same of reconciled counts: of one row as it is published, of several a bound.

    How their errors go together is in no file. Standard deviations add at most (Cauchy and Schwarz): sd(sum of c_i X_i)
    is at most the sum of |c_i| sd(X_i). That holds for every way to write a sum, and the smallest bound is the best:
    over the rows that were chosen, or over atoms, which leave nothing where rows that contain one another cancel.
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
    by_row = times[chosen].astype(np.float64), np.sqrt(variances[places[chosen]])
    by_atom = net.astype(np.float64), np.sqrt(atoms.variances)
    return *bounded_sum((by_row, by_atom), definition), "bound"


def bounded_sum(
    weighted_deviations: tuple[tuple[Floats, Floats], ...], definition: PrivacyDefinition
) -> tuple[float, int]:
    """Variance and MOE95, both at most: persons squared, and persons.

    weighted_deviations: ways to write the sum: coefficients and standard deviations (persons), float64[n] both. The
    estimates are weighted sums of the same noises as any single one, so the margin is made in the same way.
    """
    sums = [float(np.abs(coefficients) @ deviations) for coefficients, deviations in weighted_deviations]
    best = int(np.argmin(sums))
    scale = max(1.0, float(np.abs(weighted_deviations[best][0]).max(initial=0)))
    margin = scale * float(margins_of_rows(np.array([(sums[best] / scale) ** 2]), definition)[0])
    return sums[best] ** 2, ceil(margin)


def _noise_terms(net: Int64s, atoms: Atoms, facts: ReleaseFacts) -> tuple[NoiseTerm, ...]:
    """The noise of a sum: draws of each law and coefficient. The laws are symmetric, so signs do not matter."""
    chosen = np.flatnonzero(net)
    kinds = pa.table(
        {
            "region_type": atoms.region_types.take(chosen),
            "variance": atoms.variances[chosen],
            "coefficient": np.abs(net[chosen]),
        }
    ).group_by(["region_type", "variance", "coefficient"])
    draws: dict[tuple[Law, int], int] = {}
    for kind in kinds.aggregate([([], "count_all")]).to_pylist():
        (_, call), *_ = facts.calls_with(kind["region_type"], kind["variance"])
        key = (call.law, kind["coefficient"])
        draws[key] = draws.get(key, 0) + kind["count_all"]
    terms = [NoiseTerm(law, coefficient, number) for (law, coefficient), number in draws.items()]
    return tuple(sorted(terms, key=lambda term: (str(term.law), term.coefficient)))
