"""`run`: count, add noise and publish; and a release as Python holds it."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from safetab_sql.accounting.ledger_file import Bits, LedgerFile
from safetab_sql.accounting.written import members_of
from safetab_sql.algorithm import decide, release_of_run, tabulate
from safetab_sql.cluster.spark import Spark, SparkTable
from safetab_sql.jobs.counters import counter
from safetab_sql.kit.database import Resources, reading_connection
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.progress import SILENT, Progress, reported_progress
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.manifest import MANIFEST, Made
from safetab_sql.release.folder import RELEASE_FIX, open_folder, read_manifest, refuse_files, release_facts, table_files
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS
from safetab_sql.settings.markers import exact_decimal

# A release as one object, for Python and notebooks. The jobs do the work; nothing is read before it is asked for.

if TYPE_CHECKING:
    from safetab_sql.statistics.sums import PublishedSum

_USUAL = 0.95


@dataclass(frozen=True, repr=False)
class Release(Made):
    """A folder that `run` or `reconcile` made: its tables, its loss, and sums and statistics with intervals.

    out: the folder, by its full path. manifest: what its manifest.json holds. `open_release` makes one, and `run`
    returns one. A notebook shows what was published, and an age pyramid.

    Tables are DuckDB relations: `release.t1.df()` for pandas, `.pl()` for Polars, `.arrow()` for Arrow, `.filter(...)`
    for SQL. Conditions on rows read as in `moe`, such as
    "TABLE = 'T1' and REGION_TYPE = 'STATE' and ITERATION_CODE = '6004'". A level is a number between 0 and 1.
    """

    def __repr__(self) -> str:
        """What was published, and what it cost, in a few sentences."""
        from safetab_sql.report.report import sentences

        return sentences(self.out, self.manifest)

    def _repr_html_(self) -> str:
        from safetab_sql.report.report import html_card

        return html_card(self.out, self.manifest)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables, which are its folders in small letters; each can be given to `table`."""
        return tuple(self._files)

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """One of `tables`; all tables of a release can be joined. Raises: InputError where there is no such table."""
        if name not in self._files:
            near = nearest(name, self._files)
            what = f"has no table {name!r}; it has {', '.join(self._files)}"
            raise InputError([Problem(str(self.out), what, f"did you mean {near}?" if near else "name one of these")])
        refuse_files(self._files[name], self.out / name, RELEASE_FIX, ())
        return self._connection.read_parquet([str(file) for file in self._files[name]])

    @property
    def t1(self) -> duckdb.DuckDBPyRelation:
        """Totals, one row per population group with a published count."""
        return self.table("t1")

    @property
    def t2(self) -> duckdb.DuckDBPyRelation:
        """Sex by age, one row per population group and cell or sum of its table."""
        return self.table("t2")

    @property
    def estimates(self) -> duckdb.DuckDBPyRelation:
        """The best estimates of totals, with their 95 % intervals: from both stages, or reconciled.

        Raises: InputError for a release without `publish_stage_1` that was not reconciled.
        """
        if release_facts(self.manifest, self.out / MANIFEST).reconciled is not None:
            return self.t1.project("REGION_ID, REGION_TYPE, ITERATION_CODE, COUNT as ESTIMATE, LOW95, HIGH95")
        return self.table(MEASUREMENTS).project("REGION_ID, REGION_TYPE, ITERATION_CODE, ESTIMATE, LOW95, HIGH95")

    def named(self, name: str) -> duckdb.DuckDBPyRelation:
        """One of `tables`, with REGION_NAME and ITERATION_NAME of the index of groups after its columns.

        Raises: as `table`; InputError for a release without an index.
        """
        index = GROUP_INDEX if GROUP_INDEX in self._files else f"{GROUP_INDEX}/{name}"
        group = "REGION_ID, REGION_TYPE, ITERATION_CODE"
        return self.table(name).join(self.table(index).project(f"{group}, REGION_NAME, ITERATION_NAME"), group)

    @property
    def ledger(self) -> Mapping[str, Any]:
        """What the release cost, as its manifest says it; of a reconciled one, the ledger of the release before."""
        return members_of(release_facts(self.manifest, self.out / MANIFEST).run.ledger)

    def sum(
        self,
        rows: str | Sequence[str],
        *,
        minus: str | Sequence[str] = (),
        of: str | Sequence[str] = (),
        level: float | str = _USUAL,
    ) -> "PublishedSum":
        """The sum of the published counts in rows that a condition matches, with its margin of error.

        minus: rows to subtract; noise that they share cancels. of: rows to divide by, for `ratio` of the answer.
        """
        from safetab_sql.jobs.statistics import sum_of_release

        return sum_of_release(self.out, plus=rows, minus=minus, of=of, level=_level(level))

    def difference(self, one: str, other: str, *, level: float | str = _USUAL) -> "PublishedSum":
        """The counts of some rows less the counts of others, with its margin; noise that they share cancels."""
        return self.sum(one, minus=other, level=level)

    def ratio(self, part: str, of: str, *, level: float | str = _USUAL) -> "PublishedSum":
        """The sum of some rows, and its `ratio` to the sum of others, such as a percentage, with its interval."""
        return self.sum(part, of=of, level=level)

    def statistics(self, wanted: object, *, level: float | str = _USUAL) -> pa.Table:
        """Many statistics at once, with intervals: the wanted ones, as `safetab_sql.statistics` reads them.

        wanted: a CSV or Parquet file, or a table: Arrow, a DuckDB relation, a DataFrame of pandas or Polars.
        """
        from safetab_sql.statistics.wanted_statistics import statistics_of

        return statistics_of(self.out, wanted, level=_level(level))

    @cached_property
    def _files(self) -> dict[str, list[Path]]:
        """The files of each table; of the folders beside the tables, one table a file where there are several."""
        folder = open_folder(self.out, or_reconciled=True)
        refuse(folder.problems)
        found = {name: table_files(self.out / name) for name in folder.facts.folders}
        for beside in sorted(each for each in self.out.iterdir() if each.is_dir() and each.name not in found):
            files, name = table_files(beside), beside.name
            found |= {name: files} if len(files) == 1 else {f"{name}/{file.stem}": [file] for file in files}
        return found

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """It reads these tables, and nothing else."""
        return reading_connection([file for files in self._files.values() for file in files])


def open_release(folder: str | Path) -> Release:
    """The release in a folder that `run` or `reconcile` made: its tables, sums and statistics.

    Reads the manifest alone, and keeps the full path: it may be used after a change of the working folder. Raises:
    InputError where the folder holds no such release, or lacks a table.
    """
    release = Release(Path(folder).absolute(), read_manifest(Path(folder) / MANIFEST))
    _ = release.tables  # refuses what is no release, or not whole
    return release


def _level(level: float | str) -> Fraction:
    value = exact_decimal(str(level))
    if value is None:
        raise InputError([Problem("level", f"{str(level)[:20]!r} is no number between 0 and 1", "say it like 0.9")])
    return value


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    spark: Spark | None = None,
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress | bool = False,
    bits: Bits | None = None,
) -> Release:
    """Count, add noise and publish: folder `out` with manifest.json and the ladders' tables, or nothing at all.

    spark: the cluster that counts; None for this process. ledger_file: the custodian's ledger, which gets a line for
    the run before noise is drawn. progress: True shows it on stderr: a bar on a terminal and in a notebook, lines
    elsewhere. bits: number of bytes -> that many random bytes, for tests: with any source but the system's, the
    manifest says that the run is not releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written. As `counter`, too: where a cluster fails after the first noise, the run stays in the ledger.
    """
    shown = reported_progress(is_quiet=False) if progress is True else nullcontext(progress or SILENT)
    are_here = not isinstance(inputs.persons, SparkTable)
    with (
        shown as told,
        release_of_run(inputs, out, ledger_file, resources, bits, overwrite=overwrite) as release,
        counter(inputs, spark, resources, told, release.problems) as counting,
    ):
        made = tabulate(decide(release, counting.data, told, are_here=are_here), counting)
    return Release(made.out.absolute(), made.manifest)
