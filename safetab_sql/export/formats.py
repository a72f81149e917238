"""The formats of a release beside Parquet, each with its writer. All read a finished release, and nothing else.

Here are the formats of text: production's files, the variables of the Census API, and CSV with its metadata.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from safetab_sql.export.contents import Contents, Export, described_table, exported_tables, shown_ladders
from safetab_sql.export.cubes import JSON_STAT, PX, cube_files, sdmx_files, write_cubes, write_sdmx
from safetab_sql.export.one_file import DATABASE, WORKBOOK, write_duckdb, write_excel
from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.errors import EXCEL, Problem, missing_extras
from safetab_sql.kit.sqlfiles import SqlFile, sql_files
from safetab_sql.public.values import rows_of
from safetab_sql.published.file_notes import CSVW, DescribedTable, Metadata, folders_of, metadata_text
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.parameters import Parameters, census

Format = Literal["census", "api", "csv", "duckdb", "excel", "json-stat", "px", "sdmx"]
_CSV = "format csv, header true"
_CENSUS = "format csv, delimiter '|', header true, quote '', escape ''"
_DIALECT = {"dialect": {"encoding": "utf-8", "delimiter": "|", "quoteChar": None, "header": True}}
# What the Census API calls the tables of the 2020 Detailed DHC-A: totals, and sex by 4, 9 and 23 age groups. A variable
# is its table, a number of three digits and N; its margin of error ends in M. The total comes first, then all men, men
# by age, all women, women by age.
_TOTALS_OF_API = "T01001"
_TABLES_OF_API = ("T02001", "T02002", "T02003")
_SEXES = 2
_FIX = "use another format"


def write_csv(export: Export) -> None:
    """Every table as CSV, code lists, and csv-metadata.json."""
    tables = []
    for ladder in shown_ladders(export):
        for rows, table in exported_tables(export.contents, ladder).items():
            tables.append(replace(table, url=f"{table.url}.csv"))
            _copy(export, tables[-1].url, rows, _CSV)
    _write_csvw(export, tables)


def write_census(export: Export) -> None:
    """The tables in production's format, code lists, and csv-metadata.json.

    Tables whose totals stand apart are one file; others are one file a statistic, in a folder of its own.
    """
    tables = []
    for ladder in shown_ladders(export):
        names = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
        for name, folder in folders_of(ladder).items():
            files = (
                {f"{folder}.csv": names} if ladder.totals_folder else {f"{each}/{each}.csv": [each] for each in names}
            )
            for file, held in files.items():
                export.database.set_values({"published_statistics": held})
                _copy(export, f"{folder}/{file}", sql_files()[f"{name}_census"], _CENSUS)
                found = described_table(export.contents, ladder, f"{folder}/{folder}", f"{name}_census")
                tables.append(replace(found, url=f"{folder}/{file}", form=_DIALECT))
    _write_csvw(export, tables)


def write_api(export: Export) -> None:
    """The tables with the variables of the Census API."""
    for ladder in shown_ladders(export):
        export.database.create(sql_files()["api_groups"])
        _copy(export, f"{ladder.totals_folder}/{_TOTALS_OF_API}.csv", sql_files()["t1_api"], _CSV)
        sizes = rows_of(export.contents.parameters, ladder).sizes  # cells of each, both sexes
        for table, statistic, size in zip(_TABLES_OF_API, ladder.statistics, sizes, strict=True):  # age4, age9, age23
            names = [f"{table}_{place:03}" for place in range(1, 2 + _SEXES + size)]  # of the variables
            counts, margins = ({f"{name}{end}": place for place, name in enumerate(names, start=1)} for end in "NM")
            values = {"published_statistic": statistic.name, "api_counts": counts, "api_margins": margins}
            export.database.set_values(values)
            _copy(export, f"{ladder.folder}/{table}.csv", sql_files()["t2_api"], _CSV)


def _copy(export: Export, place: str, rows: SqlFile | str, options: str) -> None:
    target = export.target / place
    target.parent.mkdir(parents=True, exist_ok=True)
    export.database.copy(rows, target, options)


def _write_csvw(export: Export, tables: Sequence[DescribedTable]) -> None:
    codes = export.contents.codes
    Metadata(codes, metadata_text(export.contents.parameters, codes, tables)).write(export.target)


def census_problems(parameters: Parameters, where: str) -> list[Problem]:
    """Why production's format has no place for tables with these parameters."""
    what = "adds up {}, and the census format has no place for sums"
    added = [(ladder.name, ladder.sum.column) for ladder in parameters.ladders if ladder.sum is not None]
    return [Problem(where, f"{name} {what.format(column)}", _FIX) for name, column in added]


def api_problems(parameters: Parameters, where: str) -> list[Problem]:
    """Why the Census API has no names for tables with these parameters."""
    problems = []
    if not parameters.is_sex_by_age:
        ladders = ", ".join(ladder.name for ladder in parameters.ladders)
        what = f"has names for totals and sex by age, and none for {ladders}"
        problems.append(Problem(where, what, _FIX))
    levels = {level.level.region_type for level in parameters.levels}
    own = [kind.name for kind in parameters.region_types if kind.name in levels and kind not in census().region_types]
    if own:
        what = f"has no summary level for the region types {', '.join(own)}"
        problems.append(Problem(where, what, f"{_FIX}, or leave out their levels"))
    return problems


_FORMATS: Mapping[str, Callable[[Export], None]] = {
    "census": write_census,
    "api": write_api,
    "csv": write_csv,
    "duckdb": write_duckdb,
    "excel": write_excel,
    "json-stat": partial(write_cubes, form=JSON_STAT),
    "px": partial(write_cubes, form=PX),
    "sdmx": write_sdmx,
}


def format_problems(format_: str, parameters: Parameters, where: str) -> list[Problem]:
    """Why a release with these parameters cannot have a format. where: what names it."""
    if format_ == "excel":
        return missing_extras(EXCEL)
    found = {"census": census_problems, "api": api_problems}
    return found[format_](parameters, where) if format_ in found else []


def folder_contents(parameters: Parameters) -> tuple[str, ...]:
    """What a folder with a release in any of these formats may hold."""
    folders = (folder for ladder in parameters.ladders for folder in ladder.folders)
    return (*folders, *BESIDE, CODES, CSVW, DATABASE, WORKBOOK, *cube_files(parameters), *sdmx_files(parameters))


def write_export(format_: str, contents: Contents, target: Path, resources: Resources, scratch: Path) -> None:
    """Write a release in a format into an empty folder."""
    readable = [file.resolve() for file in contents.folder.glob("*/*.parquet")]
    with open_database(scratch, readable, [target], resources) as database:
        _FORMATS[format_](Export(database, contents, target, scratch))
