"""How SQL that is shown reads inputs that are no Parquet files: through views over them, where they lie.

A run makes Parquet of text, of tables of databases, and of lists that the parameters hold, in a private folder. What is
shown is for a DuckDB prompt, and writes no file: whoever has the inputs would leave a copy of them behind.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name, render, sql_files
from safetab_sql.public.as_parquet import text_values
from safetab_sql.public.sources import Source

_PREFIX = "given_"
_READ = re.compile(rf"read_parquet\(\['({_PREFIX}\w+)'\][^)]*\)")
# What read_parquet says of each record. Only the checks show it, and a script has none.
_PLACE = "(values ('', 0)) as places(person_file, file_row_number)"
PERSONS = "persons"


@dataclass(frozen=True, slots=True)
class GivenView:
    """A view of an input. name: such as given_persons. statements: what makes it, without semicolons."""

    name: str
    statements: tuple[str, ...]


def view_name(input_name: str) -> str:
    """The name of the view of an input, such as the persons."""
    return _PREFIX + re.sub(r"\W", "_", input_name)


def view_of(input_name: str, source: Source) -> GivenView:
    """The view of text files, or of a table of a database. Raises: InputError with every file without a header row."""
    if source.table is None:
        return _view(input_name, _text_rows(source))
    file = str(source.files[0])
    attached = f"attach if not exists {literal(file)} as {quoted_name(file)} (read_only)"
    table = ".".join(map(quoted_name, (file, *source.table)))
    return _view(input_name, f"from {table}", attached)


def view_of_rows(input_name: str, columns: Mapping[str, Sequence[str]]) -> GivenView:
    """The view of a list that the parameters hold. columns: its texts, by their names."""
    rows = ", ".join(f"({', '.join(map(literal, row))})" for row in zip(*columns.values(), strict=True))
    names = ", ".join(map(quoted_name, columns))
    return _view(input_name, f"from (values {rows}) as listed({names})")


def through_views(statement: str) -> str:
    """The statement, with views where it reads inputs that have one."""
    return _READ.sub(lambda found: quoted_name(found[1]), statement)


def views_read(statement: str, views: Iterable[GivenView]) -> Iterator[str]:
    """What makes the views that a statement reads: one text for each."""
    names = set(_READ.findall(statement))
    for view in views:
        if view.name in names:
            yield from view.statements


def _view(input_name: str, rows: str, *before: str) -> GivenView:
    name, kind = view_name(input_name), "view"
    placed = f",\n{_PLACE}" if input_name == PERSONS else ""
    return GivenView(name, (*before, f"create or replace {kind} {quoted_name(name)} as\nfrom (\n{rows}\n){placed}"))


def _text_rows(source: Source) -> str:
    """The rows of text files, every field as text."""
    values = [text_values(file) for file in source.files]
    refuse([found for found in values if isinstance(found, Problem)])
    read = [render(sql_files()["delimited_text"], found) for found in values if not isinstance(found, Problem)]
    return "\nunion all by name\n".join(statement.inlined for statement in read)
