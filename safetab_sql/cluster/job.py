"""What whoever counts parts needs to know: how persons are read, and the public tables that people are joined to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from safetab_sql.confidential.inputs import person_id_of
from safetab_sql.kit.objects import is_url
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, sql_files
from safetab_sql.public.checks import checks_of_parts
from safetab_sql.public.inputs import InputPaths, Intake

_OPTIONAL = ("code_lists", "totals", "region_names")


@dataclass(frozen=True, slots=True)
class Job:
    """How every part is counted, from public inputs alone.

    parameters: their file. person_id: the column of ids, if there is one. given, is_text, table: as in the `Source` of
    the persons. places: of the `Checks`. tables: the public tables that statements read, each a Parquet file of its
    name in the folder `catalog`.
    """

    parameters: str
    person_id: str | None
    given: str
    is_text: bool
    table: tuple[str, str] | None
    places: Mapping[str, str]
    tables: tuple[str, ...]
    catalog: Path


def new_job(intake: Intake, paths: InputPaths, catalog: Path) -> Job:
    """The job of an intake whose catalog of the run has been built; its public tables go into folder `catalog`."""
    files = [*record_views(), *checks_of_parts(), *folder_files("run/3_people", "run/4_totals", "run/5_tables")]
    files.append(sql_files()["parts_without_persons"])
    read = {name for file in files for name in file.tables_read}
    tables = tuple(name for name in sorted(read) if sql_files()[name].zone == "public")
    for name in tables:
        intake.database.copy_table(name, catalog / f"{name}.parquet", "format parquet, compression zstd")
    persons = intake.sources["persons"]
    return Job(
        parameters=str(Path(paths.parameters).absolute()),
        person_id=person_id_of(paths, intake.parameters),
        given=persons.given,
        is_text=persons.is_text,
        table=persons.table,
        places=dict(intake.checks.places),
        tables=tables,
        catalog=catalog,
    )


def record_views() -> list[SqlFile]:
    """The views of sql/run/1_inputs that read person files."""
    return [file for file in folder_files("run/1_inputs") if (file.zone, file.kind) == ("confidential", "view")]


def absolute(inputs: InputPaths) -> InputPaths:
    """The inputs by paths that hold from any folder, or by their URLs. None of them may be a table of Python."""
    given = {name: getattr(inputs, name) for name in ("parameters", "persons", "geography", *_OPTIONAL)}
    absolute = {
        name: str(path) if is_url(path) else str(Path(path).absolute())
        for name, path in given.items()
        if path is not None
    }
    return replace(inputs, **cast(dict[str, Any], absolute))
