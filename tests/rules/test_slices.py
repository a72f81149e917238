"""Tables that are made slice by slice, of geo units or groups: what their statements may read, and of which slice."""

import pytest

from safetab_sql.confidential.counts import GEO_UNITS_A_SLICE, geo_unit_slices
from safetab_sql.kit.sqlfiles import SqlFile, sql_files

SLICED = [file for file in sql_files().values() if file.kind in ("slice", "slices")]
KINDS = {file.name: file.kind for file in sql_files().values()}


def reads_a_slice(file: SqlFile) -> bool:
    return "slice" in [KINDS[table] for table in file.tables_read if table in KINDS]


def test_what_is_made_once_reads_no_table_that_holds_one_slice_alone() -> None:
    assert [file.name for file in sql_files().values() if file not in SLICED and reads_a_slice(file)] == []


def test_what_is_made_slice_by_slice_names_its_slice_or_reads_one() -> None:
    others = [file for file in SLICED if not reads_a_slice(file)]
    edges = [{f"first_{key}", f"last_{key}"} for key in ("geo_unit_id", "group_id")]
    assert [file.name for file in others if not any(pair <= set(file.parameters) for pair in edges)] == []


@pytest.mark.parametrize("geo_units", [0, 1, GEO_UNITS_A_SLICE, GEO_UNITS_A_SLICE + 1, 10 * GEO_UNITS_A_SLICE - 1])
def test_every_geo_unit_is_in_exactly_one_slice(geo_units: int) -> None:
    slices = geo_unit_slices(geo_units)
    edges = [(values["first_geo_unit_id"], values["last_geo_unit_id"]) for values in slices]
    assert edges[0][0] == 1
    assert edges[-1][1] >= geo_units
    assert [first for first, _ in edges[1:]] == [last + 1 for _, last in edges[:-1]]


def test_there_is_a_slice_even_of_no_geo_units() -> None:
    assert len(geo_unit_slices(0)) == 1
