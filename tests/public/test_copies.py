"""Files of records that hold the same rows in other bytes."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.database import Resources
from safetab_sql.public.copies import find_records, rewritten_copies

PEOPLE = pa.table({"PERSON": [f"p{number}" for number in range(50)], "QAGE": [number % 7 for number in range(50)]})
REWRITTEN: dict[str, Callable[[Path], None]] = {
    "in another order": lambda file: pq.write_table(PEOPLE.take(list(reversed(range(50)))), file),
    "compressed otherwise": lambda file: pq.write_table(PEOPLE, file, compression="gzip"),
    "in other groups of rows": lambda file: pq.write_table(PEOPLE, file, row_group_size=7),
    "with its columns in another order": lambda file: pq.write_table(PEOPLE.select(["QAGE", "PERSON"]), file),
    "with metadata": lambda file: pq.write_table(PEOPLE.replace_schema_metadata({"made": "again"}), file),
}


def found(folder: Path) -> list[str]:
    problems = rewritten_copies(find_records(folder, ()), ["PERSON", "QAGE", "STATE"], Resources(threads=1))
    return [f"{Path(problem.where).name} {problem.what.replace(f'{folder}/', '')}" for problem in problems]


@pytest.mark.parametrize("how", REWRITTEN)
def test_a_file_with_the_rows_of_another_is_named_with_it(tmp_path: Path, how: str) -> None:
    pq.write_table(PEOPLE, tmp_path / "a.parquet")
    REWRITTEN[how](tmp_path / "b.parquet")
    assert found(tmp_path) == ["b.parquet holds the same rows as a.parquet"]


@pytest.mark.parametrize(
    "other",
    [
        PEOPLE.slice(1),
        PEOPLE.set_column(1, "QAGE", pa.array([*range(1, 7), *(number % 7 for number in range(6, 50))])),
        PEOPLE.append_column("NOTE", pa.array(["x"] * 50)),
    ],
    ids=["a row fewer", "other values between the same ends", "a further column"],
)
def test_a_file_with_other_rows_is_no_copy(tmp_path: Path, other: pa.Table) -> None:
    pq.write_table(PEOPLE, tmp_path / "a.parquet")
    pq.write_table(other, tmp_path / "b.parquet")
    assert found(tmp_path) == []


def test_files_in_folders_of_different_places_hold_different_records(tmp_path: Path) -> None:
    for state, rows in (("AL", PEOPLE), ("AK", PEOPLE.take(list(reversed(range(50)))))):
        (tmp_path / f"STATE={state}").mkdir()
        pq.write_table(rows, tmp_path / f"STATE={state}" / "a.parquet")
    assert found(tmp_path) == []


def test_files_without_a_row_may_be_alike(tmp_path: Path) -> None:
    pq.write_table(PEOPLE.slice(0, 0), tmp_path / "a.parquet")
    pq.write_table(PEOPLE.slice(0, 0), tmp_path / "b.parquet", compression="gzip")
    assert found(tmp_path) == []
