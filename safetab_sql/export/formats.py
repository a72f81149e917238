"""The formats of a release beside Parquet, each with its writer. All read a finished release, and nothing else."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from safetab_sql.export.contents import Contents, Export
from safetab_sql.export.cubes import JSON_STAT, PX, cube_files, sdmx_files, write_cubes, write_sdmx
from safetab_sql.export.database_file import FILE as DATABASE
from safetab_sql.export.database_file import write_duckdb
from safetab_sql.export.excel import FILE as WORKBOOK
from safetab_sql.export.excel import write_excel
from safetab_sql.export.text import api_problems, census_problems, write_api, write_census, write_csv
from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.errors import EXCEL, Problem, missing_extras
from safetab_sql.published.csvw import CSVW
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.parameters import Parameters

Format = Literal["census", "api", "csv", "duckdb", "excel", "json-stat", "px", "sdmx"]
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
