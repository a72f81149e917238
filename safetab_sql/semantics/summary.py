"""What a profile means for a person, in numbers: rows for tables, figures and sentences.

`bound` is always an upper bound for any mechanism of that budget. `noise` is for the noise of this release, composed
numerically, with a lower and an upper bound: no release with that noise exceeds the upper bound, and a release with
the same calls for all groups attains the lower bound. `gaussian` is exact, for continuous noise of the same budget.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from safetab_sql.semantics.composition import (
    Bracket,
    GridLoss,
    composed_delta,
    composed_loss,
    composed_power,
    dominating_loss,
    upper_power,
)
from safetab_sql.semantics.guarantees import (
    gaussian_delta,
    gaussian_power,
    gaussian_true_record,
    pure_dp_delta,
    pure_dp_power,
    zcdp_delta,
    zcdp_fixed_record,
    zcdp_power,
    zcdp_true_record_any_prior,
)
from safetab_sql.semantics.profiles import Profile

LEVELS = (0.01, 0.05, 0.10)
RATIOS = (2.0, 10.0, 100.0, 1000.0, 1e6)
CURVE_LEVELS = (0.001, 0.0025, 0.005, *(step / 100 for step in (*range(1, 11), *range(15, 100, 5))), 0.99, 0.999)
CURVE_POINTS = 61


@dataclass(frozen=True, slots=True)
class PowerRow:
    """level: chance of a wrong accusation. The others: chance of a right one. gaussian, noise: None where not known."""

    level: float
    gaussian: float | None
    noise: Bracket | None
    bound: float


@dataclass(frozen=True, slots=True)
class BeliefRow:
    """Upper bounds of the chance that a belief grows `ratio`-fold.

    fixed_record: belief in some record, by an attacker who knows all others. true_record: belief in your true record,
    whatever the attacker knows. gaussian: belief in your true record, by an attacker who knows all others, under
    Gaussian noise; None where the noise is not Gaussian.
    """

    ratio: float
    fixed_record: float
    gaussian: float | None
    true_record: float


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A level, or a secret: its budget, and the powers of the best tests at every level asked for."""

    name: str
    budget: Fraction
    powers: tuple[PowerRow, ...]


@dataclass(frozen=True, slots=True)
class DeltaRow:
    """One point of each (epsilon, delta) curve; None where there is none."""

    epsilon: float
    gaussian: float | None
    noise: float | None
    bound: float


@dataclass(frozen=True, slots=True)
class Summary:
    """All rows about a profile. level: of the one test in `powers` that sentences and tables use."""

    profile: Profile
    level: float
    powers: tuple[PowerRow, ...]
    beliefs: tuple[BeliefRow, ...]
    levels: tuple[BudgetRow, ...]
    secrets: tuple[BudgetRow, ...]
    curve: tuple[PowerRow, ...]
    belief_curve: tuple[BeliefRow, ...]
    deltas: tuple[DeltaRow, ...]


@lru_cache(maxsize=8)  # a report, and the commands of one session, ask for the same profile again
def summary(profile: Profile, levels: tuple[float, ...] = LEVELS) -> Summary:
    """The summary of a profile. levels: of the tests, at least one, strictly between 0 and 1.

    Sentences and tables of levels and secrets are about the test at 0.05, if it is among `levels`, else the first.
    """
    known = _grids(profile)
    level = 0.05 if 0.05 in levels else levels[0]
    return Summary(
        profile=profile,
        level=level,
        powers=tuple(_power_row(profile, profile.budget, each, known) for each in levels),
        beliefs=tuple(_belief_row(profile, ratio) for ratio in RATIOS),
        levels=tuple(_budget_row(profile, name, budget, levels) for name, budget in profile.levels),
        secrets=tuple(_budget_row(profile, name, budget, levels) for name, budget in profile.secrets),
        curve=tuple(_power_row(profile, profile.budget, each, known) for each in CURVE_LEVELS),
        belief_curve=tuple(_belief_row(profile, ratio) for ratio in _curve_ratios(profile)),
        deltas=_delta_rows(profile, known),
    )


def _grids(profile: Profile) -> Sequence[GridLoss]:
    """The loss that bounds every power from above, then those that bound it from below; none where one is not known."""
    grids = [composed_loss(calls) for calls in profile.compositions]
    if profile.groups:
        grids.insert(0, dominating_loss(profile.groups, profile.calls))
    known = [grid for grid in grids if grid is not None]
    return known if len(known) == len(grids) else []


def power_bound(profile: Profile, budget: Fraction, level: float) -> float:
    """The largest power of any mechanism of this budget."""
    if budget == 0:
        return level
    whole = float(budget)
    return zcdp_power(level, whole) if profile.definition == "zcdp" else pure_dp_power(level, whole)


def _power_row(profile: Profile, budget: Fraction, level: float, grids: Sequence[GridLoss]) -> PowerRow:
    """grids: see `_grids`. A run may be any of the compositions, so the largest lower bound counts."""
    noise, bound = None, power_bound(profile, budget, level)
    if grids:
        upper = min(upper_power(grids[0], level), bound)  # the grid rounds up; a bound of any mechanism holds here too
        noise = Bracket(max(composed_power(grid, level).lower for grid in grids[1:] or grids), upper)
    gaussian = gaussian_power(level, float(budget)) if profile.definition == "zcdp" else None
    return PowerRow(level, gaussian, noise, bound)


def _belief_row(profile: Profile, ratio: float) -> BeliefRow:
    whole, epsilon = float(profile.changed), math.log(ratio)
    if profile.definition == "puredp":
        # No output changes log(posterior) by more than the whole budget: the chance is 0 beyond it, and nothing is
        # said below. Source: Kifer, Warmup: Pure Differential Privacy; Semantics Pure DP.
        chance = 1.0 if epsilon <= whole else 0.0
        return BeliefRow(ratio, chance, None, chance)
    return BeliefRow(
        ratio,
        zcdp_fixed_record(whole, epsilon),
        gaussian_true_record(whole, epsilon),
        zcdp_true_record_any_prior(whole, epsilon),
    )


def _curve_ratios(profile: Profile) -> tuple[float, ...]:
    """Ratios from 1 to where every chance is below one in a million, evenly spaced in epsilon; at most e^60."""
    whole = float(profile.changed)
    last = whole if profile.definition == "puredp" else whole + math.sqrt(4 * whole * math.log(1e6))
    even = [min(last, 60.0) * step / (CURVE_POINTS - 1) for step in range(CURVE_POINTS)]
    # Either side of the budget, where the theorems of zCDP, or the ratios of pure DP, begin or end.
    beside = [epsilon for epsilon in (whole, whole * (1 + 1e-9)) if epsilon <= 60]
    return tuple(math.exp(epsilon) for epsilon in sorted({*even, *beside}))


def _budget_row(profile: Profile, name: str, budget: Fraction, levels: Sequence[float]) -> BudgetRow:
    return BudgetRow(name, budget, tuple(_power_row(profile, budget, level, []) for level in levels))


def power_at(powers: Sequence[PowerRow], level: float) -> PowerRow:
    """The power of the test at `level`, which has to be one of those asked for."""
    return next(row for row in powers if row.level == level)


def _delta_rows(profile: Profile, grids: Sequence[GridLoss]) -> tuple[DeltaRow, ...]:
    """Points from epsilon 0 to where every curve is below 1e-8, or pure DP's end."""
    whole = float(profile.budget)
    is_pure = profile.definition == "puredp"
    last = whole if is_pure else whole + math.sqrt(4 * whole * math.log(1e8))
    rows = []
    for step in range(CURVE_POINTS):
        epsilon = last * step / (CURVE_POINTS - 1)
        bound = pure_dp_delta(whole, epsilon) if is_pure else zcdp_delta(whole, epsilon)
        noise = min(composed_delta(grids[0], epsilon), bound) if grids else None
        rows.append(DeltaRow(epsilon, None if is_pure else gaussian_delta(whole, epsilon), noise, bound))
    return tuple(rows)
