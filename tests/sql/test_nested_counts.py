"""nested_counts: the independent noisy counts of the published groups."""

from tests.sql.published_tables import STATISTIC_CELLS
from tests.sql.reconciled_tables import NESTED_GROUPS, T1, T2


def test_cells_and_totals_of_groups_without_a_table_are_counts_and_no_sums_are(run_sql):
    given = {"released_totals": T1, "t2": T2, "nested_groups": NESTED_GROUPS, "statistic_cells": STATISTIC_CELLS}
    assert run_sql("nested_counts", given=given) == [
        (0, 0, 1),  # boys
        (0, 1, 2),  # men
        (0, 2, 3),  # girls
        (0, 3, 4),  # women
        (1, 0, 5),
        (2, 0, 18),
        (3, 0, 7),
        (4, 0, -1),
    ]
