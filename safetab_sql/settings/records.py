"""Person views: records that a statement of the user's makes of several tables, one row a person.

[records]
query = "patients.sql"           # beside the parameter file: one select, see public/person_views.py
[records.tables.stays]           # private: a column names the person of each row
files = "stays/*.parquet"        # in the folder that --persons names
person = "PATIENT"
[records.tables.calendar]        # public: no row belongs to a person
files = "calendar.parquet"       # beside the parameter file
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.settings.markers import Means, Name, Named, Sized, Text
from safetab_sql.settings.reading import Document, text_of
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

RECORDS_KEY = "records"
_MOST_TABLES = 100


@table
class ViewTable:
    """A table that the statement reads. files: a file, glob or folder. person: its column of persons, if private."""

    name: Annotated[
        str,
        Name("a table", "[A-Za-z_][A-Za-z0-9_]{0,62}", "use letters, digits and _, no digit first, at most 63 in all"),
    ]
    files: Annotated[str, Text(), Means("a file, a glob, or a folder: of a private table, below --persons")]
    person: Annotated[str | None, Text(), Means("the column that names the person; public tables have none")] = None


@table
class View:
    """The records as a statement makes them. query: the name of its file, beside the parameter file."""

    query: Annotated[
        str,
        Text(r"[^/\\]+\.sql", 'name a file beside this one, such as query = "patients.sql"'),
        Means("the file of the statement, beside this one"),
    ]
    tables: Annotated[
        tuple[ViewTable, ...],
        Named(),
        Sized(1, _MOST_TABLES, what="{} tables", fix=f"declare 1 to {_MOST_TABLES}"),
        Means("the tables that the statement reads"),
    ]

    def amiss(self) -> Iterator[Wrong]:
        """No table of persons, or two names that SQL does not tell apart."""
        if all(each.person is None for each in self.tables):
            yield Wrong("no table has a person", 'name the column of the person in some table, such as person = "ID"')
        names = [each.name.lower() for each in self.tables]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield Wrong(f"two tables are called {name}", "rename one; capitals make no difference")


@dataclass(frozen=True, slots=True)
class RecordsQuery:
    """A statement that makes the records. query: the name of its file. text: the statement."""

    query: str
    text: str
    tables: tuple[ViewTable, ...]


def query_of(view: View | None, folder: Path) -> RecordsQuery | None:
    """The statement in its file beside the parameter file. Raises: InputError where it cannot be read."""
    if view is None:
        return None
    fix = 'write the statement into it, or name another file: query = "patients.sql"'
    return RecordsQuery(view.query, text_of(folder / view.query, fix), view.tables)


def records_problems(document: Document, view: View | None, person: str | None) -> Iterator[Problem]:
    """A statement that cannot be read, or whose result has no column of the person."""
    if view is not None and person is None:
        fix = 'name the column of the person in the result, under [unit]: person = "PATIENT"'
        yield document.problem((RECORDS_KEY,), "unit.person is missing", fix)
    try:
        query_of(view, document.path.parent)
    except InputError as error:
        yield from error.problems
