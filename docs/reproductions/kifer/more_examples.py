"""Further worked examples: Laplace noise, tails, convexity, simplified TopDown algorithms."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from docs.reproductions.kifer.losses import chance_above, loss_mean, randomised_response
from docs.reproductions.markdown import table
from safetab_sql.semantics.composition import LossPair, composed, discrete_gaussian, geometric, privacy_loss
from safetab_sql.semantics.summary import gaussian_power


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


def laplace() -> str:
    """The section of the Laplace mechanism, in Markdown."""
    rows = []
    for epsilon in (0.5, 1.0, 2.0):
        top, between, bottom = laplace_loss_parts(epsilon)
        lattice = geometric(Fraction(str(epsilon)), shift=1)
        mean = epsilon * (top - bottom) + _mean_between(epsilon)
        rows.append((f"{epsilon:g}", top, between, bottom, mean, float(lattice.first[-1]), loss_mean(lattice)))
    columns = (
        *("epsilon", "Laplace: P(L = epsilon)", "P(between)", "P(L = -epsilon)", "mean of L"),
        *("geometric: P(L = epsilon)", "mean of L"),
    )
    return f"""## The Laplace mechanism

*Laplace Mechanism.* "What is L?" Noise with density (epsilon / 2) e^(-epsilon |x|) on counts 6 (D1) and 5. An output of
6 or more has the loss epsilon, one of 5 or less -epsilon; between them the loss rises evenly and has the density
e^((l - epsilon) / 2) / 4.

{table(columns, rows)}

Geometric noise has no outputs between, and so a larger chance of the largest loss: both are epsilon-DP, and Laplace
noise loses less on average."""


def _mean_between(epsilon: float) -> float:
    """The part of E[L] from losses between -epsilon and epsilon: the integral of l e^((l - epsilon) / 2) / 4."""
    return (epsilon - 2) / 2 + (epsilon + 2) / 2 * math.exp(-epsilon)


def shrinking_tails() -> str:
    """The section of tails that shrink, in Markdown."""
    before = privacy_loss([0.01, 0.60, 0.39], [0.00, 0.30, 0.70])
    merged = privacy_loss([0.61, 0.39], [0.30, 0.70])
    other = privacy_loss([0.01, 0.99], [0.00, 1.00])
    rows = [
        (name, chance_above(pair, 0.5), chance_above(pair, math.log(2) + 1e-12))
        for name, pair in (("outputs a, b, c", before), ("a and b merged", merged), ("b and c merged", other))
    ]
    return f"""## Tails of the loss grow or shrink with post-processing

*Lessons Learned.* "Tail inequalities of PLRV are unstable: they can increase or decrease with postprocessing." The
outputs of the example above; forgetting whether it was b or c shrinks the tail, forgetting whether it was a or b lets
it grow:

{table(("output", "P(L > 0.5)", "P(L > log 2)"), rows)}"""


def mixed(first: LossPair, second: LossPair, chance: float) -> LossPair:
    """The mechanism that runs the first with this chance, else the second, and says which. Source: Kifer, Convexity."""
    chances = [
        [*(chance * getattr(first, side)), *((1 - chance) * getattr(second, side))] for side in ("first", "second")
    ]
    only_first = chance * first.only_first + (1 - chance) * second.only_first
    only_second = chance * first.only_second + (1 - chance) * second.only_second
    return privacy_loss([*chances[0], only_first, 0.0], [*chances[1], 0.0, only_second])


def convexity() -> str:
    """The section of convexity, in Markdown."""
    one, two = randomised_response(Fraction(1)), randomised_response(Fraction(2))
    known = mixed(one, two, 0.5)
    truth = float(one.first[-1] + two.first[-1]) / 2
    unknown = privacy_loss([truth, 1 - truth], [1 - truth, truth])
    rows = [
        (name, float(pair.losses.max()), loss_mean(pair))
        for name, pair in (
            ("M1: randomised response, epsilon 1", one),
            ("M2: the same with epsilon 2", two),
            ("a fair coin picks one, and is published", known),
            ("a fair coin picks one, and is not", unknown),
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
    return f"""## Convexity, and what it is not

*Convexity.* A coin that does not look at the data picks M1 or M2. "If M1 is 1-DP and M2 is 2-DP, then M_p is 2-DP (not
an average of 1 and 2)":

{table(("mechanism", "largest loss", "mean of L"), rows)}

*Probabilistically bounded DP: "Bad news: not convex."* With epsilon log 2 and delta 0.2 it says: a test of level 0.1
has at most power 0.2. Both of these just have it, and a coin between them does not:

{table(("mechanism", "power at level 0.1"), powers)}

The test spends its level where it buys most. A whole curve g in place of one point repairs this."""


def topdown() -> str:
    """The section of the two simplified TopDown algorithms, in Markdown."""
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
    first = [_topdown_row(what, parts) for what, parts in changed.items()]
    return f"""## TopDown, simplified

*Example: TDA simplification.* Query i at level j gets tau = rho s_j v_ji. For each pair of neighbours the loss is the
sum of the losses of the cells that change.

*Example 1: no geographic hierarchy, 2 queries; bounded neighbours.* rho 1, a quarter for sex, three quarters for voting
age; noise of variance 1 / tau. A record is replaced; what may differ:

{table(columns, first)}

(If nothing differs, L is 0.) The last row is the one that matters: whoever sees the difference in both can throw one
away, so the power of each other pair is at most that. With continuous noise it is the power of a single count at rho 1;
discrete noise, which is narrow here, stays below it.

*Example 2: 2 queries, 2 levels; unbounded neighbours.* A third of rho 1 for the US, two thirds for the states, one half
of each for either query; noise of variance 1 / (2 tau). A record is added. Whatever it says, it changes one cell of
each of the four histograms by 1, so there is one loss for all pairs, and its reverse:

{table(columns, [_topdown_row("one cell of each of the four", added)])}"""


def _topdown_row(what: str, parts: Sequence[Fraction]) -> tuple[object, ...]:
    """parts: the rho of each cell that changes by 1."""
    pair = reduce(composed, [discrete_gaussian(part, 1) for part in parts])
    total = float(sum(parts))
    return what, total, gaussian_power(0.05, total), pair.power(0.05), chance_above(pair, 3.0)
