"""The experiments of the authors of the empirical privacy loss, run again: ours beside theirs.

Their districts are those of the 1940 census; ours are made up, as many, for noise does not look at counts. Where they
do not say how something was done, several ways are tried and all are shown; none was chosen to come near their figures.

Their text calls the noise of epsilon a "two-tailed geometric distribution G(epsilon / 2)". So everything is done twice,
with P(k) proportional to e^(-epsilon |k|), whose loss is epsilon, and to e^(-epsilon |k| / 2), whose loss is half that.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from docs.reproductions.flaxman_petti.printed_losses import (
    BY_BANDWIDTH,
    BY_EPSILON,
    BY_PERCENTILE,
    DISTRICTS,
    PANEL_EPSILON,
    PrintedLoss,
)
from safetab_sql.evaluation.epl import (
    Estimator,
    bootstrapped,
    empirical_privacy_loss,
    loss_curves,
    residuals_of,
    simulated,
)
from safetab_sql.laws.noise import Law, TwoSidedGeometric

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SETS = 200  # of residuals, for every row of Table SA1
_SEED = 1940
MORE = 100  # times the districts: what the definition converges to

# Consistency: strata by voting age, or by voting age, ethnicity and race as their figures name them.
_TOTAL_EPSILON, _STRATA_EPSILON = 0.25, 0.75
_STRATA = (2, 24)

# Invariants: shares of the strata: six races, two ethnicities, under and of voting age; most people are in two.
_COUNTIES = 39
_RACES = (0.977, 0.004, 0.0065, 0.0085, 0.0015, 0.0025)
_ETHNICITIES = (0.995, 0.005)
_AGES = (0.3, 0.7)
_DISTRICT_SIZE = 600  # median, persons


@dataclass(frozen=True, slots=True)
class Estimate:
    """An EPL with its 2.5th and 97.5th percentile: of sets of residuals, or of the bootstrap of one."""

    epl: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row: what was done, our EPL with noise of loss epsilon and epsilon / 2, and theirs; None: they have none."""

    what: str
    whole: Estimate
    half: Estimate
    theirs: PrintedLoss | None = None


def table_sa1(estimator: Estimator) -> dict[str, list[Comparison]]:
    """Table SA1, panel by panel: percentiles are those of SETS sets of residuals of the two-sided geometric law."""
    generator = np.random.default_rng(_SEED)

    def row(what: str, theirs: PrintedLoss | None, epsilon: float, how: Estimator, times: int = 1) -> Comparison:
        laws = (TwoSidedGeometric(Fraction(str(epsilon)) / part) for part in (1, 2))
        whole, half = (_simulated_estimate(law, DISTRICTS * times, how, generator) for law in laws)
        return Comparison(what, whole, half, theirs)

    return {
        "epsilon": [row(f"{printed.parameter:g}", printed, printed.parameter, estimator) for printed in BY_EPSILON],
        "bandwidth": [
            row(f"{printed.parameter:g}", printed, PANEL_EPSILON, replace(estimator, bandwidth=printed.parameter))
            for printed in BY_BANDWIDTH
        ],
        "percentile": [
            row(f"{printed.parameter:g}", printed, PANEL_EPSILON, replace(estimator, percentile=printed.parameter))
            for printed in BY_PERCENTILE
        ],
        "many_districts": [row(f"{epsilon:g}", None, epsilon, estimator, MORE) for epsilon in (0.05, 0.25, 0.5)],
    }


def _simulated_estimate(law: Law, size: int, estimator: Estimator, generator: np.random.Generator) -> Estimate:
    sets = simulated(law, size, SETS, generator)
    losses = np.concatenate([loss_curves(first, counts, estimator).largest for first, counts in sets])
    lower, upper = np.percentile(losses, [2.5, 97.5], method="inverted_cdf")
    return Estimate(float(losses.mean()), float(lower), float(upper))


def consistency(estimator: Estimator) -> list[Comparison]:
    """Strata and their total are measured, then made consistent with the least weighted sum of absolute changes.

    A total that weighs less than a stratum, as by epsilon, leaves the strata as they were measured. One that weighs
    more is met exactly, and then any change of the strata in one direction is as good: evenly, or all in one of them.
    """
    both = [consistent_residuals(part) for part in (1, 2)]
    return [_comparison(what, both[0][what], both[1][what], estimator) for what in both[0]]


def consistent_residuals(part: int) -> dict[str, Int64s]:
    """Residuals of the strata by what was done. part: 1 for noise of loss epsilon, 2 for half of it."""
    generator = np.random.default_rng(_SEED)
    residuals: dict[str, Int64s] = {}
    for strata in _STRATA:
        errors = geometric(_STRATA_EPSILON / part, (DISTRICTS, strata), generator)
        missing = geometric(_TOTAL_EPSILON / part, (DISTRICTS,), generator) - errors.sum(axis=1)
        residuals |= {
            f"{strata} strata; total weighs less: strata as measured": errors,
            f"{strata} strata; total weighs more: change spread evenly": errors + _evenly(missing, strata, generator),
            f"{strata} strata; total weighs more: all of it in one": errors + _in_one(missing, strata, generator),
        }
    return residuals


def _evenly(missing: Int64s, strata: int, generator: np.random.Generator) -> Int64s:
    """int64[districts] split into whole persons as equal as may be, the rest at random: int64[districts, strata]."""
    order = np.argsort(generator.random((missing.size, strata)), axis=1)
    return missing[:, np.newaxis] // strata + (order < (missing % strata)[:, np.newaxis])


def _in_one(missing: Int64s, strata: int, generator: np.random.Generator) -> Int64s:
    changes = np.zeros((missing.size, strata), dtype=np.int64)
    changes[np.arange(missing.size), generator.integers(strata, size=missing.size)] = missing
    return changes


def invariants(estimator: Estimator) -> list[Comparison]:
    """Strata with noise, then the nearest counts (least squares) that keep county totals, or are not negative, or both.

    They are rounded to whole persons without changing a county's total.
    """
    both = [constrained_residuals(part) for part in (1, 2)]
    return [_comparison(what, both[0][what], both[1][what], estimator) for what in both[0]]


def constrained_residuals(part: int) -> dict[str, Int64s]:
    """Residuals of the strata by what was done. part: 1 for noise of loss epsilon, 2 for half of it."""
    generator = np.random.default_rng(_SEED)
    exact = made_up_districts(generator)
    noisy = exact + geometric(PANEL_EPSILON / part, exact.shape, generator)
    counties = generator.integers(_COUNTIES, size=DISTRICTS)
    with_totals, with_both = np.empty_like(exact), np.empty_like(exact)
    for county in range(_COUNTIES):
        ours = counties == county
        total = int(exact[ours].sum())
        with_totals[ours] = _whole(noisy[ours] - (noisy[ours].sum() - total) / noisy[ours].size, total)
        with_both[ours] = _whole(_nearest_not_negative(noisy[ours], total), total)
    return {
        "noise alone": noisy - exact,
        "exact county totals": with_totals - exact,
        "no negative counts (no invariant: as private as before)": np.maximum(noisy, 0) - exact,
        "exact county totals and no negative counts": with_both - exact,
    }


def made_up_districts(generator: np.random.Generator) -> Int64s:
    """People by district and stratum: int64[DISTRICTS, 24]."""
    sizes = np.exp(generator.normal(np.log(_DISTRICT_SIZE), 0.6, DISTRICTS)).astype(np.int64)
    shares = np.einsum("i,j,k->ijk", _RACES, _ETHNICITIES, _AGES).ravel()
    return generator.multinomial(sizes, shares).astype(np.int64)


def _nearest_not_negative(counts: Int64s, total: int) -> Floats:
    """The counts >= 0 that add up to `total` and are nearest in the sum of squares: all lowered alike, then cut at 0.

    Source: Held, Wolfe and Crowder 1974.
    """
    largest_first = np.sort(counts.ravel())[::-1].astype(np.float64)
    lowered = (np.cumsum(largest_first) - total) / np.arange(1, largest_first.size + 1)
    return np.asarray(np.maximum(counts - lowered[np.flatnonzero(largest_first > lowered)[-1]], 0.0))


def _whole(counts: Floats, total: int) -> Int64s:
    """`counts`, which add up to `total`, as whole numbers that do: those with the largest remainders are rounded up."""
    whole = np.floor(counts).astype(np.int64).ravel()
    by_remainder = np.argsort(whole - counts.ravel(), kind="stable")
    whole[by_remainder[: total - int(whole.sum())]] += 1
    return whole.reshape(counts.shape)


def _comparison(what: str, whole: Int64s, half: Int64s, estimator: Estimator) -> Comparison:
    return Comparison(what, _bootstrapped_estimate(whole, estimator), _bootstrapped_estimate(half, estimator))


def _bootstrapped_estimate(residuals: Int64s, estimator: Estimator) -> Estimate:
    """The EPL of residuals with the percentiles of its bootstrap."""
    counted = residuals_of(residuals.ravel())
    sets = bootstrapped(counted, SETS, np.random.default_rng(_SEED))
    losses = np.concatenate([loss_curves(first, counts, estimator).largest for first, counts in sets])
    lower, upper = np.percentile(losses, [2.5, 97.5], method="inverted_cdf")
    return Estimate(empirical_privacy_loss(counted, estimator), float(lower), float(upper))


def geometric(epsilon: float, shape: tuple[int, ...], generator: np.random.Generator) -> Int64s:
    """Two-sided geometric noise, to study, never to publish: a difference of two geometric draws."""
    success = -np.expm1(-epsilon)
    return generator.geometric(success, shape) - generator.geometric(success, shape)
