"""Noisy cells adjusted to public totals, in integers; this module sees only noisy counts and public totals.

Least squares in whole numbers; totals that noise does not explain are left out: histograms.md section 2.4.

The noise that calibration leaves in sums of cells has exact variances, and margins of error from its exact law. Take a
set of n cells with noises G_i and a public total, and let T be the sum of all G_i. Calibration adds floor(-T / n) to
every cell, and one more to (-T mod n) of the cells, chosen uniformly. The error of a row with s of these cells is

    E = A + s floor(-T / n) + K,    A: its own noises,    K: how many of its s cells are among the (-T mod n)

so K is hypergeometric given T. Sets are disjoint, and the errors of a row's sets and other cells are independent.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, exp2, expm1, log, log1p, pi, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec, FixedTotals
from safetab_sql.histograms.public.domains import (
    Domain,
    Margin,
    cell_count,
    codes_of_cells,
    columns_of,
    margin,
    values_of_cells,
)
from safetab_sql.histograms.published.sampling import generator
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.noise import Law, TwoSidedGeometric, variance
from safetab_sql.published.file_notes import described_counts
from safetab_sql.published.margins import NoiseTerm, coarse_margin, reach_of_terms, sum_margin_of_error
from safetab_sql.settings.tables import table

Sets = tuple[Int64s, Int64s]  # of calibrated cells: the set of each, -1 for none; how many cells each set has
CellStretch = tuple[Int64s, Int64s]  # ids and noisy counts of some cells; all other cells of the stretch are 0

_STRETCH = 2**21  # calibrated cells written at a time
_UNEXPLAINED = 1e-9  # chance that a true total is left out, at most
_LARGEST_LAW = 2**23  # numbers computed for one exact law; beyond that a margin is a bound
_LARGEST_SUM = 2**21  # values of the sum of a row's sets
_LARGEST_COARSE = 2**20  # points of the lattice of a bound
_BLOCK = 2**20  # numbers at a time
_NEGLIGIBLE = 1e-13  # probability that a law leaves out
_SMALL = np.cumsum(np.log(np.maximum(1, np.arange(16))))  # log(k!) for k < 16
_ROUNDING_CHANCE = 1e-3  # in a bound: chance that the rounding moves a sum by more than the margin allows for it


@table
class TotalLeftOut:
    """A public total that counts were not calibrated to, and the noisy sum that it is too far from."""

    name: str
    total: float
    noisy_sum: float


def of_units(units: int, unit: Fraction) -> float:
    """A count of units as records, or as the sum of weights that it stands for."""
    return units if unit == 1 else float(units * unit)


def shown_count(count: float) -> str:
    """A count, or a sum of weights, for people to read."""
    return f"{count:,}".removesuffix(".0")


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCells:
    """The noisy cells of a histogram as they are published. stretches: read once; uncalibrated cells are drawn then.

    sets: of calibrated cells. left_out: totals that noise does not explain, whose cells are in no set; None where there
    are no totals. is_withheld: bool[cells], those that are not published; None if all are.
    """

    stretches: Iterable[CellStretch]
    law: TwoSidedGeometric
    sets: Sets | None = None
    left_out: tuple[TotalLeftOut, ...] | None = None
    is_withheld: NDArray[np.bool_] | None = None


def calibrated(
    stretches: Iterable[CellStretch], fixed: FixedTotals | None, law: TwoSidedGeometric, *, withhold: bool = False
) -> NoisyCells:
    """The cells of a histogram, adjusted to the public totals that noise can explain; as they are without totals.

    withhold: the cells of the other totals. Source: histograms.md section 2.4.
    """
    if fixed is None:
        return NoisyCells(stretches, law)
    noisy_counts = np.zeros(cell_count(fixed.margin.of), dtype=np.int64)
    for cell_ids, counts in stretches:
        noisy_counts[cell_ids] = counts
    sets = fixed.sets_of_cells()
    sums, sizes = fixed.sums(sets, noisy_counts), np.bincount(sets[sets >= 0], minlength=fixed.totals.size)
    limits = {cells: largest_noise(law, cells) for cells in set(sizes.tolist())}
    is_kept = np.abs(sums - fixed.totals) <= np.array([limits[cells] for cells in sizes.tolist()])
    number = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    kept = np.where(sets >= 0, number[sets], -1)
    left_out = [
        TotalLeftOut(fixed.names[place], *(of_units(int(of[place]), fixed.unit) for of in (fixed.totals, sums)))
        for place in np.flatnonzero(~is_kept)
    ]
    cells = calibrated_cells(noisy_counts, kept, fixed.totals[is_kept])
    is_withheld = (sets >= 0) & (kept < 0) if withhold else None
    return NoisyCells(_nonzero(cells), law, (kept, sizes[is_kept]), tuple(left_out), is_withheld)


def _nonzero(cells: Int64s) -> Iterator[CellStretch]:
    for first in range(0, cells.size, _STRETCH):
        kept = first + np.flatnonzero(cells[first : first + _STRETCH])
        yield kept, cells[kept]


def largest_noise(law: TwoSidedGeometric, draws: int) -> int:
    """Some m with P(|sum of the draws| > m) <= 10^-9: Chernoff's bound, the best of a few."""
    ratio = exp(-float(law.epsilon))

    def log_moment(theta: float) -> float:
        # E e^(theta G) = (1 - t)^2 / ((1 - t e^theta)(1 - t e^-theta)), and 1 - t = -expm1(-epsilon)
        own = 2 * log(-expm1(-float(law.epsilon)))
        return own - log(-expm1(theta - float(law.epsilon))) - log1p(-ratio * exp(-theta))

    thetas = [float(law.epsilon) * (1 - exp2(-step / 4)) for step in range(1, 80)]
    thetas += [float(law.epsilon) * exp2(-step / 2) for step in range(2, 60)]
    return ceil(min((log(2 / _UNEXPLAINED) + draws * log_moment(theta)) / theta for theta in thetas))


def calibrated_cells(noisy_counts: Int64s, sets: Int64s, totals: Int64s) -> Int64s:
    """The adjusted cells; each set adds up to its total exactly: int64[cells].

    sets: the set of each cell, or -1 for a cell in no set, which stays as it is. totals: int64[sets]; every set has a
    cell. Source: histograms.md section 2.4.
    """
    seed = int.from_bytes(hashlib.sha256(noisy_counts.tobytes()).digest())
    order = np.lexsort((generator(seed).permutation(sets.size), sets))
    order = order[np.searchsorted(sets[order], 0) :]
    set_of, cells = sets[order], np.bincount(sets[order], minlength=totals.size)
    sums = np.zeros(totals.size, dtype=np.int64)
    np.add.at(sums, set_of, noisy_counts[order])
    each, left = np.divmod(totals - sums, cells)
    places = np.arange(order.size) - (np.cumsum(cells) - cells)[set_of]
    adjusted = noisy_counts.copy()
    adjusted[order] += each[set_of] + (places < left[set_of])
    return adjusted


@dataclass(frozen=True, slots=True, order=True)
class SetPart:
    """The part of one set that is in a row: `ours` of `cells` cells, at least one and not all."""

    cells: int
    ours: int


@dataclass(frozen=True, slots=True)
class RowNoise:
    """The cells that a row adds up: `free` cells that are in no set, and a number of parts of each kind."""

    free: int
    parts: tuple[tuple[SetPart, int], ...]


def part_variance(part: SetPart, law: TwoSidedGeometric) -> float:
    """Variance of the error of a part, exactly, persons squared.

    The noises contribute s (n - s) / n v, because E[K | T] compensates the remainder; K around that mean, given T,
    contributes s (n - s) / (n^2 (n - 1)) times the mean of r (n - r), with r = -T mod n.
    """
    n, s = part.cells, part.ours
    return s * (n - s) / n * (float(variance(law)) + mean_spread(law, n) / (n * (n - 1)))


@lru_cache(maxsize=4096)
def mean_spread(law: TwoSidedGeometric, cells: int) -> float:
    """The mean of r (n - r), with r the sum of n = `cells` noises modulo n.

    Fourier transforms around the circle of n, at j = 1, ..., n - 1: r (n - r) has -n / (2 sin^2(pi j / n)), the law of
    r has f = (1 + 2 v sin^2(pi j / n))^-n; so the mean is half the sum of (1 - f) / sin^2(pi j / n).
    """
    squares = np.sin(np.pi * np.arange(1, cells) / cells) ** 2
    missing = -np.expm1(-cells * np.log1p(2 * float(variance(law)) * squares))
    return float((missing / squares).sum() / 2)


def row_margin(row: RowNoise, law: TwoSidedGeometric) -> float:
    """MOE95 of the sum of a row, persons: the smallest m with P(|error| <= m) >= 0.95, from its exact law.

    If that law is too large to compute, a slightly larger bound: see `_bound`.
    """
    if not row.parts and not row.free:
        return 0.0
    pieces = [(part_law(part, law), number) for part, number in row.parts]
    reach = (reach_of_terms([NoiseTerm(law, 1, row.free)]) if row.free else 0) + sum(
        number * (of.size // 2) for of, number in pieces
    )
    if 2 * reach > _LARGEST_SUM or not all(of.size for of, _ in pieces):
        return float(_bound(row, law))
    size = 1 << (2 * reach + 1).bit_length()
    transform = _transform(law, size) ** row.free
    for of, number in pieces:
        around = np.zeros(size)
        around[np.arange(-(of.size // 2), of.size // 2 + 1) % size] = of
        transform = transform * np.fft.rfft(around).real ** number
    summed = np.fft.irfft(transform, size)
    covered = np.cumsum(np.concatenate([summed[:1], 2 * summed[1 : reach + 1]]))
    return float(np.argmax(covered >= 0.95 * summed.sum()))


@lru_cache(maxsize=256)
def part_law(part: SetPart, law: TwoSidedGeometric) -> Floats:
    """Probabilities of the error of a part at -m, ..., m, symmetric; empty if they are too many to compute."""
    n, s = part.cells, part.ours
    own, rest = NoiseTerm(law, 1, s), NoiseTerm(law, 1, n - s)
    of_total = reach_of_terms([NoiseTerm(law, 1, n)])
    scaled = (NoiseTerm(law, Fraction(n - s, n), s), NoiseTerm(law, Fraction(s, n), n - s))
    window = 1 + min(s, n - s, ceil(sqrt(min(s, n - s) * log(2 / _NEGLIGIBLE) / 2)))
    reach = reach_of_terms(scaled) + 1
    size = 1 << (2 * (reach + window) + 1).bit_length()
    if (2 * of_total + 1) * size > _LARGEST_LAW:
        return np.empty(0)
    steps, offsets = np.arange(-reach, reach + 1), np.arange(-window, window + 1)
    transform = np.zeros(size // 2 + 1, dtype=np.complex128)
    for totals in np.array_split(np.arange(-of_total, of_total + 1), 1 + (2 * of_total + 1) * size // _BLOCK):
        floors, left = np.divmod(-totals, n)
        middles = -((2 * s * totals + n) // (2 * n))  # about s floor(-T / n) + K, which is that and an offset
        owns = steps - middles[:, None]
        joint, spread = np.zeros((totals.size, size)), np.zeros((totals.size, size))
        joint[:, steps % size] = _sum_chances(own, owns) * _sum_chances(rest, totals[:, None] - owns)
        chosen = (middles - s * floors)[:, None] + offsets
        spread[:, offsets % size] = _hypergeometric_chances(n, s, left[:, None], chosen)
        transform += (np.fft.rfft(joint) * np.fft.rfft(spread)).sum(axis=0)
    found = np.fft.irfft(transform, size)[np.arange(-(reach + window), reach + window + 1) % size]
    symmetric = np.maximum(0.0, found + found[::-1])
    return np.asarray(symmetric / symmetric.sum())


def _transform(law: Law, size: int) -> Floats:
    """The characteristic function at 2 pi j / size, j = 0, ..., size / 2: 1 / (1 + 2 v sin^2(pi j / size))."""
    angles = np.pi * np.arange(size // 2 + 1) / size
    return np.asarray(1 / (1 + 2 * float(variance(law)) * np.sin(angles) ** 2))


def _sum_chances(term: NoiseTerm, values: Int64s) -> Floats:
    """P(sum of the draws of `term` = value) for each value."""
    pmf = _sum_pmf(term)
    reach = pmf.size // 2
    return np.asarray(np.where(np.abs(values) > reach, 0.0, pmf[np.clip(values, -reach, reach) + reach]))


@lru_cache(maxsize=64)
def _sum_pmf(term: NoiseTerm) -> Floats:
    """P(sum of the draws of `term` = k) for k = -reach, ..., reach."""
    reach = reach_of_terms([term])
    size = 1 << (2 * reach + 1).bit_length()
    around = np.fft.irfft(_transform(term.law, size) ** term.draws, size)
    return np.asarray(np.maximum(0.0, around[np.arange(-reach, reach + 1) % size]))


def _hypergeometric_chances(cells: int, ours: int, left: Int64s, chosen: Int64s) -> Floats:
    """P(K = k) for each k of `chosen`: of `left` cells drawn from `cells`, so many are among `ours`."""
    low, high = np.maximum(0, ours + left - cells), np.minimum(ours, left)
    is_possible = (low <= chosen) & (chosen <= high)
    k = np.clip(chosen, low, high)
    ways = _log_ways(left, k) + _log_ways(cells - left, ours - k)
    chances = np.where(is_possible, np.exp(ways - _log_ways(np.array(cells), np.array(ours))), 0.0)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _log_ways(of: Int64s, chosen: Int64s) -> Floats:
    """Logarithm of the binomial coefficient."""
    return _log_factorial(of) - _log_factorial(chosen) - _log_factorial(of - chosen)


def _log_factorial(numbers: Int64s) -> Floats:
    """log(k!) by Stirling's series; for numbers below 16 from a table."""
    x = np.maximum(numbers, 16).astype(np.float64)
    series = (x + 0.5) * np.log(x) - x + log(2 * pi) / 2 + 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5)
    return np.where(numbers < 16, _SMALL[np.minimum(numbers, 15)], series)


def _bound(row: RowNoise, law: TwoSidedGeometric) -> int:
    """Some m with P(|error| <= m) >= 0.95, persons.

    The error is M + R. M, its mean given the noises, is a weighted sum of them: (1 - s/n) of a row's own and -s/n of
    the others of a set. R is K less its mean, of all sets: at most h but for a chance u, and m is h and the margin of M
    at 0.95 + u. The moments of K are at most the moments of s independent draws (Hoeffding 1963, Theorem 4), and so are
    the moments of the set's cells outside the row, with the sign changed; so h is Chernoff's, the best of a few.
    """
    terms = [NoiseTerm(law, 1, row.free)] if row.free else []
    for part, number in row.parts:
        n, s = part.cells, part.ours
        terms += [NoiseTerm(law, Fraction(n - s, n), number * s), NoiseTerm(law, Fraction(s, n), number * (n - s))]
    wanted = log(2 / _ROUNDING_CHANCE)
    spread = min(
        (wanted + sum(number * _log_moment(part, law, theta) for part, number in row.parts)) / theta
        for theta in (exp2(step / 2) for step in range(-24, 8))
    )
    margin = coarse_margin(tuple(terms), 0.95 + _ROUNDING_CHANCE, largest=_LARGEST_COARSE)
    return margin + ceil(spread)


@lru_cache(maxsize=4096)
def _log_moment(part: SetPart, law: TwoSidedGeometric, theta: float) -> float:
    """Upper bound of log E[e^(theta R)] and log E[e^(-theta R)] of one part: the law of r is symmetric around n / 2."""
    left = np.arange(part.cells) / part.cells
    size = min(part.ours, part.cells - part.ours)
    logs = size * (np.log1p(left * expm1(theta)) - left * theta)
    largest = float(logs.max())
    return largest + log(float((_left_chances(law, part.cells) * np.exp(logs - largest)).sum()))


@lru_cache(maxsize=16)
def _left_chances(law: TwoSidedGeometric, cells: int) -> Floats:
    """P(r) for r = 0, ..., n - 1: the sum of n = `cells` noises modulo n."""
    around = np.maximum(0.0, np.fft.irfft(_transform(law, cells) ** cells, cells))
    return np.asarray(around / around.sum())


# Noisy cells added up to margins, and both as Parquet files; this module sees only noisy counts and public domains.

_ROW_GROUP = 2**20


def margin_sums(
    stretches: Iterable[CellStretch], domains: Sequence[Domain], margins: Sequence[Margin]
) -> tuple[Int64s, ...]:
    """The sum of the noisy cells in each row of each margin: one int64[rows] for each margin."""
    sums = tuple(np.zeros(margin.rows, dtype=np.int64) for margin in margins)
    for cell_ids, noisy_counts in stretches:
        codes = codes_of_cells(cell_ids, domains)
        for each, total in zip(margins, sums, strict=True):
            np.add.at(total, each.rows_of_cells(codes), noisy_counts)
    return sums


def rows_with_cells(margin: Margin, is_withheld: NDArray[np.bool_] | None) -> Int64s:
    """The rows of a margin that add up some cell that is not withheld: int64[n]."""
    if is_withheld is None:
        return np.arange(margin.rows, dtype=np.int64)
    return np.unique(margin.rows_of_every_cell()[~is_withheld])


def write_histogram(
    folder: Path, spec: BottomUpSpec, noisy: NoisyCells, rows: Sequence[Int64s], notes: Mapping[str, str]
) -> None:
    """Write margins/, rows in the order of the domains, and cells.parquet if asked for.

    rows: of each margin, that are published. notes: of each file.
    """
    written = _written_cells(folder, spec, noisy, notes) if spec.said.publish_cells else noisy.stretches
    sums = margin_sums(written, spec.domains, spec.margins)
    (folder / "margins").mkdir()
    for each, own, total in zip(spec.margins, rows, sums, strict=True):
        uncertainty = (of[own] for of in margin_uncertainty(each, noisy.law, noisy.sets))
        table = _published(each.values(own), total[own], uncertainty, spec.unit)
        description = f"Margin {each.name}. One row per combination of {', '.join(each.columns)}."
        with pq.ParquetWriter(folder / f"margins/{each.name}.parquet", table.schema, compression="zstd") as writer:
            writer.write_table(table, row_group_size=_ROW_GROUP)
            writer.add_key_value_metadata(described_counts(notes, description))


def _written_cells(
    folder: Path, spec: BottomUpSpec, noisy: NoisyCells, notes: Mapping[str, str]
) -> Iterator[CellStretch]:
    """The stretches, unchanged; the cells that are not 0, and not withheld, are also written to cells.parquet."""
    domains = () if noisy.sets is None else spec.domains  # cells that are not calibrated are alike: one tells of all
    cells, withheld = margin("cells", columns_of(domains), domains), noisy.is_withheld
    every_cell = margin_uncertainty(cells, noisy.law, noisy.sets)
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for cell_ids, noisy_counts in noisy.stretches:
            here = np.arange(cell_ids.size) if withheld is None else np.flatnonzero(~withheld[cell_ids])
            values = values_of_cells(cell_ids[here], spec.domains)
            uncertainty = (of.take(cell_ids[here], mode="clip") for of in every_cell)
            table = _published(values, noisy_counts[here], uncertainty, spec.unit)
            if writer is None:
                path = folder / "cells.parquet"
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema, compression="zstd"))
            writer.write_table(table, row_group_size=_ROW_GROUP)
            yield cell_ids, noisy_counts
        if writer is not None:
            description = "Cells whose noisy count is not 0. One row per cell."
            writer.add_key_value_metadata(described_counts(notes, description))


def margin_uncertainty(margin: Margin, law: TwoSidedGeometric, sets: Sets | None) -> tuple[Floats, Floats]:
    """Variance and MOE95 of each row of a margin, from exact laws, or as `calibrated_uncertainty`."""
    if sets is not None:
        return calibrated_uncertainty(margin, law, sets)
    distinct, place = np.unique(margin.cells_of_rows(), return_inverse=True)
    variances = np.array([float(int(number) * variance(law)) for number in distinct])[place]
    margins = np.array([float(sum_margin_of_error(law, int(number))) for number in distinct])[place]
    return variances, margins


def calibrated_uncertainty(margin: Margin, law: TwoSidedGeometric, sets: Sets) -> tuple[Floats, Floats]:
    """Variance, exact, and MOE95, of `row_margin`, of each row of calibrated cells; both are 0 if a total fixes it."""
    row_of, (set_of, sizes) = margin.rows_of_every_cell(), sets
    is_free, set_count = set_of < 0, max(1, sizes.size)
    free = np.bincount(row_of[is_free], minlength=margin.rows)  # cells of each row that are in no set
    shared, ours = np.unique(row_of[~is_free] * set_count + set_of[~is_free], return_counts=True)
    rows, cells = shared // set_count, sizes[shared % set_count]  # of each row and set that share `ours` cells
    is_open = ours < cells  # a set that lies wholly within the row adds its total, and no noise
    rows, kinds = rows[is_open], np.stack([cells, ours])[:, is_open]
    distinct, kind_of = np.unique(kinds, axis=1, return_inverse=True)
    parts = [SetPart(int(whole), int(number)) for whole, number in distinct.T]
    variances: Floats = free.astype(np.float64) * float(variance(law))
    np.add.at(variances, rows, np.array([part_variance(part, law) for part in parts])[kind_of.ravel()])
    firsts = np.searchsorted(rows, np.arange(margin.rows + 1))
    moe95s = np.zeros(margin.rows)
    alike, places = _alike(free, rows, kind_of.ravel(), len(parts))
    for number, row in enumerate(alike.tolist()):
        found = Counter(kind_of.ravel()[firsts[row] : firsts[row + 1]].tolist())
        noise = RowNoise(int(free[row]), tuple((parts[kind], times) for kind, times in sorted(found.items())))
        moe95s[places == number] = row_margin(noise, law)
    return variances, moe95s


def _alike(free: Int64s, rows: Int64s, kinds: Int64s, kind_count: int) -> tuple[Int64s, Int64s]:
    """One row of each class of rows with equal numbers of parts of each kind, and the class of each row.

    Rows are distinguished by a sum of 64-bit numbers, one for each kind of part, from a generator with a fixed seed.
    """
    marks = generator(0).integers(0, 2**63, kind_count + 1, dtype=np.uint64)
    sums = free.astype(np.uint64) * marks[-1]
    np.add.at(sums, rows, marks[kinds])
    _, firsts, places = np.unique(sums, return_index=True, return_inverse=True)
    return firsts, places.ravel()


def _published(values: dict[str, pa.Array], counts: Int64s, uncertainty: Iterable[Floats], unit: Fraction) -> pa.Table:
    """The rows of a file; COUNT is stored as bigint, or as double where a unit is a fraction."""
    variances, moe95s = uncertainty
    shown = counts if unit == 1 else times(counts, unit)
    return pa.table({**values, "COUNT": shown, "VARIANCE": times(variances, unit**2), "MOE95": times(moe95s, unit)})


def times(values: Int64s | Floats, factor: Fraction) -> Floats:
    """The products, as near as floats can be where numerators are small."""
    return np.asarray(values * factor.numerator / factor.denominator, dtype=np.float64)
