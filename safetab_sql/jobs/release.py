"""A release as one object, for Python and notebooks; and `describe`, which says what it is from its manifest alone.

The jobs and rooms below do the work; nothing is read before it is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from safetab_sql.accounting.conversions import decimal_text, members_of
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.accounting.statement import ONE_PERSON, ONE_RECORD
from safetab_sql.kit.database import reading_connection
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.words import printed
from safetab_sql.published.file_notes import file_differences, text_digests
from safetab_sql.published.manifest import MANIFEST, Made
from safetab_sql.release import folder as releases
from safetab_sql.settings.budgets import exact_decimal
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS

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
        if releases.release_facts(self.manifest, self.out / MANIFEST).reconciled is not None:
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
        return members_of(releases.release_facts(self.manifest, self.out / MANIFEST).run.ledger)

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
        folder = releases.open_folder(self.out, or_reconciled=True)
        refuse(folder.problems)
        found = {name: releases.table_files(self.out / name) for name in folder.facts.folders}
        for beside in sorted(each for each in self.out.iterdir() if each.is_dir() and each.name not in found):
            files, name = releases.table_files(beside), beside.name
            found |= {name: files} if len(files) == 1 else {f"{name}/{file.stem}": [file] for file in files}
        return found

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """It reads these tables, and nothing else."""
        return reading_connection([file for files in self._files.values() for file in files])


def open_release(folder: str | Path) -> Release:
    """The release in a folder that `run` or `reconcile` made: its tables, sums and statistics.

    Reads the manifest and the columns of files, and keeps the full path: it may be used after a change of the working
    folder. Raises: InputError where the folder holds no such release, or lacks a table or a column.
    """
    release = Release(Path(folder).absolute(), releases.read_manifest(Path(folder) / MANIFEST))
    _ = release.tables  # refuses what is no release, or not whole
    return release


def _level(level: float | str) -> Fraction:
    value = exact_decimal(str(level))
    if value is None:
        raise InputError([Problem("level", f"{str(level)[:20]!r} is no number between 0 and 1", "say it like 0.9")])
    return value


@dataclass(frozen=True, slots=True)
class Description:
    """A release, or what was made of one.

    run: of the ledger that made the manifest; None where no ledger was named. files: SHA-256 of each, by place.
    """

    facts: releases.ReleaseFacts
    run: str | None
    files: Mapping[str, str]


def describe(release: str | Path, *, ledger: str | Path | None = None) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    ledger: the custodian's, in which the digest of the manifest is looked for. Raises: InputError where the folder
    holds no release, or a file that is not the one the manifest names, or where the ledger does not hold the manifest.
    """
    folder, where = Path(release), Path(release) / MANIFEST
    facts = releases.release_facts(releases.read_manifest(where), where)
    refuse(file_differences(folder, facts.files))
    files = {file.file: file.sha256 for file in facts.files}
    if ledger is None:
        return Description(facts, None, files)
    digests = text_digests(where)  # of its words, however its lines end
    found = next((each.run for each in read_ledger(ledger).charges if each.manifest_sha256 in digests), None)
    if found is None:
        what = f"is the manifest of no run that {ledger} holds as released"
        fix = "take the release as it was made, and the ledger of its custodian: a word of the manifest was changed, or"
        raise InputError([Problem(str(where), what, f"{fix} this is another ledger")])
    return Description(facts, found, files)


def description_json(found: Description) -> dict[str, object]:
    """A release for programs, in the words of its manifest. files: SHA-256 by place."""
    facts = found.facts
    ledger, published = members_of(facts.run.ledger.loss), facts.manifest.published
    return {
        **asdict(facts.about),
        "date": facts.day,
        "releasable": published.releasable,
        "accounted": published.accounted,
        "run": found.run,
        "reconciled": facts.reconciled is not None,
        "quoted": facts.quoted,
        **{name: ledger[name] for name in ("privacy_definition", "neighbours", "person_rule", "totals")},
        "levels": [level.name for level in facts.levels],
        "files": found.files,
    }


def description_text(found: Description) -> str:
    """A release for people to read, one fact a line."""
    ledger, published = found.facts.run.ledger.loss, found.facts.manifest.published
    sums = [ladder.sum for ladder in found.facts.parameters.ladders if ladder.sum is not None]
    values = {"found": found, "ledger": ledger, "published": published, "sums": sums}
    of = {"person": ledger.totals[ONE_PERSON], "record": ledger.totals[ONE_RECORD]}
    return printed(__file__, "describe", {**values, **of, "decimal": decimal_text})
