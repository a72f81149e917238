"""Privacy loss random variables of the worked examples, and the example of the wrong prior.

The package needs the losses of its two laws alone (`safetab_sql.semantics.composition`); these serve the examples,
and the tests of the package as exact values to compare with. Errors: 1e-12, as there.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.semantics.composition import LossPair, composed, privacy_loss
from safetab_sql.semantics.summary import normal_cdf


def randomised_response(epsilon: Fraction) -> LossPair:
    """One truthful answer with chance e^epsilon / (1 + e^epsilon), else a lie: the loss is +-epsilon.

    Source: Kifer, Randomized Response; Warner 1965.
    """
    one = float(epsilon)
    truth, lie = 1 / (1 + math.exp(-one)), math.exp(-one) / (1 + math.exp(-one))
    return LossPair(np.array([-one, one]), np.array([lie, truth]), np.array([truth, lie]))


def self_composed(pair: LossPair, times: int) -> LossPair:
    """The mechanism `times` >= 1 times, independently; for randomised response, the group of as many respondents.

    Source: Kifer, Independent Composition; Group privacy loss.
    """
    total = pair
    for _ in range(times - 1):
        total = composed(total, pair)
    return total


def chance_above(pair: LossPair, epsilon: float) -> float:
    """P(L > epsilon): the delta of probabilistic differential privacy. Source: Kifer, Attempt 1."""
    return min(1.0, float(pair.first[pair.losses > epsilon].sum()) + pair.only_first)


def loss_mean(pair: LossPair) -> float:
    """E[L], the divergence of Kullback and Leibler, nats; infinity where an output rules the second input out."""
    return math.inf if pair.only_first > 1e-12 else float(pair.first @ pair.losses)


def loss_variance(pair: LossPair) -> float:
    """Var[L], nats squared; infinity where E[L] is."""
    mean = loss_mean(pair)
    return math.inf if math.isinf(mean) else float(pair.first @ (pair.losses - mean) ** 2)


def gaussian_loss_cdf(rho: float, loss: float) -> float:
    """P(L <= loss) of Gaussian noise: L is normal with mean rho and variance 2 rho. Source: Kifer, Gaussian Mechanism.

    w is drawn from N(0, sigma^2); L = (1 - 2 w) / (2 sigma^2) is linear in w.
    """
    return normal_cdf((loss - rho) / math.sqrt(2 * rho))


def laplace_loss_parts(epsilon: float) -> tuple[float, float, float]:
    """Chances of the loss of Laplace noise, scale 1 / epsilon, on a count that one person changes by 1.

    P(L = epsilon), P(-epsilon < L < epsilon), P(L = -epsilon). With counts 6 (D1) and 5, L = epsilon (|w - 5| -
    |w - 6|) for the output w: epsilon from 6 on, -epsilon up to 5, and 2 epsilon (w - 5.5) between.
    Source: Kifer, Laplace Mechanism.
    """
    return 0.5, (1 - math.exp(-epsilon)) / 2, math.exp(-epsilon) / 2


def laplace_power(epsilon: float, level: float) -> float:
    """The power of the best test at `level` against Laplace noise, scale 1 / epsilon, on a count changed by 1.

    The loss grows with the output, so the test rejects from some output on: 1 - F(F^-1(1 - level) - 1), F the
    distribution function. Source: Kifer, Tightest 1 - f curve; Dong, Roth, Su 2022.
    """

    def below(value: float) -> float:
        return math.exp(epsilon * value) / 2 if value < 0 else 1 - math.exp(-epsilon * value) / 2

    reach = -math.log(2 * level) / epsilon if level < 0.5 else math.log(2 * (1 - level)) / epsilon
    return 1 - below(reach - 1)


def mixed(first: LossPair, second: LossPair, chance: float) -> LossPair:
    """The mechanism that runs the first with this chance, else the second, and says which. Source: Kifer, Convexity."""
    chances = [
        [*(chance * getattr(first, side)), *((1 - chance) * getattr(second, side))] for side in ("first", "second")
    ]
    only_first = chance * first.only_first + (1 - chance) * second.only_first
    only_second = chance * first.only_second + (1 - chance) * second.only_second
    return privacy_loss([*chances[0], only_first, 0.0], [*chances[1], 0.0, only_second])


@dataclass(frozen=True, slots=True)
class Belief:
    """What the attacker of the wrong-prior example believes after seeing the output.

    actual: his log odds that your record is 1, nats. log_ratio: log of the factor by which the actual world lowers his
    belief in a 0. log_surprise: log of the chance, under his prior, of an output this large or larger.
    """

    actual: float
    log_ratio: float
    log_surprise: float


def wrong_prior(output: float, prior: float) -> Belief:
    """Count of ones plus N(0, 1), seen by somebody who is sure that all other records are 0. prior: that yours is 1.

    Source: Kifer, What about impure differential privacy? (100 ones, output 101, prior 0.01)
    """
    prior_odds = math.log(prior) - math.log1p(-prior)
    odds = prior_odds + (output**2 - (output - 1) ** 2) / 2  # log N(output; 1, 1) - log N(output; 0, 1)
    log_not_one = -max(odds, 0.0) - math.log1p(math.exp(-abs(odds)))
    # The tail of N(1, 1), the likelier of the two worlds he thinks of; Mills' ratio bounds it from above.
    distance = output - 1
    surprise = -(distance**2) / 2 - math.log(distance * math.sqrt(2 * math.pi))
    return Belief(odds, log_not_one - math.log1p(-prior), surprise)
