"""One DuckDB database, read back by DuckDB, and by the shell of an older version."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.export import export
from tests.export.conftest import ONE
from tests.export.released import labelled, ladders, rows, tables


@pytest.fixture(scope="session")
def stored(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("duckdb") / "out"
    assert export(folder, out, format="duckdb", resources=ONE).files == ("release.duckdb",)
    return out / "release.duckdb"


def name_of(place: str, folder: Path) -> str:
    table, name = place.split("/")
    return table if table == name or len(list((folder / table).iterdir())) == 1 else f"{table}_{name}"


def test_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, stored: Path) -> None:
    with duckdb.connect(str(stored), read_only=True) as connection:
        read = {
            place: connection.table(name_of(place, folder)).to_arrow_table().to_pylist() for place in tables(folder)
        }
    assert read == labelled(folder)


def test_each_table_has_a_view_of_its_cells_and_every_column_a_comment(folder: Path, stored: Path) -> None:
    with duckdb.connect(str(stored), read_only=True) as connection:
        for ladder in ladders(folder):
            cells = [row for row in rows(folder / ladder.folder / f"{ladder.folder}.parquet") if not row["IS_MARGINAL"]]
            assert connection.table(f"{ladder.folder}_cells").shape[0] == len(cells)
        bare = "select table_name, column_name from duckdb_columns() where comment is null and not internal"
        found = {name for name, _ in connection.sql(bare).fetchall() if not name.endswith("_cells")}
    assert found == {"about", "level_laws", "row_parts", "published_rows"}
