"""Least squares on a forest: against explicit matrices, and laws it must obey; and statistics in nested order."""

from dataclasses import replace

import numpy as np
import pytest

from safetab_sql.reconciliation.forest import TOTAL, Combined, Groups, Nesting, RegionTree, forest, statistics
from safetab_sql.reconciliation.least_squares import Uniforms, reconciled_rows, solution, uniforms
from tests.reconciliation import forests
from tests.reconciliation.forests import Drawn, small_statistics

KNOWN = small_statistics()
EVERY_RELEASE = pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(forests.drawn_release(seed, missing=missing, second=second), id=f"{seed}-{missing}-{second}")
        for seed, (missing, second) in enumerate([(0, False), (0.03, False), (0.2, False), (0, True), (0.1, True)])
    ],
)
SUPPRESSING = pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(forests.drawn_release(seed, missing=0.05, second=two, survived=survived), id=f"{survived}-{two}")
        for seed, (survived, two) in enumerate([(0.3, False), (0.3, True), (0.7, False), (1, True)], 20)
    ],
)


def answer(drawn: Drawn, of: str = "variances", draw: Uniforms | None = None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Estimates and variances of the published rows of each group; as released where nothing was made better.

    of: which variances of ReconciledRows. draw: for whole numbers.
    """
    groups = drawn.groups
    found = []
    for place in range(groups.iterations.size):
        rows = forests.published_rows(int(groups.stat_levels[place]))
        first = groups.first_counts[place]
        counts = groups.counts[first : first + rows.shape[1]]
        found.append((rows @ counts, rows.sum(axis=1) * groups.variances[place]))
    trees = forest(groups, drawn.tree)
    for part in reconciled_rows(groups, trees, solution(groups, trees, KNOWN), KNOWN, draw):
        rows = zip(part.groups, part.row_ids, part.estimates, getattr(part, of), strict=True)
        for place, position, estimate, variance in rows:
            row = {TOTAL: -1, forests.FEMALE: -2, forests.MALE: -3}.get(int(position), position)
            found[place][0][row], found[place][1][row] = estimate, variance
    return found


def are_alike(ours: list[tuple[np.ndarray, np.ndarray]], theirs: list[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether all estimates and variances are equal but for rounding: dense matrices lose five of sixteen digits."""
    pairs = zip(ours, theirs, strict=True)
    return all(np.allclose(*both, rtol=1e-10, atol=1e-9) for each in pairs for both in zip(*each, strict=True))


@EVERY_RELEASE
@pytest.mark.each_time("2-0.2", "4-0.1")
def test_estimates_and_variances_are_those_of_explicit_matrices(drawn: Drawn) -> None:
    assert are_alike(answer(drawn), forests.dense_answer(drawn))


@EVERY_RELEASE
@pytest.mark.each_time("2-0.2", "4-0.1")
def test_variances_are_right_where_weights_rest_on_other_ones(drawn: Drawn) -> None:
    better = forests.with_stage_1(drawn, 3)
    for of in ("variances", "margin_variances"):
        assert are_alike(answer(better, of), forests.dense_answer(better, of))


@SUPPRESSING
@pytest.mark.each_time("0.3-True", "0.7-False")
def test_totals_that_survived_suppression_are_no_evidence_for_explicit_matrices(drawn: Drawn) -> None:
    assert are_alike(answer(drawn), forests.dense_answer(drawn))


def state_and_counties(counts: dict[int, float], counties: int = 3, survived: tuple[int, ...] = ()) -> Drawn:
    """A state (region 0) and its counties (1, 2, ...), of which those in `counts` have a total of variance 1.

    survived: those whose totals would not have been published had they been smaller.
    """
    tree = RegionTree((1, -1), np.array([1, *[0] * counties]), np.array([-1, *[0] * counties]))
    size = len(counts)
    zeros = np.zeros(size, dtype=np.int64)
    values = np.array(list(counts.values()), dtype=float)
    are_evidence = ~np.isin(list(counts), survived)
    groups = Groups(
        zeros, np.array(list(counts)), zeros.astype(np.int8), np.ones(size), np.arange(size), values, are_evidence
    )
    return Drawn(tree, groups, [list(range(counties)), *([place] for place in range(counties))])


@pytest.mark.parametrize(("variance", "total"), [(1, (100, 1)), (4, (96, 3))])
@pytest.mark.parametrize("integers", [False, True])
def test_a_total_that_survived_suppression_becomes_the_sum_of_its_parts_where_that_says_more(variance, total, integers):
    """Three parts of variance 1: where the total has more than 3, its own count is left out; else it stays."""
    drawn = state_and_counties({0: 100.0, 1: 30.0, 2: 30.0, 3: 36.0}, survived=(0,))
    drawn = replace(drawn, groups=replace(drawn.groups, variances=np.array([variance, 1.0, 1.0, 1.0])))
    found = answer(drawn, draw=uniforms("", "0") if integers else None)
    assert [rows[0] for rows, _ in found] == pytest.approx([total[0], 30, 30, 36])
    is_rounded = [integers and total[0] == 96, *[integers] * 3]
    expected = [each + is_so / 3 for each, is_so in zip((total[1], 1, 1, 1), is_rounded, strict=True)]
    assert [variances[0] for _, variances in found] == pytest.approx(expected)


def of_iterations(tree: RegionTree, totals: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Reconciled totals of variance 1 by iteration and region, where iterations 1 and 2 make up iteration 0."""
    iterations, regions = (np.array(each) for each in zip(*totals, strict=True))
    size = len(totals)
    groups = Groups(
        iterations, regions, np.zeros(size, dtype=np.int8), np.ones(size), np.arange(size),
        np.array(list(totals.values())), np.ones(size, dtype=np.bool_),
    )  # fmt: skip
    trees = forest(groups, tree, Nesting(np.array([-1, 0, 0]), np.array([2, 0, 0]), np.array([0, 1, 1])))
    found = reconciled_rows(groups, trees, solution(groups, trees, KNOWN), KNOWN)
    return {
        (int(iterations[place]), int(regions[place])): float(value)
        for part in found
        for place, value in zip(part.groups, part.estimates, strict=True)
    }


def test_iterations_that_make_up_another_add_up_to_it() -> None:
    alone = RegionTree((-1,), np.array([0]), np.array([-1]))
    found = of_iterations(alone, {(0, 0): 100.0, (1, 0): 30.0, (2, 0): 67.0})
    assert found == pytest.approx({(0, 0): 99, (1, 0): 31, (2, 0): 68})


def test_parts_of_an_iteration_that_add_up_to_a_larger_region_bind_there_alone() -> None:
    """A nation (region 0) and two states: in the nation parts make up the whole, in the states regions come first."""
    tree = RegionTree((1, -1), np.array([1, 0, 0]), np.array([-1, 0, 0]))
    totals = {(iteration, region): 10.0 * (iteration + region) for iteration in range(3) for region in range(3)}
    found = of_iterations(tree, totals)
    gaps = [found[part, 0] - found[part, 1] - found[part, 2] for part in range(3)]
    assert [found[0, 0] - found[1, 0] - found[2, 0], *gaps] == pytest.approx([0] * 4)
    assert abs(found[0, 1] - found[1, 1] - found[2, 1]) > 1


@pytest.mark.parametrize(("cell_variance", "is_replaced"), [(8.0, True), (36.0, False)])
def test_a_total_that_is_no_evidence_is_replaced_if_its_part_is_better(cell_variance, is_replaced):
    """Whatever stage 1 chose. A part of four cells, of which it knows much; its total alone has a variance of 36."""
    none, stated = np.full(2, np.nan), np.array([3.0, 36])
    groups = Groups(
        iterations=np.zeros(2, dtype=np.int64),
        regions=np.arange(2),
        stat_levels=np.array([1, 0], dtype=np.int8),
        variances=np.array([cell_variance, 36]),
        first_counts=np.array([0, 4]),
        counts=np.zeros(5),
        are_evidence=np.array([True, False]),
        combined=Combined(stated, stated, np.zeros(2), none, none, np.array([True, False])),
    )
    trees = forest(groups, RegionTree((1, -1), np.array([0, 1]), np.array([1, -1])))
    rows = reconciled_rows(groups, trees, solution(groups, trees, KNOWN), KNOWN)
    assert any(1 in part.groups for part in rows) == is_replaced


# Four finest cells: education (first) by two ages. The ages alone, then ages by education, published education first.
AGES, BOTH = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 3])
ROWS = [{TOTAL: [0]}, {5: [0], 6: [1]}, {7: [0, 1], 5: [0, 2]}]


def test_cells_are_ordered_so_that_coarser_ones_are_runs_of_them() -> None:
    known = statistics([np.zeros(4, dtype=np.int64), AGES, BOTH], ROWS)
    assert known is not None
    assert (known.cells, known.order[2].tolist()) == ((1, 2, 4), [0, 2, 1, 3])
    assert [starts.tolist() for starts in known.starts[2]] == [[0], [0, 2], [0, 1, 2, 3]]


def test_a_row_adds_up_the_cells_that_it_was_published_with() -> None:
    known = statistics([np.zeros(4, dtype=np.int64), AGES, BOTH], ROWS)
    assert known is not None
    assert (known.row_ids[2].tolist(), known.weights[2].tolist()) == ([7, 5], [[1, 0, 1, 0], [1, 1, 0, 0]])


def test_statistics_that_do_not_split_the_one_before_are_none() -> None:
    crossed = [np.zeros(4, dtype=np.int64), AGES, np.array([0, 0, 1, 1])]
    assert statistics(crossed, [{}, {}, {}]) is None
