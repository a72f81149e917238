"""How cells follow from coarser tables that are measured too: least squares, without bias, in whole numbers."""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.public.measured import Measurement, measurement
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladder_tables import TOTAL, CoarserTable, Statistic

SHARES = tuple(map(Fraction, ("0.05", "0.1", "0.05")))
SEX, AGE = np.repeat([0, 1], 6), np.tile(np.arange(6), 2)
TABLES = (np.zeros(12, np.int64), SEX, 3 * SEX + AGE // 2)  # the total, sex, and sex by three ages
MEMBERS = (*(tuple(table.tolist()) for table in TABLES), tuple(range(12)))
STATISTIC = Statistic(
    "sex by six ages",
    (("SEX", "each"), ("AGE", "six")),
    tuple(CoarserTable(share, table=name) for share, name in zip(SHARES, (TOTAL, "sex", "three"), strict=True)),
)
DEFINITIONS: tuple[PrivacyDefinition, ...] = ("zcdp", "puredp")


def rows() -> np.ndarray:
    """What each draw measures: int64[draws, cells]."""
    coarser = [np.eye(1 + max(each), dtype=np.int64)[list(each)].T for each in MEMBERS]
    return np.vstack(coarser)


def spread(found: Measurement, definition: PrivacyDefinition) -> list[Fraction]:
    """The variance of each draw, as a multiple of a cell's."""
    power = 1 if definition == "zcdp" else 2
    shares = STATISTIC.shares_of_tables
    return [(shares[-1] / shares[table]) ** power for table in found.table_of_draws.tolist()]


def least_squares(design: np.ndarray, variances: list[Fraction]) -> list[list[Fraction]]:
    """(M' W M)^-1 M' W by elimination in fractions: by cell, of each draw."""
    weighted = [[Fraction(int(one)) / own for one in row] for row, own in zip(design, variances, strict=True)]
    cells = design.shape[1]
    both = [
        [
            *(sum(w[a] * int(row[b]) for w, row in zip(weighted, design, strict=True)) for b in range(cells)),
            *(w[a] for w in weighted),
        ]
        for a in range(cells)
    ]
    for place in range(cells):
        both[place] = [one / both[place][place] for one in both[place]]
        for other in range(cells):
            if other != place:
                times = both[other][place]
                both[other] = [one - times * own for one, own in zip(both[other], both[place], strict=True)]
    return [row[cells:] for row in both]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_gains_are_exact_least_squares_rounded_to_parts(definition: PrivacyDefinition) -> None:
    found = measurement(STATISTIC, MEMBERS, definition)
    wanted = least_squares(rows(), spread(found, definition))
    coarser = found.gains.shape[1]
    assert found.gains.tolist() == [[round(found.parts * one) for one in row[:coarser]] for row in wanted]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_whatever_was_rounded_a_fitted_cell_has_no_bias(definition: PrivacyDefinition) -> None:
    found = measurement(STATISTIC, MEMBERS, definition)
    assert (found.weights @ rows() == found.parts * np.eye(12, dtype=np.int64)).all()


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_rounding_adds_less_than_a_thousandth_to_the_variance_of_a_sum(definition: PrivacyDefinition) -> None:
    found = measurement(STATISTIC, MEMBERS, definition)
    variances = np.array([float(each) for each in spread(found, definition)])
    best = np.array(least_squares(rows(), spread(found, definition)), dtype=float)
    for table in (*TABLES, np.arange(12)):
        of_cells = np.eye(1 + int(table.max()))[table].T
        made, least = ((of_cells @ each) ** 2 @ variances for each in (found.weights / found.parts, best))
        assert (least * (1 - 1e-9) <= made).all()
        assert (made <= least * 1.001).all()


def test_counts_are_fitted_as_the_weights_say_to_the_last_part() -> None:
    found = measurement(STATISTIC, MEMBERS, "zcdp")
    random = np.random.default_rng(1)
    exact = random.integers(0, 10**9, (50, 12))
    coarser = [each + random.integers(-99, 99, each.shape) for each in found.sums(exact)]
    noisy = exact + random.integers(-99, 99, exact.shape)
    assert [each.shape[1] for each in coarser] == [1, 2, 6]
    assert (found.fitted(coarser, noisy) == np.hstack([*coarser, noisy]) @ found.weights.T).all()
    assert (found.fitted(found.sums(exact), exact) == found.parts * exact).all()


def test_cells_that_are_measured_alone_are_whole() -> None:
    found = measurement(STATISTIC.alone, MEMBERS[-1:], "zcdp")
    assert (found.parts, found.sizes) == (1, (12,))
    cells = np.arange(24).reshape(2, 12)
    assert (found.fitted([], cells) == cells).all()


def test_equations_of_the_largest_size_are_solved_and_sums_fit_into_doubles() -> None:
    coarser = [[0] * 1000, [cell // 20 for cell in range(1000)], [cell % 50 for cell in range(1000)]]
    members = (*map(tuple, coarser), tuple(range(1000)))
    found = measurement(STATISTIC, members, "zcdp")
    assert found.parts <= 2**20
    assert found.gains.shape == (1000, 101)
    assert found.weights[:, 0].sum() > 0
