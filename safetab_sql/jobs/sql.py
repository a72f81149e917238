"""The SQL for people to look at: the list of statements, each one rendered, the whole run as a script, and plans."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import duckdb
import pyarrow as pa

from safetab_sql.jobs.sample_values import SAMPLE_VALUES
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.guesses import nearest
from safetab_sql.kit.sqlfiles import (
    RUN,
    SqlFile,
    definition,
    literal,
    macro_files,
    macros_called,
    packaged_folder,
    python_files,
    quoted_name,
    render,
    sql_files,
)
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.as_parquet import text_values
from safetab_sql.public.ladder_values import publishing_values
from safetab_sql.public.ladders import Ladder
from safetab_sql.public.list_values import all_lists, iteration_lists, list_kinds, list_values
from safetab_sql.public.parameters import Parameters, load_parameters
from safetab_sql.public.person_values import person_columns, person_values
from safetab_sql.public.place_values import geography_values
from safetab_sql.public.published_totals import BY_TOTALS, TOTALS, is_by_totals, totals_values
from safetab_sql.public.region_expressions import presumed_columns, region_expression_problems
from safetab_sql.public.sources import Source, find_code_lists, find_records, find_source, stored_types
from safetab_sql.public.statement_values import parameter_values

_PUBLISH = f"{RUN}/6_publish"  # made once for each ladder


def example_parameters() -> Path:
    """The parameters of the embedded example."""
    return packaged_folder("configs") / "example.toml"


def display_values(
    parameters: Path | None = None,
    persons: str | None = None,
    geography: str | None = None,
    code_lists: Path | None = None,
    *,
    totals: str | None = None,
    ladder: str | None = None,
) -> dict[str, object]:
    """A value for every parameter of every statement; inputs that are not named get an invented file name and columns.

    ladder: whose tables are published; the first where none is named. Raises: InputError where a named input cannot be
    read, or where there is no such ladder.
    """
    read = load_parameters(parameters or example_parameters())
    lists = find_code_lists(code_lists, read.questions.lists) if code_lists else {}
    values = parameter_values(read)
    values |= SAMPLE_VALUES
    wanted = person_columns(read)
    values |= person_values(*_named("persons", persons, wanted), read)
    values |= geography_values(*_geography(geography, read), read)
    named = [
        *([find_records(persons, wanted)] if persons else []),
        *([find_source(geography)] if geography else []),
    ]
    named += lists.values()
    values["text_inputs"] = _text_inputs(named)
    made: dict[str, object] = {}
    for name, stem in all_lists(read.questions).items():
        given = lists[name].given if name in lists else None
        made |= list_values(name, *_named(f"code-lists/{stem}", given, list_kinds(name, read)), read)
    values |= made | iteration_lists(made, read.questions)
    read_totals = _named(TOTALS, totals, ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT"))
    values |= totals_values(*read_totals, read)
    values["is_by_totals"] = is_by_totals(read)
    ladders = {each.name: publishing_values(read, each) for each in _ladders(read, ladder)}
    return {**values, "ladders": ladders, **next(iter(ladders.values()))}


def _ladders(parameters: Parameters, name: str | None) -> tuple[Ladder, ...]:
    """The ladder of that name; all where none is named. Raises: InputError if there is none."""
    found = tuple(ladder for ladder in parameters.ladders if name in (None, ladder.name))
    names = ", ".join(ladder.name for ladder in parameters.ladders)
    refuse([] if found else [Problem("--ladder", f"no ladder is called '{name}'", f"name one of {names}")])
    return found


def _geography(given: str | None, parameters: Parameters) -> tuple[str, list[str], list[dict[str, pa.DataType]]]:
    """As `_named`, of the geography, with the columns that region types read. Raises: InputError where one is wrong."""
    if given is None:
        return _named("geography", None, presumed_columns(parameters))
    found = _named("geography", given, presumed_columns(parameters))
    refuse(region_expression_problems(parameters, list(found[2][0])))
    return found


def _named(name: str, given: str | None, columns: Iterable[str]) -> tuple[str, list[str], list[dict[str, pa.DataType]]]:
    """Place, files and stored types of an input; where it is not given, of an invented Parquet file of text columns.

    Text inputs and tables of databases are shown as the Parquet file that a run makes of them.
    """
    if given is None:
        return name, [f"{name}.parquet"], [{column: pa.string() for column in columns}]
    source = find_source(given)
    if source.table is not None:
        return given, [f"{source.table[1]}.parquet"], stored_types(source, source.files)
    if source.is_text:
        rewritten = [f"{file.stem}.parquet" for file in source.files]
        return given, rewritten, [{column: pa.string() for column in columns}]
    return given, [str(file) for file in source.files], stored_types(source, source.files)


def _text_inputs(sources: Sequence[Source]) -> list[dict[str, str]]:
    """For each text file among `sources`: the values of statement delimited_text, and the Parquet file that it makes.

    Raises: InputError with every file that has no header row.
    """
    files = [file for source in sources if source.is_text for file in source.files]
    found = [text_values(file) for file in files]
    refuse([values for values in found if isinstance(values, Problem)])
    return [
        {**values, "target": f"{file.stem}.parquet"}
        for file, values in zip(files, found, strict=True)
        if not isinstance(values, Problem)
    ]


def find_statement(name: str) -> SqlFile:
    """The statement, or the macro, called `name`. Raises: InputError that names the nearest ones."""
    files = {**sql_files(), **macro_files()}
    if name in files:
        return files[name]
    near = nearest(name, files)
    fix = f"did you mean '{near}'?" if near else "see `safetab-sql sql list`"
    raise InputError([Problem("sql", f"no statement is called '{name}'", fix)])


def run_files() -> list[SqlFile]:
    """The statements of a run, in run order, and where they enter the tables that Python fills."""
    return [file for file in sql_files().values() if file.folder.startswith(f"{RUN}/")]


def statements() -> list[dict[str, str]]:
    """Every statement, then every macro: its file below sql/, zone, and what one row (of a macro: its value) is."""
    files = [*sql_files().values(), *macro_files().values()]
    return [
        {"file": f"{file.folder}/{file.name}", "zone": file.zone, "holds": file.grain or file.title} for file in files
    ]


def listing() -> str:
    """The statements and macros for people to read."""
    return aligned([tuple(each.values()) for each in statements()])


def shown(file: SqlFile, values: Mapping[str, object]) -> str:
    """The header of `file`, the macros that its statement calls, and the statement, values inlined."""
    if file.kind == "macro":
        return f"{file.header}\n{definition(file)}\n"
    return f"{file.header}\n{render(file, values).pasteable}\n"


def script(values: Mapping[str, object]) -> str:
    """The whole run as one script for a DuckDB prompt; the tables that Python fills with noise are made empty."""
    parts = ["-- A run of safetab-sql as one script. Where Python adds noise, tables of kind `python` stand empty."]
    texts = values["text_inputs"]
    for text in texts if isinstance(texts, list) else []:
        statement = render(sql_files()["delimited_text"], text)
        parts.append(f"copy (\n{statement.inlined}\n) to {literal(text['target'])} (format parquet);")
    made = [file for file in run_files() if file.kind != "file" and is_made(file, values)]
    parts += run_macros(values)
    ladders = cast(Mapping[str, Mapping[str, object]], values["ladders"])
    parts += _created([file for file in made if file.folder != _PUBLISH], values)
    for name, own in ladders.items():
        parts += [f"-- The tables of {name}."] if len(ladders) > 1 else []
        parts += _created([file for file in made if file.folder == _PUBLISH], {**values, **own})
    return "\n\n".join(parts) + "\n"


def _created(files: Sequence[SqlFile], values: Mapping[str, object]) -> Iterator[str]:
    """Each statement with its header, as one that makes its table."""
    for file in files:
        kind = "view" if file.kind == "view" else "table"  # of slices too: here all geo units are one
        create = f"create or replace {kind} {quoted_name(file.name)} as"
        yield f"{file.header}\n{create}\n{render(file, values).inlined};"


def is_made(file: SqlFile, values: Mapping[str, object]) -> bool:
    """Whether a run makes the table: those of published totals are made only where these pick tables."""
    return file.name not in BY_TOTALS or bool(values["is_by_totals"])


def run_macros(values: Mapping[str, object]) -> list[str]:
    """The macros that the statements of a run call, each with its header."""
    text = "\n".join(render(file, values).text for file in run_files() if is_made(file, values))
    return [f"{macro.header}\n{definition(macro)}" for macro in macros_called(text)]


def query_plan(file: SqlFile, values: Mapping[str, object]) -> str:
    """DuckDB's plan of a statement over empty tables; nothing is executed on data.

    Raises: InputError where the statement itself reads a file that is not there, or where `file` is a macro.
    """
    if file.kind == "macro":
        raise InputError(
            [Problem(file.name, "is a macro, and has no plan of its own", "name a statement that calls it")]
        )
    connection = empty_database(values)
    try:
        statement = render(file, values)
        rows = connection.execute(f"explain {statement.text}", dict(statement.bound)).fetchall()
    except duckdb.IOException as error:
        fix = "name the inputs: --persons, --geography, --code-lists"
        raise InputError([Problem(file.name, f"reads files: {str(error).splitlines()[0]}", fix)]) from error
    finally:
        connection.close()
    return "\n".join(str(row[1]) for row in rows)


def empty_database(values: Mapping[str, object]) -> duckdb.DuckDBPyConnection:
    """An in-memory database with every macro and, empty, every table of a run and of the other commands.

    Each table is made by its own statement; where that reads files, by the columns that its header declares.
    """
    connection = duckdb.connect(":memory:")
    for macro in macro_files().values():
        connection.execute(macro.body)
    tables = [file for file in sql_files().values() if file.kind != "python" and file.folder != "checks"]
    for file in [*python_files().values(), *tables]:
        if len(file.tables_read) == len(file.reads) and file.kind != "file":
            statement = render(file, values)
            text = f"create table {quoted_name(file.name)} as from ({statement.text}) limit 0"
            connection.execute(text, dict(statement.bound))
        elif file.columns:
            columns = [
                f"{quoted_name(name)} {column.type}"
                for column in file.columns
                for name in _column_names(column.name, values)
            ]
            connection.execute(f"create table {quoted_name(file.name)} ({', '.join(columns)})")
    return connection


def _column_names(column: str, values: Mapping[str, object]) -> list[str]:
    """The column itself, or the columns that a templated column stands for."""
    if not column.startswith("{{"):
        return [column]
    named = values[column.strip("{ }")]
    return [each["name"] for each in named] if isinstance(named, list) else []
