"""Tables that are made slice by slice of cells: what their statements may read, and of which slice."""

import pytest

from safetab_sql.confidential.counts import CELLS_A_SLICE, cell_slices
from safetab_sql.sqlfiles import SqlFile, sql_files

SLICED = [file for file in sql_files().values() if file.kind in ("slice", "slices")]
KINDS = {file.name: file.kind for file in sql_files().values()}


def reads_a_slice(file: SqlFile) -> bool:
    return "slice" in [KINDS[table] for table in file.tables_read if table in KINDS]


def test_what_is_made_once_reads_no_table_that_holds_one_slice_alone() -> None:
    assert [file.name for file in sql_files().values() if file not in SLICED and reads_a_slice(file)] == []


def test_what_is_made_slice_by_slice_names_its_slice_or_reads_one() -> None:
    others = [file for file in SLICED if not reads_a_slice(file)]
    assert [file.name for file in others if not {"first_cell_id", "last_cell_id"} <= set(file.parameters)] == []


@pytest.mark.parametrize("cells", [0, 1, CELLS_A_SLICE, CELLS_A_SLICE + 1, 10 * CELLS_A_SLICE - 1])
def test_every_cell_is_in_exactly_one_slice(cells: int) -> None:
    slices = cell_slices(cells)
    edges = [(values["first_cell_id"], values["last_cell_id"]) for values in slices]
    assert edges[0][0] == 1
    assert edges[-1][1] >= cells
    assert [first for first, _ in edges[1:]] == [last + 1 for _, last in edges[:-1]]


def test_there_is_a_slice_even_of_no_cells() -> None:
    assert len(cell_slices(0)) == 1
