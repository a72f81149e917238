"""Statistics of any ladder in nested order: coarser cells are runs of finer ones."""

import numpy as np

from safetab_sql.reconciliation.forest import TOTAL, statistics

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
