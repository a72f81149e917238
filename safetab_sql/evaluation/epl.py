"""Empirical privacy loss (EPL): an estimate of a mechanism's privacy loss from its residuals, noisy minus exact.

Source: evaluation.md section 3.1; Flaxman and Petti 2020, Supplementary Methods Appendix to "Differential privacy in
the 2020 US census: what will it do?", who give the bandwidth as 0.1 without a unit. Here it is a factor of the
residuals' standard deviation, or absolute, in persons. An absolute 0.1 smooths nothing: the density is then the share
of each integer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.intervals import chances_of

BandwidthIs = Literal["factor", "absolute"]

_NARROW = 2.0  # persons; below this bandwidth densities are summed term by term, because they may be tiny in gaps
_REACH = 38.0  # bandwidths; beyond them the kernel is 0 in a double
_BLOCK = 2**17  # numbers at a time: 1 MiB an array, which a cache holds


@dataclass(frozen=True, slots=True)
class Estimator:
    """The settings of the estimate. bandwidth: a factor of the standard deviation, or absolute, persons.

    percentile: where the search ends, above 50 up to 100; it begins at 100 - percentile.
    """

    bandwidth: float = 0.1
    bandwidth_is: BandwidthIs = "factor"
    percentile: float = 95.0


@dataclass(frozen=True, slots=True)
class Residuals:
    """How often each residual occurs: int64[n] counts of first, first + 1, ..., persons; the ends are not 0."""

    first: int
    counts: Int64s

    @property
    def size(self) -> int:
        """How many residuals there are."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class LossCurves:
    """EPL(x) of sets of residuals: float64[sets, n] for x = first, first + 1, ...; bool[sets, n] whether x is searched.

    Infinite where one of the two densities is 0.
    """

    first: int
    losses: Floats
    is_searched: npt.NDArray[np.bool_]

    @property
    def largest(self) -> Floats:
        """The EPL of each set: float64[sets]."""
        return np.asarray(np.abs(np.where(self.is_searched, self.losses, 0.0)).max(axis=1), dtype=np.float64)


def residuals_of(values: Int64s) -> Residuals:
    """The counts of each residual; there must be at least one residual."""
    first = int(values.min())
    return Residuals(first, np.bincount(values - first))


def empirical_privacy_loss(residuals: Residuals, estimator: Estimator) -> float:
    """The EPL of one set of residuals."""
    return float(loss_curves(residuals.first, residuals.counts[np.newaxis, :], estimator).largest[0])


def densities(residuals: Residuals, estimator: Estimator) -> tuple[Floats, Floats]:
    """The share of each residual first, first + 1, ..., and its kernel density: float64[n] each; both add up to 1."""
    shares = (residuals.counts / residuals.size)[np.newaxis, :]
    values = np.arange(residuals.first, residuals.first + shares.shape[1], dtype=np.float64)
    smoothed = _smoothed(shares, _bandwidths(shares, values, estimator))
    return shares[0], smoothed[0] / smoothed[0].sum()


def loss_curves(first: int, counts: Int64s, estimator: Estimator) -> LossCurves:
    """EPL(x) of each row of int64[sets, n] counts of the residuals first, first + 1, ..."""
    padded = np.pad(counts, ((0, 0), (0, 1))).astype(np.float64)  # a place for x + 1 after the last x
    values = np.arange(first, first + padded.shape[1], dtype=np.float64)
    sizes = padded.sum(axis=1, keepdims=True)
    shares = padded / sizes
    up_to = np.cumsum(padded, axis=1)
    left_out = (100 - estimator.percentile) / 100 * sizes
    is_searched = (up_to > 0) & (up_to >= left_out) & (up_to - padded < sizes - left_out)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(_smoothed(shares, _bandwidths(shares, values, estimator)))
        losses = logs[:, :-1] - logs[:, 1:]
    losses[np.isnan(losses)] = 0.0  # both densities are 0
    return LossCurves(first, losses, is_searched[:, :-1])


def bootstrapped(residuals: Residuals, sets: int, generator: np.random.Generator) -> Iterator[tuple[int, Int64s]]:
    """Sets of as many residuals, drawn from `residuals` with replacement; block by block, for `loss_curves`."""
    return _drawn(residuals.first, residuals.counts / residuals.size, (sets, residuals.size), generator)


def simulated(law: Law, size: int, sets: int, generator: np.random.Generator) -> Iterator[tuple[int, Int64s]]:
    """Sets of `size` draws of `law`, block by block, for `loss_curves`; for comparison, never for publication."""
    values, chances = chances_of(law)
    return _drawn(int(values[0]), chances / chances.sum(), (sets, size), generator)


def law_range(law: Law, estimator: Estimator) -> Int64s:
    """The range of x that would be searched for the law itself: from its lower to its upper percentile, persons."""
    values, chances = chances_of(law)
    up_to, left_out = np.cumsum(chances), (100 - estimator.percentile) / 100
    return np.asarray(values[(up_to >= left_out) & (up_to - chances < 1 - left_out)])


def stated_losses(law: Law, values: Int64s) -> Floats:
    """log(P(x) / P(x + 1)) of a law: int64[n] -> float64[n]; epsilon or -epsilon, or (2 x + 1) rho."""
    if isinstance(law, TwoSidedGeometric):
        return np.where(values >= 0, float(law.epsilon), -float(law.epsilon))
    return np.asarray((2.0 * values + 1) * float(law.rho), dtype=np.float64)


def _drawn(
    first: int, chances: Floats, shape: tuple[int, int], generator: np.random.Generator
) -> Iterator[tuple[int, Int64s]]:
    """Counts of draws of first, first + 1, ... with the given chances. shape: number of sets, and draws in each set."""
    sets, size = shape
    width = chances.size
    step = max(1, _BLOCK // width)
    for start in range(0, sets, step):
        block = min(step, sets - start)
        if width <= size:
            yield first, generator.multinomial(size, chances, size=block)
            continue
        places = np.searchsorted(np.cumsum(chances), generator.random((block, size)), side="right")
        places = np.minimum(places, width - 1)
        low, high = int(places.min()), int(places.max())
        cells = (places - low) + (high - low + 1) * np.arange(block)[:, np.newaxis]
        counts = np.bincount(cells.ravel(), minlength=block * (high - low + 1))
        yield first + low, counts.reshape(block, high - low + 1)


def _bandwidths(shares: Floats, values: Floats, estimator: Estimator) -> Floats:
    """The bandwidth of each set, persons."""
    if estimator.bandwidth_is == "absolute":
        return np.full(shares.shape[0], estimator.bandwidth)
    means = shares @ values
    return estimator.bandwidth * np.sqrt(np.maximum(shares @ values**2 - means**2, 0.0))


def _smoothed(shares: Floats, bandwidths: Floats) -> Floats:
    """The kernel density of each set at every integer, but for a constant factor."""
    smoothed = np.empty_like(shares)
    narrow = bandwidths < _NARROW
    smoothed[narrow] = _summed(shares[narrow], bandwidths[narrow])
    smoothed[~narrow] = _transformed(shares[~narrow], bandwidths[~narrow])
    return smoothed


def _summed(shares: Floats, bandwidths: Floats) -> Floats:
    """Densities for narrow kernels, summed term by term, so that the smallest densities are accurate."""
    smoothed = shares.copy()
    width = shares.shape[1]
    with np.errstate(divide="ignore"):
        for distance in range(1, min(width, int(_REACH * bandwidths.max(initial=0.0)) + 1)):
            kernel = np.exp(-((distance / bandwidths) ** 2) / 2)[:, np.newaxis]
            smoothed[:, distance:] += kernel * shares[:, :-distance]
            smoothed[:, :-distance] += kernel * shares[:, distance:]
    return smoothed


def _transformed(shares: Floats, bandwidths: Floats) -> Floats:
    """Densities for wide kernels, by Fourier transforms on a circle so large that the kernel falls to 1e-17."""
    reach = int(9 * bandwidths.max(initial=0.0)) + 1
    size = 1 << (shares.shape[1] + reach).bit_length()
    frequencies = 2 * np.pi * np.fft.rfftfreq(size)
    kernels = np.exp(-((bandwidths[:, np.newaxis] * frequencies) ** 2) / 2)
    smoothed = np.fft.irfft(np.fft.rfft(shares, size) * kernels, size)[:, : shares.shape[1]]
    return np.maximum(smoothed, 0.0)
