"""What a profile means for a person, in numbers: rows for tables, figures and sentences.

`bound` is always an upper bound for any mechanism of that budget. `noise` is for the noise of this release, composed
numerically, with a lower and an upper bound: no release with that noise exceeds the upper bound, and a release with
the same calls for all groups attains the lower bound. `gaussian` is exact, for continuous noise of the same budget.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist

import numpy as np

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.words import paragraphs, words
from safetab_sql.semantics.composition import Bracket, ComposedLoss, approximate_dp_power, composed_loss
from safetab_sql.semantics.profiles import CHANGED, Profile
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.unit import Unit

# What a budget guarantees, in closed form: (epsilon, delta) curves, powers of tests, and beliefs. semantics.md has the
# formulas and what they mean. Beliefs: rho, gamma and epsilon are for neighbours that differ in *one changed record*.
#
# Errors: closed forms in doubles (1e-12). `zcdp_delta` is an upper bound, whatever order the search finds.
# `renyi_power` is one, too: every order gives one, and the result of the bisection is raised by 1e-9, far above its
# rounding error.

# The z with P(Z <= z) = chance, 0 < chance < 1. Source: Wichura 1988, algorithm AS241, 1e-16 relative.
normal_quantile = NormalDist().inv_cdf
_EXCESS_OF_DELTA = np.exp(np.linspace(math.log(1e-4), math.log(1e5), 4001))  # alpha - 1
_EXCESS = np.exp(np.linspace(math.log(1e-4), math.log(1e4), 400))  # alpha - 1
_SLACK = 1e-9
_LARGEST_LOGIT = 690.0
_HALVINGS = 52  # of a range of logits of at most 710: to 2e-13


def normal_cdf(value: float) -> float:
    """P(Z <= value) of the standard normal law; 0 below about -38. erfc keeps digits in the tail: 1e-13 relative."""
    return math.erfc(-value / math.sqrt(2)) / 2


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The least delta of Gaussian noise with rho = 1 / (2 sigma^2), exactly.

    Phi(-epsilon / m + m / 2) - e^epsilon Phi(-epsilon / m - m / 2), m = sqrt(2 rho). Source: Kifer, Approximate
    Differential Privacy (N(0, 1) example); Balle, Wang 2018.
    """
    width = math.sqrt(2 * rho)
    near, far = normal_cdf(-epsilon / width + width / 2), normal_cdf(-epsilon / width - width / 2)
    return max(0.0, near - (math.exp(epsilon + math.log(far)) if far > 0 else 0.0))


def zcdp_delta(rho: float, epsilon: float) -> float:
    """A delta with which every rho-zCDP mechanism is (epsilon, delta)-DP: an upper bound, the best of 4,001 orders.

    log delta = (alpha - 1)(alpha rho - epsilon) + (alpha - 1) log(1 - 1 / alpha) - log alpha, for any alpha > 1.
    Source: the paper's eq. 7, solved for delta.
    """
    excess = _EXCESS_OF_DELTA
    logs = excess * ((1 + excess) * rho - epsilon) + excess * np.log(excess / (1 + excess)) - np.log1p(excess)
    return min(1.0, math.exp(min(0.0, float(logs.min()))) * (1 + 1e-9))


def pure_dp_delta(whole: float, epsilon: float) -> float:
    """The least delta of any `whole`-DP mechanism, as of randomised response. Source: Kairouz and others 2015."""
    return max(0.0, -math.expm1(epsilon - whole)) / (1 + math.exp(-whole))


def gaussian_bounded_epsilon(rho: float, delta: float) -> float:
    """The epsilon that the log odds exceed with chance at most `delta`, after any post-processing, of Gaussian noise.

    Probabilistically bounded DP in closed form: log delta - log Phi(Phi^-1(delta) - sqrt(2 rho)).
    Source: Kifer, (epsilon, delta) Curve of N(0, 1 / (2 * 2.63)).
    """
    level = normal_cdf(normal_quantile(delta) - math.sqrt(2 * rho))
    return math.log(delta) - math.log(level) if level > 0 else math.inf


def gaussian_power(level: float, rho: float) -> float:
    """Gaussian noise, rho = 1 / (2 sigma^2), exactly. 0 < level < 1. Source: Kifer, Redistricting Data, curve (1)."""
    return normal_cdf(math.sqrt(2 * rho) + normal_quantile(level))


def renyi_power(level: float, gamma: Callable[[Floats], Floats], excess: Floats = _EXCESS) -> float:
    """The largest power if the Renyi divergences, both ways, are at most gamma(alpha): the best bound of some orders.

    The largest q with D_alpha((q, 1 - q) || (l, 1 - l)) and D_alpha((l, 1 - l) || (q, 1 - q)) at most gamma(alpha),
    for every order alpha: a test is post-processing. Both divergences grow with q > l, so that bisection finds q.
    gamma: the bounds at an array of orders. excess: orders less 1, by default 400 from 0.0001 to 10,000. 0 < level < 1.
    Source: Kifer, Renyi Differential Privacy (semantics); Balle et al. 2020.
    """
    bounds = gamma(1 + excess)
    log_level, log_rest = math.log(level), math.log1p(-level)
    low, high = np.full(excess.shape, log_level - log_rest), np.full(excess.shape, _LARGEST_LOGIT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        log_power, log_miss = -np.logaddexp(0, -middle), -np.logaddexp(0, middle)
        right, wrong = excess * (log_power - log_level), excess * (log_miss - log_rest)
        forward = np.logaddexp(log_power + right, log_miss + wrong)
        is_allowed = np.maximum(forward, np.logaddexp(log_level - right, log_rest - wrong)) / excess <= bounds
        low, high = np.where(is_allowed, middle, low), np.where(is_allowed, high, middle)
        may_be_best = low <= high.min()
        excess, bounds, low, high = (each[may_be_best] for each in (excess, bounds, low, high))
    return min(1.0, float(np.exp(-np.logaddexp(0, -high)).min()) + _SLACK)


@lru_cache(maxsize=512)  # levels and secrets of equal budgets, and levels of tests that the curve has too
def zcdp_power(level: float, rho: float) -> float:
    """The largest power of any rho-zCDP mechanism. Source: Kifer, Redistricting Data, curve (3)."""
    return renyi_power(level, lambda alpha: alpha * rho)


def zcdp_beliefs(rho: float, epsilon: float) -> tuple[float, float]:
    """Semantics 1 and 3 under rho-zCDP; 1 up to epsilon rho, as no bound is known. Source: Kifer, second theorem."""
    fixed, true = (math.exp(-((epsilon + sign * rho) ** 2) / (4 * rho)) for sign in (1, -1))
    return (fixed, true) if epsilon > rho else (1.0, 1.0)


def renyi_beliefs(alpha: float, gamma: float, epsilon: float) -> tuple[float, float]:
    """Semantics 1 and 3 under (alpha, gamma)-RDP. Source: Kifer, first theorem."""
    fixed, true = -(epsilon - gamma) * alpha - gamma, (alpha - 1) * (gamma - epsilon)
    return math.exp(min(0.0, fixed)), math.exp(min(0.0, true))


def gaussian_true_record(rho: float, epsilon: float) -> float:
    """Semantics 2 of Gaussian noise: your true record, an attacker who knows everybody else. epsilon >= 0.

    The delta of the probabilistically bounded curve whose epsilon is this one, by bisection: see
    `gaussian_bounded_epsilon`. Never below the true chance. Source: Kifer, Semantics 2 (PBDP).
    """
    low, high = -35.0, 8.0  # of the quantile of delta; epsilon falls as delta rises
    if gaussian_bounded_epsilon(rho, normal_cdf(low)) <= epsilon:
        return normal_cdf(low)
    for _ in range(80):
        middle = (low + high) / 2
        if gaussian_bounded_epsilon(rho, normal_cdf(middle)) > epsilon:
            low = middle
        else:
            high = middle
    return normal_cdf(high)


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
    known = composed_loss(profile.definition, profile.calls)

    def rows(budgets: Sequence[tuple[str, Fraction]]) -> tuple[BudgetRow, ...]:
        powers = [tuple(_power_row(profile, budget, each) for each in levels) for _, budget in budgets]
        return tuple(BudgetRow(*each, of) for each, of in zip(budgets, powers, strict=True))

    return Summary(
        profile=profile,
        level=0.05 if 0.05 in levels else levels[0],
        powers=tuple(_power_row(profile, profile.budget, each, known) for each in levels),
        beliefs=tuple(_belief_row(profile, ratio) for ratio in RATIOS if not profile.delta),
        levels=rows(profile.levels),
        secrets=rows(profile.secrets),
        curve=tuple(_power_row(profile, profile.budget, each, known) for each in CURVE_LEVELS),
        belief_curve=tuple(_belief_row(profile, ratio) for ratio in _curve_ratios(profile) if not profile.delta),
        deltas=() if profile.delta or profile.order else _delta_rows(profile, known),
    )


def power_bound(profile: Profile, budget: Fraction, level: float) -> float:
    """The largest power of any mechanism of this budget."""
    whole = float(budget)
    if budget == 0 and profile.delta == 0:
        return level
    if profile.order is not None:
        return renyi_power(level, lambda _: np.array([whole]), np.array([float(profile.order) - 1]))
    if profile.definition == "zcdp":
        return zcdp_power(level, whole)
    return float(approximate_dp_power(level, whole, float(profile.delta)))


def _power_row(profile: Profile, budget: Fraction, level: float, known: ComposedLoss | None = None) -> PowerRow:
    bound = power_bound(profile, budget, level)
    gaussian = gaussian_power(level, float(budget)) if profile.definition == "zcdp" else None
    noise = None if known is None else known.power(level)
    if noise is not None:  # the curve rounds up; a bound of any mechanism holds here too
        noise = Bracket(noise.lower, min(noise.upper, bound))
    return PowerRow(level, gaussian, noise, bound)


def _belief_row(profile: Profile, ratio: float) -> BeliefRow:
    whole, epsilon = float(profile.changed), math.log(ratio)
    gaussian = None
    if profile.order is not None:
        fixed, true = renyi_beliefs(float(profile.order), whole, epsilon)
    elif profile.definition == "puredp":
        # No output changes log(posterior) by more than the whole budget: the chance is 0 beyond it, and nothing is
        # said below. Source: Kifer, Warmup: Pure Differential Privacy; Semantics Pure DP.
        fixed = true = 1.0 if epsilon <= whole else 0.0
    else:
        (fixed, true), gaussian = zcdp_beliefs(whole, epsilon), gaussian_true_record(whole, epsilon)
    return BeliefRow(ratio, fixed, gaussian, true)


def _curve_ratios(profile: Profile) -> tuple[float, ...]:
    """Ratios from 1 to where every chance is below one in a million, evenly spaced in epsilon; at most e^60."""
    whole = float(profile.changed)
    last = whole if profile.definition == "puredp" else whole + math.sqrt(4 * whole * math.log(1e6))
    last = last if profile.order is None else whole + math.log(1e6) / (float(profile.order) - 1)
    even = [min(last, 60.0) * step / (CURVE_POINTS - 1) for step in range(CURVE_POINTS)]
    # Either side of the budget, where the theorems of zCDP, or the ratios of pure DP, begin or end.
    beside = [epsilon for epsilon in (whole, whole * (1 + 1e-9)) if epsilon <= 60]
    return tuple(math.exp(epsilon) for epsilon in sorted({*even, *beside}))


def power_at(powers: Sequence[PowerRow], level: float) -> PowerRow:
    """The power of the test at `level`, which has to be one of those asked for."""
    return next(row for row in powers if row.level == level)


def _delta_rows(profile: Profile, known: ComposedLoss | None) -> tuple[DeltaRow, ...]:
    """Points from epsilon 0 to where every curve is below 1e-8, or pure DP's end."""
    whole = float(profile.budget)
    is_pure = profile.definition == "puredp"
    last = whole if is_pure else whole + math.sqrt(4 * whole * math.log(1e8))
    rows = []
    for step in range(CURVE_POINTS):
        epsilon = last * step / (CURVE_POINTS - 1)
        bound = pure_dp_delta(whole, epsilon) if is_pure else zcdp_delta(whole, epsilon)
        noise = None if known is None else min(known.delta(epsilon), bound)
        rows.append(DeltaRow(epsilon, None if is_pure else gaussian_delta(whole, epsilon), noise, bound))
    return tuple(rows)


# The numbers in sentences, for people who decide. Chances are rounded up, so that "at most" stays true.

_WORDS = words(Path(__file__).parent / "words.toml")
_RATIO = 100.0


def sentences(found: Summary) -> tuple[str, ...]:
    """Three or four sentences about one record: a test, a belief, the best and the least protected part of a record."""
    profile, unit = found.profile, found.profile.unit
    measured = [each for each in found.secrets if 0 < each.budget < profile.changed]
    exponent = float(profile.changed)
    factor = f"{_up(math.exp(exponent), 2):,.2f}" if exponent < 10 else f"e^{_up(exponent, 2):g}"
    ends = list(dict.fromkeys(pick(measured, key=lambda row: row.budget) for pick in (min, max) if measured))
    values = {
        **{"profile": profile, "unit": unit, "percent": percent, "measured": ends},
        **{"record": record_of(unit), "true_record": record_of(unit, "true record")},
        "is_changed": profile.neighbours == CHANGED,
        **{"test": power_at(found.powers, found.level), "wrong": percent(found.level)},
        "factor": factor if profile.guarantee == "puredp" else "",
        "belief": next((row.true_record for row in found.beliefs if row.ratio == _RATIO), None),
        "bounds": [power_at(each.powers, found.level).bound for each in ends],
        "budget": f"{UNITS[profile.definition]} {rounded_up(profile.budget)}",
        "changed": rounded_up(profile.changed),
    }
    return paragraphs(_WORDS["sentences"], values)


def percent(chance: float) -> str:
    """A chance from 0 to 1 in per cent, rounded up to a tenth; close to 0 or 1, to as many digits as it takes."""
    if chance >= 1:
        return "100 %"
    hundredths = max(100 * chance, 1e-7)
    digits = 1
    while digits < 7 and (_up(hundredths, digits) >= 100 or _up(hundredths, digits) > 1.5 * hundredths):
        digits += 1
    rounded = _up(hundredths, digits)
    return f"{rounded:.{digits}f}".rstrip("0").rstrip(".") + " %" if rounded < 100 else "100 %"


def _up(value: float, digits: int) -> float:
    # A level such as 5 % is 5.000000000000001 in binary, and is no more than 5.
    scale = 10.0**digits
    return math.ceil(value * scale - 1e-9) / scale


def record_of(unit: Unit, record: str = "record") -> str:
    """What is used of one unit: "a person's record"; "a record" where it is called so; "the records of a patient"."""
    if unit.person is not None:
        return f"the {record}s of a {unit.holder}"
    return f"a {record}" if unit.one == "record" else f"a {unit.one}'s {record}"
