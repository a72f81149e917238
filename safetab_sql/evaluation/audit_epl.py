"""Whether residuals show more privacy loss than was stated: their empirical privacy loss beside that of honest noise.

The audit fails if the lower bound of the loss exceeds the stated loss anywhere:

    lower(x) = |stated(x)| + (|EPL(x)| - typical(x)) - c spread(x)

typical(x) is the median of |EPL(x)| over simulated sets of honest noise: as many draws of the stated law as there are
residuals. spread(x) is the distance from the median to their 84th percentile. c is the least number with which no
lower(x) of N further honest sets exceeds |stated(x)|.

False alarms: honest noise exceeds the stated loss somewhere with a chance of 1 / (N + 1), exactly, because then all
N + 1 sets have the same law. With N = 100 for every law that is tested, an audit of honest noise fails with a chance
below 1 %.

Why simulation: the estimate of epl.py is too high, by an amount that depends on the law and on the number of
residuals, so it cannot be compared with a stated loss directly. Its bootstrap is too high twice, so it cannot either.
For dishonest noise lower(x) is only an approximate bound, because the spread of such noise is another; so the x that
is reported is the one with the clearest evidence.

For the discrete Gaussian the stated loss is a curve, log(P(x) / P(x + 1)) = (2 x + 1) rho, and is compared as a curve.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.evaluation.epl import (
    Estimator,
    Residuals,
    bootstrapped,
    law_range,
    loss_curves,
    simulated,
    stated_losses,
)
from safetab_sql.laws.cumulative import Law, is_tabulable
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FEWEST_RESIDUALS = 100  # with fewer residuals the estimate is useless
SETS_A_TEST = 100  # simulated sets for each test of an audit: the whole audit has false alarms below 1 %
_REFERENCE_SETS = 400  # for typical(x) and spread(x)
_BOOTSTRAP_SETS = 400
_SEED = 2020  # for simulations and bootstraps: equal residuals get equal verdicts
LARGEST_LOSS = 745.0  # minus the logarithm of the smallest double: used for infinity


@dataclass(frozen=True, slots=True)
class LossTest:
    """Residuals, and the law that they should follow. name: name of their level. noise: which law of that level."""

    name: str
    noise: str
    law: Law
    residuals: Residuals

    @property
    def distribution(self) -> str:
        """The name of the law in the ledger."""
        return "two-sided geometric" if isinstance(self.law, TwoSidedGeometric) else "discrete gaussian"


@dataclass(frozen=True, slots=True)
class LossCurve:
    """Losses at the values x, int64[n]: EPL(x), the stated loss, lower(x), and losses of honest noise, float64[n] each.

    evidence: (|EPL(x)| - typical(x)) / spread(x). lower, evidence: -infinity where the residuals were not searched.
    honest_lower, honest_upper: 2.5th and 97.5th percentile of EPL(x), x by x.
    """

    values: Int64s
    losses: Floats
    stated: Floats
    lower: Floats
    evidence: Floats
    honest_lower: Floats
    honest_upper: Floats


@dataclass(frozen=True, slots=True)
class LossAudit:
    """The result of a test.

    epl: the estimate, with the 2.5th and 97.5th percentile of its bootstrap. honest_epl, honest_upper: median and
    97.5th percentile of the estimates for honest noise. stated_loss: of one call: epsilon, or the largest loss of the
    law on the range searched. noticeable: the ratio of the true loss to the stated loss that would be noticed about
    half the time.
    """

    test: LossTest
    epl: float
    epl_lower: float
    epl_upper: float
    honest_epl: float
    honest_upper: float
    stated_loss: float
    noticeable: float
    curve: LossCurve

    @property
    def worst_x(self) -> int:
        """Where the evidence of a loss above the stated one is clearest."""
        return int(self.curve.values[self._worst])

    @property
    def lower_bound_there(self) -> float:
        """The lower confidence bound of the loss at `worst_x`, at least 0."""
        return max(0.0, float(self.curve.lower[self._worst]))

    @property
    def stated_loss_there(self) -> float:
        """The stated loss at `worst_x`, without its sign."""
        return float(abs(self.curve.stated[self._worst]))

    @property
    def passes(self) -> bool:
        """Whether the lower bound exceeds the stated loss nowhere."""
        return self.lower_bound_there <= self.stated_loss_there

    @property
    def _worst(self) -> int:
        return int(np.argmax(self.curve.evidence))


@dataclass(frozen=True, slots=True)
class _Honest:
    """Typical value and spread of |EPL(x)| for honest noise, float64[n] each, and the factor c: see the module."""

    typical: Floats
    spread: Floats
    factor: float


def audit_losses(tests: Sequence[LossTest], estimator: Estimator) -> list[LossAudit]:
    """An audit of every test that has enough residuals and a law that can be tabulated."""
    wanted = [test for test in tests if test.residuals.size >= FEWEST_RESIDUALS and is_tabulable(test.law)]
    generator = np.random.default_rng(_SEED)
    return [_audited(test, estimator, SETS_A_TEST * len(wanted), generator) for test in wanted]


def _audited(test: LossTest, estimator: Estimator, sets: int, generator: np.random.Generator) -> LossAudit:
    residuals, values = test.residuals, law_range(test.law, estimator)
    found, (epl,) = _searched([(residuals.first, residuals.counts[np.newaxis, :])], values, estimator)
    reference, honest_epls = _searched(
        simulated(test.law, residuals.size, _REFERENCE_SETS, generator), values, estimator
    )
    further, _ = _searched(simulated(test.law, residuals.size, sets, generator), values, estimator)
    _, bootstrap = _searched(bootstrapped(residuals, _BOOTSTRAP_SETS, generator), values, estimator)
    stated = stated_losses(test.law, values)
    honest = _honest(np.abs(reference), np.abs(further))
    above = np.abs(found[0]) - honest.typical
    lower = np.abs(stated) + above - honest.factor * honest.spread
    return LossAudit(
        test=test,
        epl=float(epl),
        epl_lower=_percentile(bootstrap, 2.5),
        epl_upper=_percentile(bootstrap, 97.5),
        honest_epl=_percentile(honest_epls, 50),
        honest_upper=_percentile(honest_epls, 97.5),
        stated_loss=float(np.abs(stated).max()),
        noticeable=1 + float(np.min(honest.factor * honest.spread / np.maximum(honest.typical, 1e-300))),
        curve=LossCurve(
            values,
            found[0],
            stated,
            np.where(np.isnan(lower), -np.inf, lower),
            np.where(np.isnan(lower), -np.inf, above / honest.spread),
            _percentiles(reference, 2.5),
            _percentiles(reference, 97.5),
        ),
    )


def _searched(blocks: Iterable[tuple[int, Int64s]], values: Int64s, estimator: Estimator) -> tuple[Floats, Floats]:
    """EPL(x) at `values` and the EPL of each set: float64[sets, n], NaN where a set is not searched; float64[sets]."""
    losses, largest = [], []
    for first, counts in blocks:
        curves = loss_curves(first, counts, estimator)
        places = values - first
        inside = (places >= 0) & (places < curves.losses.shape[1])
        at_values = np.full((counts.shape[0], values.size), np.nan)
        searched = np.where(curves.is_searched, curves.losses, np.nan)
        at_values[:, inside] = np.clip(searched[:, places[inside]], -LARGEST_LOSS, LARGEST_LOSS)
        losses.append(at_values)
        largest.append(np.minimum(curves.largest, LARGEST_LOSS))
    return np.concatenate(losses), np.concatenate(largest)


def _honest(reference: Floats, further: Floats) -> _Honest:
    """The typical |EPL(x)| of the reference sets, and how far the further sets are from it: float64[sets, n] both."""
    typical = _percentiles(reference, 50)
    spread = np.maximum(_percentiles(reference, 84) - typical, 1e-9)
    strays = (further - typical) / spread
    return _Honest(typical, spread, float(np.max(strays, initial=0.0, where=~np.isnan(strays))))


def _percentiles(sets: Floats, percent: float) -> Floats:
    """The percentile of each column of float64[sets, n], which is one of its values; NaN is ignored."""
    ordered = np.sort(sets, axis=0)  # NaN last
    known = (~np.isnan(ordered)).sum(axis=0)
    places = np.maximum(0, np.ceil(percent / 100 * known).astype(np.int64) - 1)
    return np.asarray(ordered[places, np.arange(sets.shape[1])], dtype=np.float64)


def _percentile(values: Floats, percent: float) -> float:
    return float(_percentiles(values[:, np.newaxis], percent)[0])
