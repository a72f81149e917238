"""Shared by the statistical tests: recorded bits, goodness of fit, high-precision values."""

import hashlib
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import count

import mpmath
import numpy as np
from scipy import stats

from safetab_sql.accounting.ledger_file import Bits
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric

FALSE_ALARM = 1e-6
"""Chance that one test of right code fails on fresh bits. On recorded bits a test never flickers."""

STANDARD_DEVIATIONS = tuple(map(Fraction, ("0.5", "1.5", "5.6", "24", "75", "500")))
"""Persons: from the narrowest noise that a run is likely to have to the widest that must be fast."""

_LEAST_EXPECTED = 50  # per cell of a chi-square test: far more than the tail approximation needs at 1e-6
_COARSE_CELLS = 64


def recorded_bits(name: str) -> Bits:
    """A bit source whose stream is fixed by its name: SHAKE-256 of the name and the number of the request."""
    requests = count()

    def source(size: int) -> bytes:
        return hashlib.shake_256(f"{name}/{next(requests)}".encode()).digest(size)

    return source


class CountedBits:
    """A recorded bit source that counts."""

    def __init__(self, recording: str) -> None:
        self.source, self.bytes = recorded_bits(recording), 0

    def __call__(self, count: int) -> bytes:
        self.bytes += count
        return self.source(count)


def gaussian(standard_deviation: Fraction) -> DiscreteGaussian:
    return DiscreteGaussian(1 / (2 * standard_deviation**2))


def geometric(standard_deviation: Fraction) -> TwoSidedGeometric:
    """About that standard deviation: 2 t / (1 - t)^2 = 1 / (2 sinh(epsilon / 2)^2)."""
    epsilon = 2 * math.asinh(1 / (math.sqrt(2) * float(standard_deviation)))
    return TwoSidedGeometric(Fraction(epsilon).limit_denominator(10**6))


def laws(standard_deviations: Sequence[Fraction] = STANDARD_DEVIATIONS) -> list[Law]:
    return [law(deviation) for deviation in standard_deviations for law in (gaussian, geometric)]


def law_name(law: Law) -> str:
    parameter = law.rho if isinstance(law, DiscreteGaussian) else law.epsilon
    return f"{type(law).__name__}-{float(parameter):.3g}"


def widened(law: Law, factor: Fraction) -> Law:
    """The law whose scale (sigma, or 1 / epsilon) is `factor` times as large."""
    if isinstance(law, DiscreteGaussian):
        return DiscreteGaussian(law.rho / factor**2)
    return TwoSidedGeometric(law.epsilon / factor)


def exponents(law: Law, values: np.ndarray) -> np.ndarray:
    """-log P(k) + log P(0)."""
    if isinstance(law, DiscreteGaussian):
        return np.asarray(float(law.rho) * values.astype(float) ** 2)
    return np.asarray(float(law.epsilon) * np.abs(values))


def support(law: Law) -> np.ndarray:
    """The integers outside which lies less than 1e-17 of the probability: int64, symmetric."""
    budget = float(law.rho if isinstance(law, DiscreteGaussian) else law.epsilon)
    reach = 42 / budget if isinstance(law, TwoSidedGeometric) else math.sqrt(42 / budget)
    return np.arange(-math.ceil(reach) - 1, math.ceil(reach) + 2)


def pmf(law: Law) -> np.ndarray:
    """P(k) on `support(law)` from the defining formula in floating point; relative error about 1e-13."""
    weights = np.exp(-exponents(law, support(law)))
    return np.asarray(weights / weights.sum())


def _cell_starts(probabilities: np.ndarray, least: float) -> np.ndarray:
    """Starts of runs of neighbouring values that hold at least probability `least` each."""
    starts, held = [0], 0.0
    for position, probability in enumerate(probabilities):
        if held >= least and probabilities[position:].sum() >= least:
            starts.append(position)
            held = 0.0
        held += probability
    return np.array(starts)


def _cellings(law: Law, size: int) -> list[np.ndarray]:
    """Two ways to bin: as fine as the sample allows (sees shape), and 64 cells at most (sees scale)."""
    finest = _LEAST_EXPECTED / size
    return [_cell_starts(pmf(law), finest), _cell_starts(pmf(law), max(finest, 1 / _COARSE_CELLS))]


def fits(samples: np.ndarray, law: Law) -> bool:
    """Whether two chi-square tests accept that `samples` follow `law`; false alarm FALSE_ALARM at most."""
    values = support(law)
    frequencies = np.bincount(np.clip(samples, values[0], values[-1]) - values[0], minlength=values.size)
    return all(_p_value(frequencies, pmf(law), cells) >= FALSE_ALARM / 2 for cells in _cellings(law, samples.size))


def _p_value(frequencies: np.ndarray, probabilities: np.ndarray, cells: np.ndarray) -> float:
    observed = np.add.reduceat(frequencies, cells)
    expected = np.add.reduceat(probabilities, cells) * frequencies.sum()
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, max(1, cells.size - 1)))


def power(wrong: np.ndarray, law: Law, size: int) -> float:
    """Chance that `fits` rejects `size` draws with probabilities `wrong` on `support(law)`, or a little less.

    Noncentral chi-square approximation, of the better of the two tests.
    """
    chances = []
    for cells in _cellings(law, size):
        expected = np.add.reduceat(pmf(law), cells)
        noncentrality = size * ((np.add.reduceat(wrong, cells) - expected) ** 2 / expected).sum()
        freedom = max(1, cells.size - 1)
        critical = stats.chi2.isf(FALSE_ALARM / 2, freedom)
        chances.append(1 - stats.ncx2.cdf(critical, freedom, noncentrality))
    return float(max(chances))


def same_law(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether a two-sample chi-square test accepts that both follow one law; false alarm FALSE_ALARM."""
    pooled = np.sort(np.concatenate([first, second]))
    edges = np.unique(pooled[:: max(2 * _LEAST_EXPECTED, pooled.size // _COARSE_CELLS)])[1:]
    table = [
        np.bincount(np.searchsorted(edges, sample, side="right"), minlength=edges.size + 1)
        for sample in (first, second)
    ]
    return bool(stats.chi2_contingency(np.array(table)).pvalue >= FALSE_ALARM)


def high_precision_cumulative(law: Law, values: Sequence[int], precision: int) -> list[mpmath.mpf]:
    """F(k) for each value, by mpmath, good to well beyond 2^-precision: the definition, summed."""
    with mpmath.workprec(2 * precision + 60):
        if isinstance(law, TwoSidedGeometric):
            ratio = mpmath.exp(-mpmath.mpf(law.epsilon.numerator) / law.epsilon.denominator)
            return [ratio**-k / (1 + ratio) if k < 0 else 1 - ratio ** (k + 1) / (1 + ratio) for k in values]
        rho = mpmath.mpf(law.rho.numerator) / law.rho.denominator
        last = max(int(mpmath.sqrt((precision + 60) / rho)) + 2, *map(abs, values)) + 1
        weights = [mpmath.exp(-rho * k * k) for k in range(last + 1)]
        tails = [mpmath.mpf(0)]  # sum of weights from k on, for k = last + 1, last, ...
        for weight in reversed(weights):
            tails.append(tails[-1] + weight)
        tails.reverse()
        total = 2 * tails[0] - 1
        return [tails[-k] / total if k < 0 else 1 - tails[k + 1] / total for k in values]
