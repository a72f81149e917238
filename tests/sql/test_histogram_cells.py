"""histogram_cells: exact counts of the cells of one histogram."""

import pytest

CODES = """
    code_1 | code_2 | weight
    -------+--------+-------
         0 |      0 |      1
         0 |      0 |      1
         1 |      2 |      5
"""


@pytest.mark.parametrize(
    ("terms", "cells"),
    [
        pytest.param([("code_1", 3), ("code_2", 1)], [(0, 2), (5, 5)], id="two domains"),
        pytest.param([("code_2", 1)], [(0, 2), (2, 5)], id="one domain"),
        pytest.param([("code_1", 2**40)], [(0, 2), (2**40, 5)], id="a large stride"),
        pytest.param([], [(0, 7)], id="no domain"),
    ],
)
def test_cells_with_records_are_numbered_by_their_strides_and_counted_by_weight(run_sql, terms, cells):
    values = [{"name": name, "stride": stride} for name, stride in terms]
    assert run_sql("histogram_cells", given={"counted_codes": CODES}, cell_terms=values) == cells
