"""Inputs that Python holds become Parquet files in a private folder, which ends with the command, whatever happens."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from safetab_sql.kit.arrow_tables import Table, described, is_path, record_batches, unreadable
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.inputs import InputPaths, attempt
from safetab_sql.public.sources import Source

_INPUTS = ("persons", "geography", "totals", "region_names")


@dataclass(frozen=True, slots=True)
class FilesOfInputs:
    """Inputs that are all files. names: what messages call the files and folders that were tables."""

    paths: InputPaths
    names: Mapping[str, str]

    def problem(self, problem: Problem) -> Problem:
        """The problem by the name of the table."""
        what = problem.what
        for file, name in self.names.items():
            what = what.replace(file, name)
        return replace(problem, where=self.names.get(problem.where, problem.where), what=what)

    def source(self, source: Source) -> Source:
        """The source by the name of the table."""
        return replace(source, given=self.names.get(source.given, source.given))


def has_tables(inputs: InputPaths) -> bool:
    """Whether any input is a table."""
    return any(True for _ in _tables(inputs))


@contextmanager
def files_of_inputs(inputs: InputPaths, resources: Resources) -> Iterator[FilesOfInputs]:
    """The inputs with every table written to a private scratch folder, as long as the block lasts.

    Raises: InputError where something is neither a path nor a table, or a table cannot be read.
    """
    if not has_tables(inputs):
        yield FilesOfInputs(inputs, {})
        return
    with scratch_folder(resources.scratch) as scratch:
        folder = scratch / "code_lists"
        folder.mkdir()
        names, problems = {str(folder): described("code_lists", inputs.code_lists)}, list[Problem]()
        written: dict[str, Any] = {"code_lists": folder} if isinstance(inputs.code_lists, Mapping) else {}
        with open_database(scratch, [], [], resources) as database:
            for name, stem, table in _tables(inputs):
                file = scratch / f"{name}.parquet" if stem is None else folder / f"{stem}.parquet"
                argument = name if stem is None else f"{name}[{stem!r}]"
                names[str(file)] = described(argument, table)
                written |= {name: file} if stem is None else {}
                attempt(problems, partial(_write, database, argument, table, file))
        refuse(problems)
        yield FilesOfInputs(replace(inputs, **written), names)


def _tables(inputs: InputPaths) -> Iterator[tuple[str, str | None, Table]]:
    """Name, name of the code list, and table of every input that is no path."""
    for name in _INPUTS:
        given = getattr(inputs, name)
        if given is not None and not is_path(given):
            yield name, None, given
    if isinstance(inputs.code_lists, Mapping):
        yield from (("code_lists", stem, table) for stem, table in inputs.code_lists.items())


def _write(database: Database, argument: str, table: Table, file: Path) -> None:
    rows = record_batches(argument, table)
    try:
        database.write(rows, file)
    except (pa.ArrowException, duckdb.Error) as error:
        raise InputError([unreadable(argument, table, error)]) from error
