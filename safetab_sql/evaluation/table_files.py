"""The files of a ladder's tables, in releases and among exact tables, as statements of sql/tools/evaluate read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import dataset

from safetab_sql.published.release import parquet_dataset, released_table
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters

TRUTH_FIX = "name a folder that `safetab-sql ground-truth` made of the people that were released"
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_REGION = ("REGION_TYPE", "REGION_ID")
_STATISTIC = "STATISTIC"
_DRAWN = "NOISY_COUNT"  # of reconciled tables: the count as the noise left it


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


def region_stretches(regions: Path, number: int) -> list[dataset.Expression]:
    """Conditions on REGION_TYPE and REGION_ID, of which every row meets one: each of about `number` regions.

    regions: the Parquet file of every region. The first and the last condition have no end, so that they hold for
    regions that the file lacks.
    """
    names = pq.read_table(regions, columns=list(_REGION)).sort_by([(name, "ascending") for name in _REGION])
    bounds = [tuple(row.values()) for row in names.to_pylist()[number::number]]
    starts = [None, *bounds]
    return [_between(start, end) for start, end in zip(starts, [*bounds, None], strict=True)]


def _between(start: tuple[str, str] | None, end: tuple[str, str] | None) -> dataset.Expression:
    """Whether the region of a row comes not before `start`, and before `end`; None for no bound."""
    not_before = dataset.scalar(True) if start is None else ~_precedes(start)
    return not_before if end is None else not_before & _precedes(end)


def _precedes(bound: tuple[str, str]) -> dataset.Expression:
    """Whether the region of a row comes before `bound`: its type and id."""
    region_type, region_id = (dataset.field(name) for name in _REGION)
    return (region_type < bound[0]) | ((region_type == bound[0]) & (region_id < bound[1]))


def released_rows(folders: Sequence[Path], table: TableFile, regions: dataset.Expression) -> pa.Table:
    """Table released_t1 or released_t2: a table of every release, with the number of the run. regions: which rows."""
    statistic = (_STATISTIC,) if len(table.columns) > len(_GROUP) else ()
    wanted = [*table.columns, "COUNT", "MOE95"]
    columns = ["run", *_GROUP, *statistic, *table.columns[len(_GROUP) :], "COUNT", _DRAWN, "MOE95"]
    condition = regions if table.wanted is None else regions & table.wanted
    runs = []
    for run, folder in enumerate(folders, start=1):
        found = released_table(folder / table.name, [*wanted, *table.codes])
        named = [*wanted, *(name for name in (*statistic, _DRAWN) if name in found.schema.names)]
        runs.append(numbered_rows(found.to_table(columns=named, filter=condition), columns, run))
    return pa.concat_tables(runs, promote_options="permissive")


def exact_rows(file: Path, table: TableFile, regions: dataset.Expression) -> pa.Table:
    """Table exact_t1 or exact_t2. file: as `exact_tables` returns it. regions: which rows."""
    return dataset.dataset(file).to_table(columns=[*table.columns, "COUNT"], filter=regions)


def numbered_rows(rows: pa.Table, columns: Sequence[str], run: int) -> pa.Table:
    """Rows of a table of one release, with the number of the run, and with these columns.

    Reconciled counts that are fractions are rounded to whole persons: their margins leave room for half a person. What
    the noise left stands beside them in NOISY_COUNT; other tables have it in COUNT alone. Reconciled tables do not name
    the statistic; it is NULL there.
    """
    if pa.types.is_floating(rows.schema.field("COUNT").type):
        whole = pc.round(rows["COUNT"]).cast(pa.int64())
        rows = rows.set_column(rows.schema.get_field_index("COUNT"), "COUNT", whole)
    if _STATISTIC in columns and _STATISTIC not in rows.schema.names:
        rows = rows.append_column(_STATISTIC, pa.nulls(rows.num_rows, pa.string()))
    if _DRAWN not in rows.schema.names:
        rows = rows.append_column(_DRAWN, rows["COUNT"])
    numbered = rows.append_column("run", pa.array([run] * rows.num_rows, pa.int32()))
    return numbered.select(columns)


def check_columns(file: Path, columns: Sequence[str]) -> None:
    """Refuse a file that is no exact table with these columns."""
    parquet_dataset([file], file.parent, TRUTH_FIX, columns)
