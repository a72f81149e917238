"""The SQL for people to look at: the list of statements, each one rendered, and the whole run as a script."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from safetab_sql.kit import sqlfiles
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.public import readers
from safetab_sql.public.catalog import BY_TOTALS, build_catalog, is_by_totals, tally_slots
from safetab_sql.public.columns import TEXT, Kind, StoredTypes
from safetab_sql.public.expressions import presumed_columns, region_expression_problems
from safetab_sql.public.gate import public_code_lists, public_source, records_at
from safetab_sql.public.inputs import PERSONS, checked_public_inputs, default_code_lists
from safetab_sql.public.readers import TOTALS
from safetab_sql.public.sources import Source, find_source, stored_types
from safetab_sql.public.text_files import Header, text_header
from safetab_sql.public.values import parameter_values, publishing_values
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Amount
from safetab_sql.settings.parameters import load_parameters

# How SQL that is shown reads inputs that are no Parquet files: through views over them, where they lie. A run makes
# Parquet of text, of tables of databases, and of lists that the parameters hold, in a private folder. What is shown
# is for a DuckDB prompt, and writes no file: whoever has the inputs would leave a copy of them behind.

_OF_TOTALS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT")
_PREFIX = "given_"
_READ = re.compile(rf"read_parquet\(\s*\['({_PREFIX}\w+)'\][^)]*\)")
# What read_parquet says of each record. Only the checks show it, and a script has none.
_PLACE = "(values ('', 0)) as places(person_file, file_row_number)"
Given: TypeAlias = str | Path | None  # an input that somebody names


def through_views(statement: str) -> str:
    """The statement, with views where it reads inputs that have one."""
    return _READ.sub(lambda found: sqlfiles.quoted_name(found[1]), statement)


_PUBLISH = f"{sqlfiles.RUN}/6_publish"  # made once for each ladder
_HEAD = """\
-- A run of safetab-sql as one script, for DuckDB 1.4 or later: `duckdb < run.sql`. It reads the inputs where they lie
-- and writes no file. Its tables, in the memory of that prompt, hold exact counts of people, which are confidential.
-- Python draws the noise, so this script has none: see its last lines."""
_TAIL = """\
-- END OF THE SCRIPT. It counts, and publishes nothing. Python draws the noise of a run; here the tables of kind
-- `python` (noisy totals and cells) are empty, so every table made from them is empty too: the published tables, such
-- as t1 and t2, have no rows. The exact counts above are complete. `safetab-sql run` makes the published tables."""


def example_parameters() -> Path:
    """The parameters of the embedded example."""
    return sqlfiles.packaged_folder("configs") / "example.toml"


def display_values(
    parameters: Given = None,
    persons: Given = None,
    geography: Given = None,
    code_lists: Given = None,
    totals: Given = None,
) -> dict[str, object]:
    """A value for every parameter of every statement; inputs that are not named get an invented file name and columns.

    Raises: InputError where a named input cannot be read.
    """
    read = load_parameters(parameters or example_parameters())
    confidential = records_at(persons)
    lists = public_code_lists(code_lists, read.questions.lists, confidential) if code_lists else {}
    # Invented values: what neither parameters nor inputs say.
    invented = tomllib.loads((sqlfiles.packaged_folder("sql") / "samples.toml").read_text(encoding="utf-8"))
    values, wanted = {**parameter_values(read), **invented}, readers.person_columns(read)
    values["attribute"] = Attribute("AGE", column="QAGE", minimum=0, maximum=115)
    values["amount"] = Amount("amount_2", "DAYS", "DAYS", 0, 30)
    given = {"geography": geography, TOTALS: totals}
    public = lists | {name: public_source(name, one, confidential) for name, one in given.items() if one is not None}
    named = {
        PERSONS: _named(PERSONS, None if persons is None else find_source(persons), wanted),
        "geography": _named("geography", public.get("geography"), dict.fromkeys(presumed_columns(read), TEXT)),
        TOTALS: _named(TOTALS, public.get(TOTALS), dict.fromkeys(_OF_TOTALS, TEXT)),
    }
    held = readers.lists_of_values(read)
    stems = {**dict.fromkeys(held, ""), **read.questions.lists}
    for name, stem in stems.items():
        columns = readers.list_kinds(name, read)
        named[name] = _held(name, held[name]) if name in held else _named(name, public.get(name), columns, stem)
    refuse(region_expression_problems(read, list(named["geography"].types[0])) if geography else [])
    values |= readers.person_values(*named[PERSONS][:3], read)
    values |= readers.geography_values(*named["geography"][:3], read)
    if code_lists or not read.questions.lists:
        with checked_public_inputs(parameters or example_parameters(), None, code_lists, Resources()) as intake:
            build_catalog(intake.database, intake.parameters)
            values["tally_slots"] = tally_slots(intake.database)
    if read.unit.person is None:  # the statements of persons can be shown too
        values["record_keys"] = {"person_key": "cast(null as varchar)"}
    of_lists = dict(item for name in stems for item in readers.list_values(name, *named[name][:3], read).items())
    values |= of_lists | readers.read_together(of_lists, read.questions)
    values |= readers.totals_values(*named[TOTALS][:3], read)
    values["views"] = {one.files[0]: one.made for one in named.values() if one.made}
    ladders = {each.name: publishing_values(read, each) for each in read.ladders}
    return {**values, "is_by_totals": is_by_totals(read), "ladders": ladders, **next(iter(ladders.values()))}


def script_values(
    parameters: Given, persons: Given, geography: Given, code_lists: Given, totals: Given
) -> dict[str, object]:
    """As `display_values`, for a script that runs: with all inputs of a run, or with none, for the example's inputs.

    Raises: InputError also where some inputs are named, and others that the run needs are not.
    """
    given = {"--parameters": parameters, "--persons": persons, "--geography": geography}
    if {*given.values(), code_lists, totals} == {None}:
        folder = sqlfiles.packaged_folder("sql") / "example"
        files = (str(folder / "persons.parquet"), str(folder / "geography.parquet"), folder / "code-lists")
        return display_values(folder / "parameters.toml", *files)
    if parameters is not None:
        read = load_parameters(parameters)
        code_lists = code_lists or default_code_lists(Path(parameters))
        given |= {"--code-lists": code_lists} if read.questions.lists else {}
        given |= {"--totals": totals} if is_by_totals(read) else {}
    missing = [option for option, value in given.items() if value is None]
    what = f"{', '.join(missing)} missing: a script that runs reads every input of the run"
    fix = "name them, or no input at all for the script of the embedded example"
    refuse([Problem("sql show --all", what, fix)] if missing else [])
    return display_values(parameters, persons, geography, code_lists, totals)


class _Named(NamedTuple):
    """An input as statements read it. files: Parquet files, or its view. types: of the columns of each.

    made: what makes the view, without semicolons.
    """

    given: str
    files: list[str]
    types: StoredTypes
    made: tuple[str, ...] = ()


def _named(name: str, source: Source | None, columns: Mapping[str, Kind], stem: str = "") -> _Named:
    """How statements read an input; where it is not given, as an invented Parquet file of texts, or of lists of them.

    stem: of a code list, the name of its file. Raises: InputError where the input cannot be read.
    """
    if source is None:
        place = f"code-lists/{stem}" if stem else name
        texts = {each: pa.list_(pa.string()) if kind.is_list else pa.string() for each, kind in columns.items()}
        return _Named(place, [f"{place}.parquet"], [texts])
    if source.is_parquet:
        return _Named(source.given, [str(file) for file in source.files], stored_types(source, source.files))
    if source.table is not None:
        file = str(source.files[0])
        attached = f"attach if not exists {sqlfiles.literal(file)} as {sqlfiles.quoted_name(file)} (read_only)"
        rows = f"from {'.'.join(map(sqlfiles.quoted_name, (file, *source.table)))}"
        return _viewed(name, source.given, stored_types(source, source.files), rows, attached)
    headers = {file: text_header(file) for file in source.files}
    types = [dict.fromkeys(header.names, pa.string()) for header in headers.values()]
    return _viewed(name, source.given, types, "\nunion all by name\n".join(starmap(_reading, headers.items())))


def _reading(file: Path, header: Header) -> str:
    """The statement that reads a text file."""
    columns = ", ".join(f"{sqlfiles.literal(name)}: 'varchar'" for name in header.names)
    marks = {"delimiter": header.delimiter, "quotation_mark": header.quotation_mark}
    values = {"text_file": str(file), "text_columns": f"{{ {columns} }}", **marks}
    return sqlfiles.render(sqlfiles.sql_files()["delimited_text"], values).inlined


def _held(name: str, columns: Mapping[str, Sequence[str]]) -> _Named:
    """How statements read a list that the parameters hold: columns of text."""
    rows = ", ".join(f"({', '.join(map(sqlfiles.literal, row))})" for row in zip(*columns.values(), strict=True))
    listed = f"from (values {rows}) as listed({', '.join(map(sqlfiles.quoted_name, columns))})"
    return _viewed(name, name, [dict.fromkeys(columns, pa.string())], listed)


def _viewed(input_name: str, given: str, types: StoredTypes, rows: str, *before: str) -> _Named:
    """An input that statements read through a view of `rows`."""
    name, placed = _PREFIX + re.sub(r"\W", "_", input_name), f",\n{_PLACE}" if input_name == PERSONS else ""
    view = f"create or replace view {sqlfiles.quoted_name(name)} as\nfrom (\n{rows}\n){placed}"
    return _Named(given, [name], types, (*before, view))


def find_statement(name: str) -> sqlfiles.SqlFile:
    """The statement, or the macro, called `name`. Raises: InputError that names the nearest ones."""
    files = {**sqlfiles.sql_files(), **sqlfiles.macro_files()}
    if name in files:
        return files[name]
    near = nearest(name, files)
    fix = f"did you mean '{near}'?" if near else "see `safetab-sql sql list`"
    raise InputError([Problem("sql", f"no statement is called '{name}'", fix)])


def run_files() -> list[sqlfiles.SqlFile]:
    """The statements of a run, in run order, and where they enter the tables that Python fills."""
    return [file for file in sqlfiles.sql_files().values() if file.folder.startswith(f"{sqlfiles.RUN}/")]


def statements() -> list[dict[str, str]]:
    """Every statement, then every macro: its file below sql/, zone, and what one row (of a macro: its value) is."""
    files = [*sqlfiles.sql_files().values(), *sqlfiles.macro_files().values()]
    return [{"file": f"{one.folder}/{one.name}", "zone": one.zone, "holds": one.grain or one.title} for one in files]


def shown(file: sqlfiles.SqlFile, values: Mapping[str, Any]) -> str:
    """The header of `file`, the macros and the views of inputs that its statement needs, and the statement."""
    if file.kind == "macro":
        return f"{file.header}\n{file.body.strip()};\n"
    text = sqlfiles.render(file, values).pasteable
    read = [made for name, made in values["views"].items() if name in _READ.findall(text)]
    made = "".join(f"{statement};\n\n" for view in read for statement in view)
    return f"{file.header}\n{made}{through_views(text)}\n"


def script(values: Mapping[str, Any]) -> str:
    """The whole run as one script for a DuckDB prompt; the tables that Python fills with noise are made empty."""
    made = [file for file in run_files() if file.kind != "file" and is_made(file, values)]
    ladders = values["ladders"]
    parts = _created([file for file in made if file.folder != _PUBLISH], values)
    for name, own in ladders.items():
        parts += [f"-- The tables of {name}."] if len(ladders) > 1 else []
        parts += _created([file for file in made if file.folder == _PUBLISH], {**values, **own})
    views = [f"{statement};" for view in values["views"].values() for statement in view]
    return through_views("\n\n".join([_HEAD, *views, *run_macros(values), *parts, _TAIL])) + "\n"


def _created(files: Sequence[sqlfiles.SqlFile], values: Mapping[str, object]) -> list[str]:
    """Each statement with its header, as one that makes its table."""
    kinds = {file.name: "view" if file.kind == "view" else "table" for file in files}  # slices: all geo units are one
    return [
        f"{file.header}\ncreate or replace {kinds[file.name]} {sqlfiles.quoted_name(file.name)} as\n"
        f"{sqlfiles.render(file, values).inlined};"
        for file in files
    ]


def is_made(file: sqlfiles.SqlFile, values: Mapping[str, object]) -> bool:
    """Whether a run makes the table.

    Tables of published totals are made where these pick tables; of persons where the parameters name persons.
    """
    if file.folder == "run/3_kept":
        return bool(values["person_bounds"])
    return file.name not in BY_TOTALS or bool(values["is_by_totals"])


def run_macros(values: Mapping[str, object]) -> list[str]:
    """The macros that the statements of a run call, each with its header."""
    text = "\n".join(sqlfiles.render(file, values).text for file in run_files() if is_made(file, values))
    return [f"{macro.header}\n{macro.body.strip()};" for macro in sqlfiles.macros_called(text)]
