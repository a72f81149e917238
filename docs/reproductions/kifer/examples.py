"""The worked examples of *Differential Privacy in Practice* (D. Kifer), computed: kifer.md."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from docs.reproductions.kifer.losses import (
    chance_above,
    gaussian_loss_cdf,
    laplace_loss_parts,
    laplace_power,
    loss_mean,
    loss_variance,
    mixed,
    randomised_response,
    self_composed,
    wrong_prior,
)
from docs.reproductions.kifer.redistricting import redistricting
from docs.reproductions.kifer.utility import fitness_for_use, two_queries
from docs.reproductions.markdown import table
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.semantics.composition import (
    LossPair,
    approximate_dp_power,
    composed,
    discrete_gaussian,
    geometric,
    privacy_loss,
)
from safetab_sql.semantics.profiles import budget_profile
from safetab_sql.semantics.summary import gaussian_bounded_epsilon, gaussian_delta, gaussian_power, summary

LEVELS = (0.01, 0.05, 0.1, 0.3, 0.5)
# Outputs a, b, c under D1 and under D2; the loss of b is exactly log 2.
BEFORE = privacy_loss([0.01, 0.60, 0.39], [0.00, 0.30, 0.70])
MERGED = privacy_loss([0.61, 0.39], [0.30, 0.70])  # whether it was a or b is forgotten
LOG_2 = math.log(2)


def blocks() -> dict[str, str]:
    """What is computed of the page."""
    return {
        "randomised_response": _losses(randomised_response(Fraction(2))),
        "geometric": _losses(geometric(Fraction(1), shift=1)),
        "laplace": _laplace(),
        "gaussian": _gaussian(),
        "group_privacy": _group_privacy(),
        **_random_record(),
        "guarantees": _guarantees(),
        "probabilistic_dp": _probabilistic_dp(),
        "shrinking_tails": _shrinking_tails(),
        **_convexity(),
        "bounded_epsilon": _bounded_epsilon(),
        **_topdown(),
        **redistricting(),
        "wrong_prior": _wrong_prior(),
        "two_queries": two_queries(),
        "fitness_for_use": fitness_for_use(),
    }


def _losses(pair: LossPair) -> str:
    rows = zip(
        (f"{loss + 0.0:g}" for loss in pair.losses.tolist()), pair.first.tolist(), pair.second.tolist(), strict=True
    )
    return table(("loss", "chance under D1", "chance under D2"), list(rows))


def _laplace() -> str:
    rows = []
    for epsilon in (0.5, 1.0, 2.0):
        top, between, bottom = laplace_loss_parts(epsilon)
        lattice = geometric(Fraction(str(epsilon)), shift=1)
        # The part of E[L] from losses between -epsilon and epsilon: the integral of l e^((l - epsilon) / 2) / 4.
        part = (epsilon - 2) / 2 + (epsilon + 2) / 2 * math.exp(-epsilon)
        mean = epsilon * (top - bottom) + part
        rows.append((f"{epsilon:g}", top, between, bottom, mean, float(lattice.first[-1]), loss_mean(lattice)))
    columns = (
        *("epsilon", "Laplace: P(L = epsilon)", "P(between)", "P(L = -epsilon)", "mean of L"),
        *("geometric: P(L = epsilon)", "mean of L"),
    )
    return table(columns, rows)


def _gaussian() -> str:
    rho = Fraction("2.63")
    pair = discrete_gaussian(rho, 1)
    fine = discrete_gaussian(rho / 100, 1)
    rows = [
        ("N(0, 1 / (2 rho)), rho = 2.63", 2.63, 5.26, 1 - gaussian_loss_cdf(2.63, 5.0)),
        ("discrete, rho = 2.63", loss_mean(pair), loss_variance(pair), chance_above(pair, 5.0)),
        ("N(0, 1 / (2 rho)), rho = 0.0263", 0.0263, 0.0526, 1 - gaussian_loss_cdf(0.0263, 0.2)),
        ("discrete, rho = 0.0263", loss_mean(fine), loss_variance(fine), chance_above(fine, 0.2)),
    ]
    columns = ("noise on a count that one person changes by 1", "mean of L", "variance of L", "P(L > 5), P(L > 0.2)")
    return table(columns, rows)


def _group_privacy() -> str:
    both = self_composed(randomised_response(Fraction(1)), 2)
    counted = geometric(Fraction(1), shift=2)
    rows = [
        (f"{loss + 0.0:g}", float(left), float(right))
        for loss, left, right in zip(both.losses, both.first, counted.first, strict=True)
    ]
    return table(("loss", "M1: two randomised responses", "M2: geometric noise on the sum"), rows)


def _random_record() -> dict[str, str]:
    pair, of_100 = (privacy_loss([1 - 1 / n, 1 / n, 0.0], [1 - 1 / n, 0.0, 1 / n]) for n in (10, 100))
    bounds = (rounded_up(float(approximate_dp_power(level, 1.0, 0.0)), 4) for level in LEVELS)
    rows = [
        ("one output for all data: fully private", *LEVELS),
        ("a random record of 10", *(pair.power(level) for level in LEVELS)),
        ("a random record of 100", *(of_100.power(level) for level in LEVELS)),
        ("count + Laplace(1)", *(laplace_power(1.0, level) for level in LEVELS)),
        ("any mechanism of epsilon 1 (bound)", *bounds),
        ("count + N(0, 1)", *(gaussian_power(level, 0.5) for level in LEVELS)),
    ]
    deltas = [
        (f"{epsilon:g}", pair.delta(epsilon), of_100.delta(epsilon), gaussian_delta(0.5, epsilon))
        for epsilon in (0.0, 1.0, 3.0, 10.0)
    ]
    return {
        "deltas": table(("epsilon", "a random record of 10", "of 100", "count + N(0, 1)"), deltas),
        "powers": table(("mechanism", *(f"{level:g}" for level in LEVELS)), rows),
    }


def _guarantees() -> str:
    rows = []
    for epsilon, delta, order in (("1", "0", None), ("1", "0.01", None), ("1", "0", "2"), ("1", "0", "10")):
        profile = budget_profile("puredp", Fraction(epsilon), Fraction(delta), Fraction(order) if order else None)
        found = summary(profile, LEVELS)
        name = f"order {order}, gamma {epsilon}" if order else f"epsilon {epsilon}, delta {delta}"
        grown = [each for row in found.beliefs if row.ratio == 100 for each in (row.fixed_record, row.true_record)]
        chances = [*(row.bound for row in found.powers), *grown]
        rows.append((name, *(rounded_up(each, 4) for each in chances), *(() if grown else ("-", "-"))))
    return table(("guarantee", *(f"{level:g}" for level in LEVELS), "1: fixed record", "3: true record"), rows)


def _probabilistic_dp() -> str:
    rows = [
        (name, chance_above(pair, LOG_2 + 1e-12), pair.delta(LOG_2))
        for name, pair in (("outputs a, b, c", BEFORE), ("a and b merged", MERGED))
    ]
    return table(("output", "probabilistic DP: P(L > log 2)", "approximate DP: delta at log 2"), rows)


def _shrinking_tails() -> str:
    other = privacy_loss([0.01, 0.99], [0.00, 1.00])
    rows = [
        (name, chance_above(pair, 0.5), chance_above(pair, LOG_2 + 1e-12))
        for name, pair in (("outputs a, b, c", BEFORE), ("a and b merged", MERGED), ("b and c merged", other))
    ]
    return table(("output", "P(L > 0.5)", "P(L > log 2)"), rows)


def _convexity() -> dict[str, str]:
    one, two = randomised_response(Fraction(1)), randomised_response(Fraction(2))
    truth = float(one.first[-1] + two.first[-1]) / 2
    rows = [
        (name, float(pair.losses.max()), loss_mean(pair))
        for name, pair in (
            ("M1: randomised response, epsilon 1", one),
            ("M2: the same with epsilon 2", two),
            ("a fair coin picks one, and is published", mixed(one, two, 0.5)),
            ("a fair coin picks one, and is not", privacy_loss([truth, 1 - truth], [1 - truth, truth])),
        )
    ]
    record = privacy_loss([0.9, 0.1, 0.0], [0.9, 0.0, 0.1])
    halved = privacy_loss([2 / 3, 1 / 3], [1 / 3, 2 / 3])
    powers = [
        (name, pair.power(0.1))
        for name, pair in (
            ("a random record of 10", record),
            ("randomised response, epsilon log 2", halved),
            ("a fair coin picks one", mixed(record, halved, 0.5)),
        )
    ]
    return {
        "convexity": table(("mechanism", "largest loss", "mean of L"), rows),
        "not_convex": table(("mechanism", "power at level 0.1"), powers),
    }


def _bounded_epsilon() -> str:
    rows = [
        (f"{delta:g}", gaussian_bounded_epsilon(2.63, delta), _gaussian_epsilon(2.63, delta))
        for delta in (0.1, 0.01, 1e-4, 1e-6, 1e-10)
    ]
    return table(("delta", "probabilistically bounded: log(delta / g^-1(delta))", "approximate DP"), rows)


def _gaussian_epsilon(rho: float, delta: float) -> float:
    """The epsilon at which Gaussian noise has this delta, by bisection."""
    low, high = 0.0, 200.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(rho, middle) > delta else (low, middle)
    return high


def _topdown() -> dict[str, str]:
    """The two simplified TopDown algorithms."""
    rho = Fraction(1)
    shares = {"sex": Fraction(1, 4), "voting age": Fraction(3, 4)}
    changed = {  # two cells of a changed query change by 1 each; each has sigma^2 = 1 / tau, that is rho tau / 2
        "sex alone": [shares["sex"] * rho / 2] * 2,
        "voting age alone": [shares["voting age"] * rho / 2] * 2,
        "both": [share * rho / 2 for share in shares.values() for _ in range(2)],
    }
    levels = {"US": Fraction(1, 3), "state": Fraction(2, 3)}
    added = [rho * level * Fraction(1, 2) for level in levels.values() for _ in range(2)]
    columns = ("what changes", "rho", "power at 0.05, Gaussian", "discrete Gaussian", "chance of L > 3, discrete")
    return {
        "topdown_queries": table(columns, [_topdown_row(what, parts) for what, parts in changed.items()]),
        "topdown_levels": table(columns, [_topdown_row("one cell of each of the four", added)]),
    }


def _topdown_row(what: str, parts: Sequence[Fraction]) -> tuple[object, ...]:
    """parts: the rho of each cell that changes by 1."""
    pair = reduce(composed, [discrete_gaussian(part, 1) for part in parts])
    total = float(sum(parts))
    return what, total, gaussian_power(0.05, total), pair.power(0.05), chance_above(pair, 3.0)


def _wrong_prior() -> str:
    found = wrong_prior(101.0, 0.01)
    tenth = math.log(10)
    return f"""\
- actual world: odds of e^{found.actual:.1f} for a one, all but certainty; counterfactual world: still 0.01;
- belief in a zero falls by a factor of 10^{-found.log_ratio / tenth:.0f};
- under his prior, an output this large has a chance of about 10^{found.log_surprise / tenth:.0f}: a rational attacker \
drops the prior."""
