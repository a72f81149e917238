"""The files of a ladder's tables, in releases and among exact tables, as statements of sql/tools/evaluate read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import dataset

from safetab_sql.public.ladders import Ladder, attributes_of
from safetab_sql.public.parameters import Parameters
from safetab_sql.published.release import parquet_dataset, released_table

TRUTH_FIX = "name a folder that `safetab-sql ground-truth` made of the people that were released"
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_STATISTIC = "STATISTIC"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table of a ladder, in a folder of a release or a file of exact tables. codes: its columns of attributes.

    total: the code for all in each; where it is given, the rows with these codes alone are meant: totals.
    """

    name: str
    codes: tuple[str, ...] = ()
    total: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that name its rows: of totals, those that name the group."""
        return (*_GROUP, *(() if self.total else self.codes))

    @property
    def wanted(self) -> dataset.Expression | None:
        """The rows that are meant; None for all."""
        conditions = [dataset.field(column) == code for column, code in zip(self.codes, self.total, strict=False)]
        return reduce(and_, conditions) if conditions else None


def ladder_tables(parameters: Parameters, ladder: Ladder) -> dict[str, TableFile]:
    """The totals of a ladder, which may be rows of its table, and the table: what statements call t1 and t2."""
    used = attributes_of(ladder, parameters.attributes)
    codes = tuple(column for attribute in used for column in attribute.publish)
    total = tuple(attribute.total for attribute in used for _ in attribute.publish)
    totals = TableFile(ladder.folder, codes, total) if ladder.totals_folder is None else TableFile(ladder.totals_folder)
    return {"t1": totals, "t2": TableFile(ladder.folder, codes)}


def exact_table_files(parameters: Parameters) -> list[str]:
    """The files of exact tables that hold counts."""
    return [f"{folder}.parquet" for ladder in parameters.ladders for folder in ladder.folders]


def exact_tables(truth: Path, tables: Mapping[str, TableFile], scratch: Path) -> dict[str, Path]:
    """The files of the exact totals and of the exact table; totals that are rows of the table are written out."""
    files = {}
    for name, table in tables.items():
        file = (truth / f"{table.name}.parquet").resolve()
        columns = [*_GROUP, *table.codes, "COUNT"]
        check_columns(file, columns)
        files[name] = file
        if table.wanted is not None:
            files[name] = scratch / f"{table.name}-totals.parquet"
            rows = dataset.dataset(file).scanner(columns=[*_GROUP, "COUNT"], filter=table.wanted).to_reader()
            with pq.ParquetWriter(files[name], rows.schema) as writer:
                for batch in rows:
                    writer.write_batch(batch)
    return files


def released_rows(folders: Sequence[Path], table: TableFile) -> pa.RecordBatchReader:
    """Table released_t1 or released_t2: a table of every release, with the number of the run, read as needed."""
    statistic = (_STATISTIC,) if len(table.columns) > len(_GROUP) else ()
    wanted = [*table.columns, "COUNT", "MOE95"]
    columns = ["run", *_GROUP, *statistic, *table.columns[len(_GROUP) :], "COUNT", "MOE95"]
    opened = [released_table(folder / table.name, [*wanted, *table.codes]) for folder in folders]

    def rows(found: dataset.Dataset) -> Iterator[pa.Table]:
        named = [*wanted, *(name for name in statistic if name in found.schema.names)]
        for batch in found.to_batches(columns=named, filter=table.wanted):
            yield pa.Table.from_batches([batch])

    parts = (
        part
        for run, found in enumerate(opened, start=1)
        for batch in rows(found)
        for part in numbered_rows(batch, columns, run).to_batches()
    )
    first = numbered_rows(opened[0].schema.empty_table().select(wanted), columns, 1)
    return pa.RecordBatchReader.from_batches(first.schema, parts)


def numbered_rows(rows: pa.Table, columns: Sequence[str], run: int) -> pa.Table:
    """Rows of a table of one release, with the number of the run, and with these columns.

    Reconciled counts that are fractions are rounded to whole persons: their margins leave room for half a person.
    Tables of older releases and reconciled ones do not name the statistic; it is NULL there.
    """
    if pa.types.is_floating(rows.schema.field("COUNT").type):
        whole = pc.round(rows["COUNT"]).cast(pa.int64())
        rows = rows.set_column(rows.schema.get_field_index("COUNT"), "COUNT", whole)
    if _STATISTIC in columns and _STATISTIC not in rows.schema.names:
        rows = rows.append_column(_STATISTIC, pa.nulls(rows.num_rows, pa.string()))
    numbered = rows.append_column("run", pa.array([run] * rows.num_rows, pa.int32()))
    return numbered.select(columns)


def check_columns(file: Path, columns: Sequence[str]) -> None:
    """Refuse a file that is no exact table with these columns."""
    parquet_dataset([file], file.parent, TRUTH_FIX, columns)
