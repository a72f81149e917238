"""Whole numbers: they keep every sum, stay near their estimates, and are right on average."""

import numpy as np
import pytest
from scipy import stats

from safetab_sql.reconciliation.forest import TOTAL, forest
from safetab_sql.reconciliation.least_squares import Uniforms, reconciled_rows, rounded_parts, solution, uniforms
from tests.reconciliation.forests import Drawn, drawn_release, small_statistics
from tests.statistics import FALSE_ALARM

Rows = dict[tuple[int, int], float]  # persons, by group and cell position
KNOWN = small_statistics()
MEANS = np.array([0.25, 1.5, -0.75, 2.0, 0.5, 0.5])
NUMBERS = np.array([0, 0, 0, 0, 1, 1])


def rows_of(drawn: Drawn, draw: Uniforms | None = None) -> Rows:
    """Every reconciled row: (group, cell position) -> persons. draw: for whole numbers."""
    trees = forest(drawn.groups, drawn.tree)
    parts = reconciled_rows(drawn.groups, trees, solution(drawn.groups, trees, KNOWN), KNOWN, draw)
    return {
        (int(group), int(position)): float(value)
        for part in parts
        for group, position, value in zip(part.groups, part.row_ids, part.estimates, strict=True)
    }


@pytest.fixture(scope="module", params=range(6))
def drawn(request: pytest.FixtureRequest) -> Drawn:
    return drawn_release(request.param, missing=request.param % 2 / 10, second=request.param % 3 == 0)


@pytest.fixture(scope="module")
def rows(drawn: Drawn) -> Rows:
    """Of whole numbers."""
    return rows_of(drawn, uniforms("rounding", "test"))


def test_counts_are_whole_numbers(rows: Rows) -> None:
    assert all(value == int(value) for value in rows.values())


def test_cells_add_up_to_totals(drawn: Drawn, rows: Rows) -> None:
    tabled = {group for group, position in rows if position >= 0}
    sums = {
        group: sum(rows[group, cell] for cell in range(KNOWN.cells[drawn.groups.stat_levels[group]]))
        for group in tabled
    }
    assert sums == {group: rows[group, TOTAL] for group in tabled}


def test_the_parts_of_every_region_that_was_reconciled_add_up_to_it(drawn: Drawn, rows: Rows) -> None:
    groups, tree = drawn.groups, drawn.tree
    pairs = zip(groups.iterations.tolist(), groups.regions.tolist(), strict=True)
    places = {pair: place for place, pair in enumerate(pairs)}
    gaps = []
    for iteration, region in places:
        for kind in range(len(tree.parent_types)):
            parts = np.flatnonzero((tree.parents == region) & (tree.region_types == kind)).tolist()
            known = [places[iteration, part] for part in parts if (iteration, part) in places]
            if parts and len(known) == len(parts):
                gaps.append(rows[places[iteration, region], TOTAL] - sum(rows[part, TOTAL] for part in known))
    assert set(gaps) <= {0}


def test_no_cell_is_far_from_its_estimate(drawn: Drawn, rows: Rows) -> None:
    """One for its own rounding, at most one shared with a sister from each of up to three levels above."""
    estimates = rows_of(drawn)
    assert max(abs(rows[key] - estimates[key]) for key in estimates if key[1] >= 0) < 4


def test_uniform_numbers_are_uniform() -> None:
    """Kolmogorov-Smirnov, false alarm 1e-6; a stream is fixed by its name, so it never flickers."""
    assert stats.kstest(uniforms("seed", "stream")(100_000), "uniform").pvalue > FALSE_ALARM


def chances(copies: int, draw_bias: float = 0.0) -> np.ndarray:
    """Two-sided chance of the mean of each rounded part over many copies, where it is right on average."""
    stream = uniforms("unbiased", "test")
    numbers = (np.arange(copies)[:, None] * 2 + NUMBERS).ravel()
    wholes = np.floor(np.array([3.0, 1.0]) + stream(2 * copies).reshape(copies, 2)).astype(np.int64).ravel()
    rounded = rounded_parts(np.tile(MEANS, copies), numbers, wholes, lambda size: stream(size) * (1 - draw_bias))
    errors = rounded.reshape(copies, MEANS.size) - MEANS
    deviations = np.maximum(errors.std(axis=0), 1e-9) / np.sqrt(copies)
    return np.asarray(2 * stats.norm.sf(np.abs(errors.mean(axis=0)) / deviations))


def test_every_part_is_right_on_average() -> None:
    """Normal approximation at 100,000 copies; false alarm 1e-6 for each of six parts."""
    assert (chances(100_000) > FALSE_ALARM).all()


def test_a_rounding_that_favours_early_parts_by_five_in_a_hundred_is_noticed() -> None:
    """0.25 rounded up with chance 0.21: 29 standard deviations at 100,000 copies."""
    assert (chances(100_000, draw_bias=0.05) < FALSE_ALARM).any()
