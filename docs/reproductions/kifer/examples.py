"""The worked examples of *Differential Privacy in Practice* (D. Kifer), computed: kifer.md."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from docs.reproductions.kifer.beliefs import pure_dp_log_ratio, wrong_prior
from docs.reproductions.kifer.losses import (
    chance_above,
    gaussian_loss_cdf,
    gaussian_rho,
    loss_mean,
    loss_variance,
    randomised_response,
    reversed_pair,
    self_composed,
)
from docs.reproductions.kifer.more_examples import (
    convexity,
    laplace,
    laplace_power,
    shrinking_tails,
    topdown,
)
from docs.reproductions.kifer.redistricting import redistricting
from docs.reproductions.kifer.utility import fitness_for_use, two_queries
from docs.reproductions.markdown import table
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.semantics.composition import LossPair, discrete_gaussian, geometric, privacy_loss
from safetab_sql.semantics.profiles import budget_profile
from safetab_sql.semantics.summary import (
    approximate_dp_power,
    gaussian_bounded_epsilon,
    gaussian_delta,
    gaussian_power,
    summary,
)

_INTRODUCTION = """# Privacy semantics: worked examples

The examples of *Differential Privacy in Practice* (D. Kifer), each with the section it is from. Every number is
computed: `make reproductions` writes this page, and a test compares. Losses are in nats.
"""


def page() -> str:
    """The whole page, in Markdown."""
    sections = (
        _randomised_response,
        _geometric,
        laplace,
        _gaussian,
        _group_privacy,
        _random_record,
        _probabilistic_dp,
        shrinking_tails,
        convexity,
        _bounded_epsilon,
        topdown,
        redistricting,
        _wrong_prior,
        two_queries,
        fitness_for_use,
    )
    return "\n".join([_INTRODUCTION, *(f"{section()}\n" for section in sections)])


def _losses(pair: LossPair) -> Sequence[tuple[str, float, float]]:
    rows = zip(pair.losses.tolist(), pair.first.tolist(), pair.second.tolist(), strict=True)
    return [(f"{loss + 0.0:g}", first, second) for loss, first, second in rows]


_LOSS_COLUMNS = ("loss", "chance under D1", "chance under D2")


def _randomised_response() -> str:
    pair = randomised_response(Fraction(2))
    other = reversed_pair(pair)
    distribution = "the same" if np.allclose(other.first, pair.first, rtol=1e-14, atol=0) else "another"
    return f"""## Randomised response

*Privacy Loss Random Variables, Randomized Response.* A truthful answer with chance e^2 / (1 + e^2) = \
{float(pair.first[-1]):.4f}, else a lie. D1: the true answer is yes.

{table(_LOSS_COLUMNS, _losses(pair))}

The reversed privacy loss random variable (D2 against D1) has {distribution} distribution. n people who each answer for
themselves: two data sets that differ on one of them differ in that one answer, so it is that of one."""


def _geometric() -> str:
    pair = geometric(Fraction(1), shift=1)
    answer = randomised_response(Fraction(1))
    is_same = np.allclose([pair.losses, pair.first], [answer.losses, answer.first], rtol=1e-14, atol=0)
    return f"""## The geometric mechanism

*PLRV for the Geometric Mechanism.* Counts 6 (D1) and 5 (D2), P(noise = k) = (1 - e^-1) / (1 + e^-1) e^-|k|.

{table(_LOSS_COLUMNS, _losses(pair))}

{"That is exactly randomised response with epsilon 1" if is_same else "Randomised response differs"}: two mechanisms \
that are not equivalent have equal privacy loss random variables for all neighbours."""


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
    return f"""## The Gaussian mechanism

*Gaussian Mechanism.* L is normal with mean rho and variance 2 rho. Discrete Gaussian noise has losses
rho (1 - 2 k) on a lattice: the same mean, less variance where the noise is narrow, nearly the same law where it is
wide.

{table(columns, rows)}"""


def _group_privacy() -> str:
    both = self_composed(randomised_response(Fraction(1)), 2)
    counted = geometric(Fraction(1), shift=2)
    rows = [
        (f"{loss + 0.0:g}", float(left), float(right))
        for loss, left, right in zip(both.losses, both.first, counted.first, strict=True)
    ]
    columns = ("loss", "M1: two randomised responses", "M2: geometric noise on the sum")
    return f"""## Group privacy tells two mechanisms apart

*Group privacy loss.* D1 = (0, 0), D2 = (1, 1), epsilon 1. For one person M1 and M2 have equal losses; for two together:

{table(columns, rows)}

M2 is sure of more: it loses 2 with a larger chance. Gaussian noise: a group of k has k^2 rho; two people at rho = 2.63
have {gaussian_rho(2.63, 2):.2f}."""


def _random_record() -> str:
    pair, of_100 = (privacy_loss([1 - 1 / n, 1 / n, 0.0], [1 - 1 / n, 0.0, 1 / n]) for n in (10, 100))
    levels = (0.01, 0.05, 0.1, 0.3, 0.5)
    rows = [
        ("one output for all data: fully private", *levels),
        ("a random record of 10", *(pair.power(level) for level in levels)),
        ("a random record of 100", *(of_100.power(level) for level in levels)),
        ("count + Laplace(1)", *(laplace_power(1.0, level) for level in levels)),
        (
            "any mechanism of epsilon 1 (bound)",
            *(rounded_up(approximate_dp_power(level, 1.0, 0.0), 4) for level in levels),
        ),
        ("count + N(0, 1)", *(gaussian_power(level, 0.5) for level in levels)),
    ]
    deltas = [
        (f"{epsilon:g}", pair.delta(epsilon), of_100.delta(epsilon), gaussian_delta(0.5, epsilon))
        for epsilon in (0.0, 1.0, 3.0, 10.0)
    ]
    return f"""## Curves: (epsilon, delta), and the trade-off 1 - f

*Approximate Differential Privacy; Tightest 1 - f curve.* The delta of "publish one record of 100 at random" is 0.01
at every epsilon: some chance of catastrophe that no epsilon buys off. That of a count with N(0, 1) noise
falls to nothing.

{table(("epsilon", "a random record of 10", "of 100", "count + N(0, 1)"), deltas)}

The power of the best test, by its level:

{table(("mechanism", *(f"{level:g}" for level in levels)), rows)}

What (epsilon, delta) and Renyi guarantees say by themselves (`semantics --epsilon E --delta D`; `--epsilon E --order A`
with gamma as E): the largest power by level, and the chance that a belief grows 100-fold (Semantics 1 and 3; none for
delta):

{table(("guarantee", *(f"{level:g}" for level in levels), "1: fixed record", "3: true record"), _guarantees(levels))}"""


def _guarantees(levels: Sequence[float]) -> Sequence[tuple[str, ...]]:
    rows = []
    for epsilon, delta, order in (("1", "0", None), ("1", "0.01", None), ("1", "0", "2"), ("1", "0", "10")):
        profile = budget_profile("puredp", Fraction(epsilon), Fraction(delta), Fraction(order) if order else None)
        found = summary(profile, tuple(levels))
        name = f"order {order}, gamma {epsilon}" if order else f"epsilon {epsilon}, delta {delta}"
        grown = [each for row in found.beliefs if row.ratio == 100 for each in (row.fixed_record, row.true_record)]
        chances = [*(row.bound for row in found.powers), *grown]
        rows.append((name, *(rounded_up(each, 4) for each in chances), *(() if grown else ("-", "-"))))
    return rows


def _probabilistic_dp() -> str:
    epsilon = math.log(2)
    before = privacy_loss([0.01, 0.60, 0.39], [0.00, 0.30, 0.70])
    after = privacy_loss([0.61, 0.39], [0.30, 0.70])
    rows = [
        ("outputs a, b, c", chance_above(before, epsilon + 1e-12), before.delta(epsilon)),
        ("a and b merged", chance_above(after, epsilon + 1e-12), after.delta(epsilon)),
    ]
    columns = ("output", "probabilistic DP: P(L > log 2)", "approximate DP: delta at log 2")
    return f"""## Probabilistic DP is not closed under post-processing

*Attempt 1.* Outputs a, b, c with chances 0.01, 0.60, 0.39 under D1 and 0, 0.30, 0.70 under D2. The loss of b is exactly
log 2. Forgetting whether it was a or b lifts it over log 2:

{table(columns, rows)}

The chance of a "bad" output grows sixty-fold although the attacker sees less; the delta of approximate DP stays."""


def _bounded_epsilon() -> str:
    rows = [
        (
            f"{delta:g}",
            gaussian_bounded_epsilon(2.63, delta),
            _gaussian_epsilon(2.63, delta),
        )
        for delta in (0.1, 0.01, 1e-4, 1e-6, 1e-10)
    ]
    columns = ("delta", "probabilistically bounded: log(delta / g^-1(delta))", "approximate DP")
    return f"""## A delta that means something: the (epsilon, delta) curve of the Census Bureau

*(epsilon, delta) Curve; f-DP.* Gaussian noise with variance 1 / (2 * 2.63). In the first column delta is the chance,
after any post-processing, that the log odds reach epsilon.

{table(columns, rows)}"""


def _gaussian_epsilon(rho: float, delta: float) -> float:
    """The epsilon at which Gaussian noise has this delta, by bisection."""
    low, high = 0.0, 200.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(rho, middle) > delta else (low, middle)
    return high


def _wrong_prior() -> str:
    found = wrong_prior(101.0, 0.01)
    tenth = math.log(10)
    factor, default = (math.exp(pure_dp_log_ratio(1.0, is_default_record=fixed)) for fixed in (False, True))
    return f"""## The wrong prior

*What about impure differential privacy?* 100 people, all ones; M = number of ones + N(0, 1). The attacker is sure that
the 99 others are zeros and gives the target's one a chance of 0.01. A typical output: 101.

- actual world: odds of e^{found.actual:.1f} for a one, all but certainty; counterfactual world: still 0.01;
- belief in a zero falls by a factor of 10^{-found.log_ratio / tenth:.0f};
- under his prior, an output this large has a chance of about 10^{found.log_surprise / tenth:.0f}: a rational attacker \
drops the prior.

So no bound for *every* output and prior exists for Gaussian noise: the theorems assume an attacker who knows the
others, or whose prior the data follow. Pure DP needs no such thing: at epsilon 1 no output changes any belief by more
than a factor {factor:.2f}, or {default:.2f} against a fixed default record."""
