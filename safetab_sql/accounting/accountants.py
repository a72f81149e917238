"""The loss of a run in (epsilon, delta), under every accountant that applies to its noise.

Their input is the mechanism calls whose counts one record can change, and nothing else. Most are formulas. The tightest
upper bound composes the losses of the exact mechanisms numerically: their privacy loss distribution, at the end.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np

from safetab_sql.accounting import conversions
from safetab_sql.accounting.conversions import Total, as_decimal, best_excess_order, log_inverse, rdp_to_approximate_dp
from safetab_sql.kit.arrays import Floats
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets

# Why the epsilon of the paper's eq. 17 is not a bound.
NO_BOUND = "not an upper bound: eq. 17 integrates over the reals, the noise is on the integers"


@dataclass(frozen=True, slots=True)
class GroupCalls:
    """The calls on the population groups of one level that one record can be in.

    groups: the number of groups, which is the level's stability. budgets: of the calls on each group, in rho or
    epsilon: a group takes either one total_only call, or one stage_1 and one stage_2 call. The kind of each group is
    public, and may differ between groups; accountants assume the kind that costs more. Each call adds noise to counts
    of which one record changes one, by 1.
    """

    groups: int
    budgets: StageBudgets


def merged(calls: Iterable[GroupCalls]) -> tuple[GroupCalls, ...]:
    """The same calls, with calls of equal budgets merged: composition does not depend on the level of a group."""
    groups: Counter[StageBudgets] = Counter()
    for call in calls:
        groups[call.budgets] += call.groups
    return tuple(GroupCalls(count, budgets) for budgets, count in groups.items())


def formula_totals(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that are formulas. calls: at least one."""
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    if definition == "zcdp":
        return conversions.zcdp_totals(spent, delta, "zCDP")
    _, order = conversions.best_paper_order(_float_total(_float_rdp, calls), delta)
    of_paper = rdp_to_approximate_dp(geometric_total(calls, order), order, delta)
    printed, _ = conversions.best_paper_order(_float_total(printed_geometric_rdp, calls), delta)
    return (
        conversions.pure_dp_to_approximate_dp(spent),
        Total("RDP, exact divergence, best order (eqs. 39, 40)", geometric_rdp_to_approximate_dp(calls, delta), delta),
        Total("RDP, exact divergence, paper's orders", of_paper, delta),
        Total("RDP as printed (eq. 17), paper's orders", printed, delta, NO_BOUND),
        *conversions.zcdp_totals(zcdp_of_pure_dp(calls), delta, "zCDP of pure DP"),
    )


def zcdp_of_pure_dp(calls: Sequence[GroupCalls]) -> Fraction:
    """The rho of `calls` with budgets in epsilon: epsilon^2 / 2 for each call, with every group of the worse kind.

    A group with one call is the worse kind: the square of a sum of positive numbers exceeds the sum of their squares.
    """
    return sum((call.groups * call.budgets.total_only**2 / 2 for call in calls), Fraction(0))


def geometric_rdp(epsilon: Fraction, alpha: Fraction) -> Fraction:
    """The Renyi divergence of order `alpha` > 1 between two-sided geometric noise and the noise moved by 1, rounded up.

    tau = 1 / (alpha - 1) * log[(t^(1 - alpha) + t^alpha) / (1 + t)] with t = e^-epsilon: the sum over the integers.
    Moved by 1, P(k) / Q(k) is e^epsilon or e^-epsilon, whatever k. Source: accounting.md section 3.
    """
    if epsilon < 0 or alpha <= 1:
        raise ValueError(f"epsilon has to be at least 0 and alpha above 1, they are {epsilon} and {alpha}")
    with localcontext(conversions.PRECISE):
        # The factor t^(1 - alpha) is taken out of the sum, so that nothing overflows.
        terms = (
            as_decimal((alpha - 1) * epsilon),
            (1 + (-as_decimal((2 * alpha - 1) * epsilon)).exp()).ln(),
            -(1 + (-as_decimal(epsilon)).exp()).ln(),
        )
        bound = conversions.decimal_above(sum(terms, Decimal(0)), max(map(abs, terms)))
    return Fraction(bound) / (alpha - 1)


def printed_geometric_rdp(epsilon: float, alpha: float) -> float:
    """The formula that the paper prints for that divergence; NOT an upper bound: it integrates over the reals.

    tau = 1 / (alpha - 1) * log[(e^epsilon - 1) / (e^epsilon + 1) * (2 alpha / (epsilon (2 alpha - 1)) * e^((alpha - 1)
    epsilon) + 2 (alpha - 1) / (epsilon (2 alpha - 1)) * e^(-alpha epsilon))]. Source: paper Corollary 1, eq. 17.
    """
    if not epsilon:  # no call
        return 0.0
    scale = 2 / (epsilon * (2 * alpha - 1))
    total = scale * (alpha + (alpha - 1) * math.exp(-(2 * alpha - 1) * epsilon))
    return epsilon + (math.log(math.tanh(epsilon / 2)) + math.log(total)) / (alpha - 1)


def geometric_total(calls: Sequence[GroupCalls], alpha: Fraction) -> Fraction:
    """The Renyi divergence of order `alpha` of all `calls` (epsilon), with every group of the worse kind, rounded up.

    Source: paper Theorem 2, eq. 39, with the exact divergence.
    """
    total = Fraction(0)
    for call in merged(calls):
        whole, first, second = (geometric_rdp(epsilon, alpha) for epsilon in call.budgets)
        total += call.groups * max(whole, first + second)
    return total


def geometric_rdp_to_approximate_dp(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The least epsilon of eq. 6 over all orders alpha > 1, for `calls` with budgets in epsilon. Source: eqs. 39, 40.

    The search for alpha uses floats; any alpha it finds is a valid order, so the result is a bound.
    """
    # The best alpha - 1 would be at the center if tau were alpha * rho, rho = sum of epsilon^2 / 2: see eq. 8. Far
    # above the center tau nears the pure loss, which is the best answer where that is large.
    rho = sum(call.groups * float(call.budgets.total_only) ** 2 / 2 for call in calls)
    center = (math.log(log_inverse(delta)) - math.log(rho)) / 2
    alpha = 1 + best_excess_order(_float_total(_float_rdp, calls), delta, center - 5, center + 30)
    return rdp_to_approximate_dp(geometric_total(calls, alpha), alpha, delta)


def _float_rdp(epsilon: float, alpha: float) -> float:
    logs = math.log1p(math.exp(-(2 * alpha - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    return epsilon + logs / (alpha - 1)


def _float_total(divergence: Callable[[float, float], float], calls: Sequence[GroupCalls]) -> Callable[[float], float]:
    """`geometric_total` by the order, in floats, to search with. A budget of 0 costs nothing."""
    floats = [(call.groups, *map(float, call.budgets)) for call in merged(calls)]
    kinds = [(groups, {(whole,), tuple(filter(None, (first, second)))}) for groups, whole, first, second in floats]

    def total(alpha: float) -> float:
        return sum(groups * max(sum(divergence(each, alpha) for each in kind) for kind in own) for groups, own in kinds)

    return total


# The privacy loss distribution. Noise is symmetric, so adding and removing a record have the same curve delta(epsilon),
# and the chance of a negative loss follows from the chance of the positive one. Source: accounting.md section 6.

LOSS_DISTRIBUTION = "privacy loss distribution"
CELLS = 20_000  # cells of the grid, up to a loss that is known to hold; ten times as many change no printed digit
SMALLEST_DELTA = Fraction(1, 10**12)  # noise with a chance below 1e-30 is left out
LARGEST_SIGMA = 20_000  # persons; every value of the noise has a loss
SMALLEST_LOSS, LARGEST_LOSS = 1e-3, 500  # epsilon: a float must resolve the step of the grid, and hold e^epsilon
_REACH = 11.6  # sigmas; discrete Gaussian noise beyond has a chance below 1e-30
_LEFT_OUT = 1e-6  # of delta: the chance of sums of losses that may be left out; it counts as an infinite loss


def loss_distribution_total(
    definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, known: Sequence[Total]
) -> Total:
    """The result of this accountant, if it applies. known: results of the others."""
    bound = min(total.epsilon for total in known if total.epsilon is not None and not total.caveat)
    caveat = unavailable(definition, calls, delta, bound)
    epsilon = None if caveat else loss_distribution_epsilon(definition, merged(calls), delta, bound)
    return Total(LOSS_DISTRIBUTION, epsilon, delta, caveat)


def unavailable(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, bound: float) -> str:
    """Why the loss distribution of `calls` cannot be composed; '' if it can be. bound: an epsilon known to hold."""
    if delta < SMALLEST_DELTA:
        return f"not computed below delta {float(SMALLEST_DELTA):g}"
    if not SMALLEST_LOSS <= bound <= LARGEST_LOSS:
        return f"not computed: an epsilon outside {SMALLEST_LOSS} to {LARGEST_LOSS} is beyond floats"
    stages = [budget for call in calls for budget in call.budgets[1:] if budget]
    if definition == "zcdp" and 1 / (2 * min(stages)) > LARGEST_SIGMA**2:
        return f"not computed: noise of sigma above {LARGEST_SIGMA:,} takes too long"
    return ""


@lru_cache(maxsize=8)
def loss_distribution_epsilon(
    definition: PrivacyDefinition, calls: tuple[GroupCalls, ...], delta: Fraction, bound: float
) -> float:
    """An epsilon so that `calls`, merged, are (epsilon, delta)-differentially private: an upper bound.

    bound: an epsilon known to hold, which sets the grid: its losses are bound / 20,000 apart.
    """
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    # Any order gives a valid window. This one is about the best for Gaussian noise; no moment of it overflows.
    log = log_inverse(delta) - math.log(_LEFT_OUT)
    order = math.sqrt(log / (spent if definition == "zcdp" else zcdp_of_pure_dp(calls)))
    losses, curve = loss_curve(definition, calls, bound / CELLS, order, log)
    curve += float(delta) * _LEFT_OUT
    wanted = float(delta * Fraction(99, 100))
    if curve[0] <= wanted or curve[-1] > wanted:
        return 0.0 if curve[0] <= wanted else bound
    first = int(np.argmax(curve <= wanted))
    share = (curve[first - 1] - wanted) / (curve[first - 1] - curve[first])  # of a chord, a line in e^epsilon
    return math.nextafter(float(losses[first - 1] + np.log1p(share * np.expm1(losses[1]))), math.inf)


def loss_curve(
    definition: PrivacyDefinition, calls: Sequence[GroupCalls], step: float, order: float, log: float
) -> tuple[Floats, Floats]:
    """Epsilons 0, step, 2 step, ..., and an upper bound of the delta of `calls` at each, whatever kind each group is.

    calls: merged. order: chances are weighted by e^(order * loss), so that errors are small beside the deltas there.
    log: sums of losses with a chance below e^-log are left out.
    """
    order = step * order
    curves = [(_dominating(definition, call.budgets, step, order), call.groups) for call in calls]
    groups = [(_weighted(curve, step, order), times) for curve, times in curves]
    longest = sum(times * (len(curve) - 1) for curve, times in curves)
    chernoff = math.ceil((log + sum(times * moment for (_, moment), times in groups)) / order)
    losses = np.arange(min(longest, chernoff) + 1) * np.float64(step)
    return losses, _curve(losses, _composed(groups, len(losses), order), losses)


def _dominating(definition: PrivacyDefinition, budgets: StageBudgets, step: float, order: float) -> Floats:
    """The curve, at the losses 0, step, 2 step, ..., of a pair that dominates a group with one call and one with two.

    Where no noise picks the statistic, a table costs one call too, of the same budget.
    """
    one, *stages = (_losses(definition, budget) for budget in budgets if budget)
    grid = np.arange(math.ceil(sum(losses[-1] for losses, _ in stages) / step) + 2) * np.float64(step)
    two_calls = [(_weighted(_curve(*each, grid), step, order), 1) for each in stages]
    return np.maximum(_curve(*one, grid), _curve(grid, _composed(two_calls, len(grid), order), grid)).clip(max=1)


def _losses(definition: PrivacyDefinition, budget: Fraction) -> tuple[Floats, Floats]:
    """The positive losses of one call with `budget` on a count that one record changes by 1, and their chances."""
    if definition == "puredp":
        return np.array([float(budget)]), np.array([1 / (1 + math.exp(-budget))])
    noise = np.arange(math.ceil(_REACH * math.sqrt(1 / (2 * budget))) + 1.0)
    weights = np.exp(-float(budget) * noise**2)
    return float(budget) * (2 * noise + 1), weights / (2 * weights.sum() - 1)


def _curve(losses: Floats, chances: Floats, epsilons: Floats) -> Floats:
    """The hockey-stick curve: the sum of chance * (1 - e^(epsilon - loss)) over the losses above each epsilon >= 0."""
    above, moved = (np.append(np.cumsum(each[::-1])[::-1], 0) for each in (chances, chances * np.exp(-losses)))
    first = np.searchsorted(losses, epsilons, side="right")
    curve: Floats = above[first] - np.exp(epsilons.clip(max=700)) * moved[first]  # e^710 would overflow
    return curve.clip(min=0)


def _weighted(curve: Floats, step: float, order: float) -> tuple[Floats, float]:
    """The chances of the losses 0, step, ..., -step whose curve is the chords of `curve`, which ends at 0.

    They are weighted by e^(order * steps); and the logarithm of their sum, which is made 1.
    """
    falls, steps = -np.diff(curve, append=0), np.arange(1, len(curve))
    positive = np.maximum((math.exp(step) * falls[:-1] - falls[1:]) / math.expm1(step), 0)
    negative = (positive * np.exp(-step * steps))[::-1]
    none = max(0.0, 1 - positive.sum() - negative.sum())
    weighted = np.concatenate(([none], positive * np.exp(order * steps), negative * np.exp(-order * steps[::-1])))
    return weighted / weighted.sum(), math.log(weighted.sum())


def _composed(parts: Sequence[tuple[tuple[Floats, float], int]], cells: int, order: float) -> Floats:
    """The chances of the first losses from 0 of the sum of parts, each so many times.

    Sums that wrap around add to these chances. The transforms err by about 1e-16 of the largest weighted chance, which
    is near the answer.
    """
    size = 1 << max(2 * cells, *(len(weighted) for (weighted, _), _ in parts)).bit_length()
    spectrum, moment = np.ones(size // 2 + 1, dtype=np.complex128), 0.0
    for (weighted, log), times in parts:
        placed = np.insert(weighted, len(weighted) // 2 + 1, np.zeros(size - len(weighted)))
        spectrum *= np.fft.rfft(placed) ** times
        moment += times * log
    weights: Floats = np.exp(moment - order * np.arange(cells))
    return np.fft.irfft(spectrum, size)[:cells].clip(min=0) * weights
