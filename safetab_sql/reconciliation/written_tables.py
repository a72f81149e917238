"""Reconciled tables as the files of a new folder, and what reconciling changed in their rows."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import templated_columns
from safetab_sql.published.csvw import write_reconciled_csvw
from safetab_sql.published.file_notes import FileNotes, table_notes
from safetab_sql.settings.ladders import CODES, GROUP_INDEX, Ladder
from safetab_sql.settings.parameters import Parameters

COPIED = (CODES, GROUP_INDEX)  # what reconciling does not change


@dataclass(frozen=True, slots=True)
class ReconciledType:
    """What changed in the rows of one table and region type. Variances are means over rows, persons squared.

    published_table: the folder, in capitals.
    """

    published_table: str
    region_type: str
    published_rows: int
    changed_rows: int
    noisy_variance: float
    reconciled_variance: float


@dataclass(frozen=True, slots=True)
class Writing:
    """How tables are written. folder: below which. integers: whether counts are whole numbers."""

    folder: Path
    notes: FileNotes
    integers: bool


def written_tables(
    database: Database, parameters: Parameters, ladder: Ladder, writing: Writing
) -> Iterator[ReconciledType]:
    """Write the tables of a ladder; what changed in them."""
    written = {"t1": ladder.totals_folder, "t2": ladder.folder}
    columns = templated_columns(parameters, ladder)
    for name, own in written.items():
        database.create(sql_files()[f"reconciled_{name}"])
        if own is None:
            continue
        (writing.folder / own).mkdir()
        target = writing.folder / own / f"{own}.parquet"
        file = sql_files()[f"{'whole' if writing.integers else 'reconciled'}_{name}"]
        notes = table_notes(writing.notes, file, columns)
        if writing.integers:
            database.copy(file, target, "format parquet, compression zstd", notes)
        else:
            database.copy_table(file.name, target, "format parquet, compression zstd", notes)
    database.create(sql_files()["reconciled_region_types"])
    for row in database.table("reconciled_region_types", order_by=["published_table", "region_type"]).to_pylist():
        own = written[row.pop("published_table").lower()]
        if own is not None:
            yield ReconciledType(own.upper(), **row)


def write_beside(release: Path, parameters: Parameters, writing: Writing) -> None:
    """Copy from a release what reconciling does not change, its code lists and its index of groups, and describe all.

    A release that was made before releases had them leaves the new folder without them.
    """
    copied = [name for name in COPIED if (release / name).is_dir()]
    for name in copied:
        shutil.copytree(release / name, writing.folder / name, copy_function=shutil.copyfile)
    if len(copied) == len(COPIED):
        write_reconciled_csvw(writing.folder, parameters, integers=writing.integers)
