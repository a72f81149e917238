"""Empirical privacy loss (EPL): whether residuals, noisy minus exact, show more privacy loss than was stated.

Source of the estimate: evaluation.md section 3.1; Flaxman and Petti 2020, Supplementary Methods Appendix to
"Differential privacy in the 2020 US census: what will it do?", who give the bandwidth as 0.1 without a unit. Here it is
a factor of the residuals' standard deviation.

The audit compares the estimate with the losses of honest noise at each x:

    lower(x) = |stated(x)| + (|EPL(x)| - typical(x)) - c spread(x)

What these are, how rarely honest noise fails, and why it takes simulation: evaluation.md section 3.3. The bootstrap of
the estimate is too high twice, so it cannot be compared with a stated loss either.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.evaluation.coverage import PublishedNoise
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, is_tabulable
from safetab_sql.published.margins import chances_of

_NARROW = 2.0  # persons; below this bandwidth densities are summed term by term, because they may be tiny in gaps
_REACH = 38.0  # bandwidths; beyond them the kernel is 0 in a double
Blocks = Iterator[tuple[int, Int64s]]  # of sets of residuals: the first value, and counts, int64[sets, n]
_BLOCK = 2**17  # numbers at a time: 1 MiB an array, which a cache holds


@dataclass(frozen=True, slots=True)
class Estimator:
    """The settings of the estimate. bandwidth: a factor of the standard deviation of the residuals.

    percentile: where the search ends, above 50 up to 100; it begins at 100 - percentile.
    """

    bandwidth: float = 0.1
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


def residuals_of(values: Int64s, counts: Int64s | None = None) -> Residuals:
    """The counts of each residual; there must be at least one. counts: how often each value occurs; once by default."""
    first = int(values.min())
    return Residuals(first, np.bincount(values - first, counts).astype(np.int64))


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


def bootstrapped(residuals: Residuals, sets: int, generator: np.random.Generator) -> Blocks:
    """Sets of as many residuals, drawn from `residuals` with replacement; block by block, for `loss_curves`."""
    return _drawn(residuals.first, residuals.counts / residuals.size, (sets, residuals.size), generator)


def simulated(law: Law, size: int, sets: int, generator: np.random.Generator) -> Blocks:
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


def _drawn(first: int, chances: Floats, shape: tuple[int, int], generator: np.random.Generator) -> Blocks:
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


# The audit.

FEWEST_RESIDUALS = 100  # with fewer residuals the estimate is useless
SETS_A_TEST = 100  # simulated sets for each test of an audit: the whole audit has false alarms below 1 %
_REFERENCE_SETS = 400  # for typical(x) and spread(x)
_BOOTSTRAP_SETS = 400
_SEED = 2020  # for simulations and bootstraps: equal residuals get equal verdicts
LARGEST_LOSS = 745.0  # minus the logarithm of the smallest double: used for infinity

RECONCILED = "reconciled"  # what the noise of reconciled counts is called
_UNITS = 24  # of a standard deviation: how finely residuals of different variances are compared
_STANDARD = DiscreteGaussian(Fraction(1, 2 * _UNITS**2))
_BLUR = 1 / 6  # variance of rounding to whole persons, and of undoing it by a uniform number
_LEAST_VARIANCE = 16  # persons squared: from 4 persons on, whole persons hardly show in a residual

_NAMES = (("population_group_level", pa.string()), ("noise", pa.string()))
_FLOATS = ("epl", "epl_lower", "epl_upper", "honest_epl", "honest_upper", "stated_loss")
_LOSSES = pa.schema(
    [
        *(*_NAMES, ("distribution", pa.string()), ("residuals", pa.int64())),
        *(*((name, pa.float64()) for name in _FLOATS), ("worst_x", pa.int64())),
        *(("stated_loss_there", pa.float64()), ("lower_bound_there", pa.float64()), ("passes", pa.bool_())),
    ]
)
_CURVE = pa.schema(
    [("x", pa.int64()), *((name, pa.float64()) for name in ("epl_of_x", "stated_loss", "honest_lower", "honest_upper"))]
)


@dataclass(frozen=True, slots=True)
class LossTest:
    """Residuals, and the law that they should follow. name: name of their level. noise: which law of that level."""

    name: str
    noise: str
    law: Law
    residuals: Residuals

    @property
    def draws(self) -> int:
        """How many independent draws the residuals are worth: reconciled ones depend on each other.

        Source: evaluation.md section 3.5.
        """
        return self.residuals.size * 4 // 5 if self.noise == RECONCILED else self.residuals.size


@dataclass(frozen=True, slots=True)
class LossAudit:
    """The result of a test.

    epl: the estimate, with the 2.5th and 97.5th percentile of its bootstrap. honest_epl, honest_upper: median and
    97.5th percentile of the estimates for honest noise. stated_loss: of one call: epsilon, or the largest loss of the
    law on the range searched. worst_x: where the evidence of a loss above the stated one is clearest.
    stated_loss_there: without its sign. lower_bound_there: the lower confidence bound of the loss, at least 0.
    noticeable: the ratio of the true loss to the stated loss that would be noticed about half the time. curve: x,
    EPL(x), NULL where the residuals were not searched, the stated loss, and the 2.5th and 97.5th percentile of EPL(x)
    of honest noise, x by x.
    """

    test: LossTest
    epl: float
    epl_lower: float
    epl_upper: float
    honest_epl: float
    honest_upper: float
    stated_loss: float
    worst_x: int
    stated_loss_there: float
    lower_bound_there: float
    noticeable: float
    curve: pa.Table

    @property
    def passes(self) -> bool:
        """Whether the lower bound exceeds the stated loss nowhere."""
        return self.lower_bound_there <= self.stated_loss_there


def audit_losses(tests: Sequence[LossTest], estimator: Estimator) -> list[LossAudit]:
    """An audit of every test that has enough residuals and a law that can be tabulated."""
    wanted = [test for test in tests if test.residuals.size >= FEWEST_RESIDUALS and is_tabulable(test.law)]
    generator = np.random.default_rng(_SEED)
    return [_audited(test, estimator, SETS_A_TEST * len(wanted), generator) for test in wanted]


def _audited(test: LossTest, estimator: Estimator, sets: int, generator: np.random.Generator) -> LossAudit:
    residuals, values = test.residuals, law_range(test.law, estimator)
    found, (epl,) = _searched([(residuals.first, residuals.counts[np.newaxis, :])], values, estimator)
    reference, honest_epls = _searched(simulated(test.law, test.draws, _REFERENCE_SETS, generator), values, estimator)
    further, _ = _searched(simulated(test.law, test.draws, sets, generator), values, estimator)
    _, bootstrap = _searched(bootstrapped(residuals, _BOOTSTRAP_SETS, generator), values, estimator)
    stated = stated_losses(test.law, values)
    typical, spread, factor = _honest(np.abs(reference), np.abs(further))
    above = np.abs(found[0]) - typical
    lower = np.abs(stated) + above - factor * spread
    worst = int(np.argmax(np.where(np.isnan(lower), -np.inf, above / spread)))
    curve = (found[0], stated, _percentiles(reference, 2.5), _percentiles(reference, 97.5))
    return LossAudit(
        test=test,
        epl=float(epl),
        epl_lower=_percentile(bootstrap, 2.5),
        epl_upper=_percentile(bootstrap, 97.5),
        honest_epl=_percentile(honest_epls, 50),
        honest_upper=_percentile(honest_epls, 97.5),
        stated_loss=float(np.abs(stated).max()),
        worst_x=int(values[worst]),
        stated_loss_there=float(abs(stated[worst])),
        lower_bound_there=float(np.fmax(lower[worst], 0.0)),
        noticeable=1 + float(np.min(factor * spread / np.maximum(typical, 1e-300))),
        curve=pa.table([values, *(pa.array(each, from_pandas=True) for each in curve)], schema=_CURVE),
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


def _honest(reference: Floats, further: Floats) -> tuple[Floats, Floats, float]:
    """Typical value and spread of |EPL(x)| for honest noise, float64[n] each, and the factor c: see the module.

    reference, further: |EPL(x)| of sets of honest noise, float64[sets, n].
    """
    typical = _percentiles(reference, 50)
    spread = np.maximum(_percentiles(reference, 84) - typical, 1e-9)
    strays = (further - typical) / spread
    return typical, spread, float(np.max(strays, initial=0.0, where=~np.isnan(strays)))


def _percentiles(sets: Floats, percent: float) -> Floats:
    """The percentile of each column of float64[sets, n], which is one of its values; NaN is ignored."""
    ordered = np.sort(sets, axis=0)  # NaN last
    known = (~np.isnan(ordered)).sum(axis=0)
    places = np.maximum(0, np.ceil(percent / 100 * known).astype(np.int64) - 1)
    return np.asarray(ordered[places, np.arange(sets.shape[1])], dtype=np.float64)


def _percentile(values: Floats, percent: float) -> float:
    return float(_percentiles(values[:, np.newaxis], percent)[0])


def loss_tests(database: Database, noises: Sequence[PublishedNoise]) -> list[LossTest]:
    """The free residuals of every law of published noise that has any. Table `count_errors` must exist.

    Reconciled folders hold the counts as the noise left them, too: these, then the reconciled ones.
    """
    database.create(sql_files()["residuals"])
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in database.table("residuals").to_pylist():
        found.setdefault((row["population_group_level"], row["noise"]), []).append((row["residual"], row["counts"]))
    drawn = [
        LossTest(noise.level, noise.noise, noise.law, residuals_of(*np.array(found[noise.level, noise.noise]).T))
        for noise in noises
        if (noise.level, noise.noise) in found
    ]
    return drawn + reconciled_tests(database, noises)


def reconciled_tests(database: Database, noises: Sequence[PublishedNoise]) -> list[LossTest]:
    """The free residuals of reconciled counts, each in units of its own law: none where no count was reconciled.

    A reconciled count is a sum of many draws, close to normal, with a variance of its own. Its residual is measured in
    24ths of its standard deviation, so that all residuals of a level have one law, and blurred by up to half a person
    either way, because whole persons would show. Only sums of discrete Gaussians are near normal, and only where stage
    1 is not published: then a choice shapes them. Table `count_errors` must exist. Source: evaluation.md section 3.5.
    """
    ours = [noise for noise in noises if noise.is_reconciled and not noise.publishes_stage_1]
    if not all(isinstance(noise.law, DiscreteGaussian) for noise in ours) or not ours:
        return []
    generator, tests = np.random.default_rng(_SEED), []
    found = database.select(sql_files()["reconciled_residuals"], {"least_variance": _LEAST_VARIANCE})
    rows = found.sort_by([(name, "ascending") for name in found.column_names])  # as the blur is: equal each time
    levels = rows["population_group_level"].to_numpy(zero_copy_only=False)
    for level in dict.fromkeys(noise.level for noise in ours):
        here = rows.filter(pa.array(levels == level))
        if here.num_rows:
            errors, spread, counts = (here[name].to_numpy() for name in ("error", "variance", "counts"))
            errors, spread = np.repeat(errors, counts), np.repeat(spread, counts)
            blurred = errors + generator.uniform(-0.5, 0.5, errors.size)
            units = np.rint(_UNITS * blurred / np.sqrt(spread + _BLUR)).astype(np.int64)
            tests.append(LossTest(level, RECONCILED, _STANDARD, residuals_of(units)))
    return tests


def loss_table(audits: Sequence[LossAudit]) -> pa.Table:
    """Table `epl` of an evaluation: one row per audit."""
    rows = []
    for audit in audits:
        test, found = audit.test, (getattr(audit, name) for name in _LOSSES.names[4:])
        rows.append((test.name, test.noise, test.law.name, test.residuals.size, *found))
    return pa.Table.from_pylist([dict(zip(_LOSSES.names, row, strict=True)) for row in rows], _LOSSES)


def curve_table(audits: Sequence[LossAudit]) -> pa.Table:
    """Table `epl_curve` of an evaluation: one row per audit and integer x on the range searched."""
    schema, parts = pa.schema([*_NAMES, *_CURVE]), []
    for audit in audits:
        names = (pa.repeat(name, audit.curve.num_rows) for name in (audit.test.name, audit.test.noise))
        parts.append(pa.table([*names, *audit.curve.columns], schema=schema))
    return pa.concat_tables([schema.empty_table(), *parts])
