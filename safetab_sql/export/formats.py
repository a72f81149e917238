"""The formats of a release beside Parquet, each with its writer. All read a finished release, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.export.contents import Contents, Export
from safetab_sql.export.cubes import cube_files, write_json_stat, write_px
from safetab_sql.export.database_file import FILE as DATABASE
from safetab_sql.export.database_file import write_duckdb
from safetab_sql.export.excel import FILE as WORKBOOK
from safetab_sql.export.excel import write_excel
from safetab_sql.export.sdmx import sdmx_files, write_sdmx
from safetab_sql.export.text import api_problems, census_problems, write_api, write_census, write_csv
from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.extras import EXCEL
from safetab_sql.published.csvw import CSVW
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.parameters import Parameters


def _none(_: Parameters, __: str) -> list[Problem]:
    return []


@dataclass(frozen=True, slots=True)
class _Format:
    """How a format is written, and why tables with some parameters cannot be: of these, and what names the format."""

    write: Callable[[Export], None]
    problems: Callable[[Parameters, str], list[Problem]] = _none


_FORMATS: Mapping[str, _Format] = {
    "census": _Format(write_census, census_problems),
    "api": _Format(write_api, api_problems),
    "csv": _Format(write_csv),
    "duckdb": _Format(write_duckdb),
    "excel": _Format(write_excel, lambda *_: EXCEL.problems),
    "json-stat": _Format(write_json_stat),
    "px": _Format(write_px),
    "sdmx": _Format(write_sdmx),
}


def format_problems(format_: str, parameters: Parameters, where: str) -> list[Problem]:
    """Why a release with these parameters cannot have a format. where: what names it."""
    return _FORMATS[format_].problems(parameters, where) if format_ in _FORMATS else []


def folder_contents(parameters: Parameters) -> tuple[str, ...]:
    """What a folder with a release in any of these formats may hold."""
    folders = (folder for ladder in parameters.ladders for folder in ladder.folders)
    return (*folders, *BESIDE, CODES, CSVW, DATABASE, WORKBOOK, *cube_files(parameters), *sdmx_files(parameters))


def write_export(format_: str, contents: Contents, target: Path, resources: Resources, scratch: Path) -> None:
    """Write a release in a format into an empty folder, or one that does not exist."""
    target.mkdir(exist_ok=True)
    readable = [file.resolve() for file in contents.folder.glob("*/*.parquet")]
    with open_database(scratch, readable, [target], resources) as database:
        _FORMATS[format_].write(Export(database, contents, target, scratch))
