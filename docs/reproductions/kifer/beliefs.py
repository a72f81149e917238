"""The Bayesian theorems that only the worked examples use, and the example of the wrong prior.

Errors: closed forms in doubles (1e-12). Source: Kifer, Bayesian Guarantees.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Belief:
    """What the attacker of the wrong-prior example believes after seeing the output.

    actual, counterfactual: his log odds that your record is 1, nats. log_ratio: log of the factor by which the actual
    world lowers his belief in a 0. log_surprise: log of the chance, under his prior, of an output this large or larger.
    """

    actual: float
    counterfactual: float
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
    return Belief(odds, prior_odds, log_not_one - math.log1p(-prior), surprise)


def pure_dp_log_ratio(epsilon: float, *, is_default_record: bool = False) -> float:
    """The most that log(posterior / counterfactual posterior) can be, either way, for any output and any prior.

    epsilon; twice epsilon if the counterfactual world has a fixed default record in your place, because then the
    normalisers of the two posteriors differ too. Source: Kifer, Warmup: Pure Differential Privacy; Semantics Pure DP.
    """
    return 2 * epsilon if is_default_record else epsilon
