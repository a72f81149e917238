"""The exact law of what calibration leaves of the noise: against enumeration, simulation, and its own bound."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from safetab_sql.histograms.public.domains import Domain, margin
from safetab_sql.histograms.published import calibration
from safetab_sql.histograms.published.calibration import (
    RowNoise,
    SetPart,
    calibrated_cells,
    calibrated_uncertainty,
    part_law,
    part_variance,
    row_margin,
)
from safetab_sql.laws.cumulative import variance
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from safetab_sql.published.intervals import NoiseTerm, sum_margin_of_error
from tests.statistics import FALSE_ALARM, recorded_bits

# epsilon, rows, cells of a row: one set of all cells, as reviewed
REVIEWED = ((8, 130, 76), (8, 20, 50), (6, 500, 10), (7, 300, 30))


def one_part(part: SetPart) -> RowNoise:
    return RowNoise(0, ((part, 1),))


def enumerated(part: SetPart, law: TwoSidedGeometric, reach: int) -> dict[int, float]:
    """The law of a part by going through every noise up to `reach` and every choice of cells."""
    ratio = math.exp(-law.epsilon)
    found: dict[int, float] = {}
    for noises in itertools.product(range(-reach, reach + 1), repeat=part.cells):
        chance = math.prod((1 - ratio) / (1 + ratio) * ratio ** abs(noise) for noise in noises)
        each, left = divmod(-sum(noises), part.cells)
        choices = list(itertools.combinations(range(part.cells), left))
        for choice in choices:
            error = sum(noises[: part.ours]) + part.ours * each + sum(place < part.ours for place in choice)
            found[error] = found.get(error, 0) + chance / len(choices)
    return found


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(2, 1, "3"), (3, 1, "2.5"), (3, 2, "2.5"), (4, 2, "4")])
def test_the_law_of_a_small_set_is_that_of_enumeration(cells, ours, epsilon):
    part, law = SetPart(cells, ours), TwoSidedGeometric(Fraction(epsilon))
    wanted, found = enumerated(part, law, 8 if cells < 4 else 5), part_law(part, law)
    middle = found.size // 2
    assert max(abs(found[middle + error] - wanted.get(error, 0)) for error in range(-4, 5)) < 1e-7
    assert part_variance(part, law) == pytest.approx(sum(e**2 * p for e, p in wanted.items()), rel=1e-5)


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(9880, 76, "8"), (1000, 50, "8"), (40, 13, "0.3"), (7, 6, "1")])
def test_the_variance_is_that_of_the_law(cells, ours, epsilon):
    part, law = SetPart(cells, ours), TwoSidedGeometric(Fraction(epsilon))
    found = part_law(part, law)
    errors = np.arange(found.size) - found.size // 2
    assert part_variance(part, law) == pytest.approx(float((errors**2 * found).sum()), rel=1e-6)


def simulated_errors(epsilon: int, rows: int, cells: int, draws: int) -> np.ndarray:
    """Errors of the first row in `draws` noises: independent of one another."""
    law, size = TwoSidedGeometric(Fraction(epsilon)), rows * cells
    sets, total = np.zeros(size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    noises = draw(law, draws * size, recorded_bits(f"calibrated {epsilon} {rows} {cells}")).reshape(draws, size)
    return np.array([calibrated_cells(noise, sets, total)[:cells].sum() for noise in noises])


@pytest.mark.parametrize(("epsilon", "rows", "cells"), REVIEWED)
@pytest.mark.each_time("8-20-50", "6-500-10")
def test_errors_follow_the_law_and_lie_within_the_margin(epsilon, rows, cells):
    """1,000 noises. Chi-square of 0 against the rest, and an exact binomial test; false alarm 2e-6 on fresh bits."""
    part, law = SetPart(rows * cells, cells), TwoSidedGeometric(Fraction(epsilon))
    errors, found = simulated_errors(epsilon, rows, cells, 1000), part_law(part, law)
    zeros = int((errors == 0).sum())
    assert stats.binomtest(zeros, errors.size, float(found[found.size // 2])).pvalue >= FALSE_ALARM
    covered = int((np.abs(errors) <= row_margin(one_part(part), law)).sum())
    assert stats.binom.cdf(covered, errors.size, 0.95) >= FALSE_ALARM


@pytest.mark.parametrize(("epsilon", "rows", "cells"), REVIEWED)
def test_the_margin_is_the_smallest_that_covers_95_percent(epsilon, rows, cells):
    part, law = SetPart(rows * cells, cells), TwoSidedGeometric(Fraction(epsilon))
    found, moe95 = part_law(part, law), int(row_margin(one_part(part), law))
    middle = found.size // 2
    assert found[middle - moe95 : middle + moe95 + 1].sum() >= 0.95
    assert found[middle - moe95 + 1 : middle + moe95].sum() < 0.95
    assert 0.05 < part_variance(part, law) < 0.07


def test_what_is_in_no_set_keeps_its_margin():
    law = TwoSidedGeometric(Fraction(1, 3))
    assert row_margin(RowNoise(7, ()), law) == sum_margin_of_error(law, 7)


def test_a_row_of_several_sets_and_other_cells_adds_independent_errors():
    law, parts = TwoSidedGeometric(Fraction(1, 2)), ((SetPart(6, 2), 2), (SetPart(10, 3), 1))
    row = RowNoise(2, parts)
    pieces = [part_law(part, law) for part, number in parts for _ in range(number)]
    own = calibration._sum_pmf(NoiseTerm(law, 1, 2))
    summed = own
    for piece in pieces:
        summed = np.convolve(summed, piece)
    middle = summed.size // 2
    covered = np.cumsum(np.concatenate([summed[middle : middle + 1], 2 * summed[middle + 1 :]]))
    assert row_margin(row, law) == int(np.argmax(covered >= 0.95))


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(100, 5, "0.1"), (2000, 40, "0.5"), (60, 30, "0.05")])
@pytest.mark.each_time("2000-40")
def test_where_the_law_is_too_large_the_margin_is_a_little_more(monkeypatch, cells, ours, epsilon):
    row, law = one_part(SetPart(cells, ours)), TwoSidedGeometric(Fraction(epsilon))
    exact = row_margin(row, law)
    part_law.cache_clear()
    monkeypatch.setattr(calibration, "_LARGEST_LAW", 0)
    bound = row_margin(row, law)
    part_law.cache_clear()
    assert exact <= bound <= 1.25 * exact + 2


def test_rows_that_add_up_different_parts_have_margins_of_their_own():
    """Two sets, of 4 and 8 cells, and 4 cells in none: each row against its own law."""
    domains = (Domain("S", ("S",), values=(("a",), ("b",), ("c",), ("d",))), Domain("A", ("A",), minimum=0, maximum=3))
    sets = np.repeat([0, 1, 1, -1], 4), np.array([4, 8])
    law = TwoSidedGeometric(Fraction(1, 4))
    variances, moe95s = calibrated_uncertainty(margin("m", ["S"], domains), domains, law, sets)
    half = one_part(SetPart(8, 4))
    assert moe95s.tolist() == [0, row_margin(half, law), row_margin(half, law), sum_margin_of_error(law, 4)]
    wanted = [0, part_variance(SetPart(8, 4), law), part_variance(SetPart(8, 4), law), 4 * float(variance(law))]
    assert variances.tolist() == pytest.approx(wanted)
