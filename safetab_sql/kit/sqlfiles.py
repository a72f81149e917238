"""The statements and macros under sql/: find them, read their headers, render them. Executes nothing."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined, Template

Value = str | int | bool | None | Iterable[str] | Iterable[int | None] | Iterable[bool]

MACROS = "macros"  # the folder of macros: they define how values are read, and statements call them
RUN = "run"  # the folder whose statements make a run, in the order of its numbered folders

# A quoted text, a quoted name, a comment, or a bound parameter; only the parameter has the group `name`.
_PARAMETER = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|\$(?P<name>[a-z_][a-z0-9_]*)")
_CALL = re.compile(r"\b([a-z_][a-z0-9_]*)\(")
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9_]*")  # needs no quotation marks behind a table or `as`
_TRUE = ["true"]
_FIELD = re.compile(r"^-- ([a-z]+) +(.*(?:\n--  .*)*)", re.MULTILINE)


class Column(NamedTuple):
    """One column of a table, as a header declares it."""

    name: str
    type: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class SqlFile:
    """One statement, or one macro: its place, what its header declares, and its text.

    folder: below sql/, such as run/4_totals. kind: table, view, file, stream (rows that are read once, slice by
    slice), slice, slices, range (rows that are read range by range), or python (a table that Python fills: its
    statement follows from its header and makes it empty, for those who run or check the SQL alone). A check may be of
    kind screened (it runs only if some record is not counted), note or warning (their rows are no problem), or both.
    A file in the folder of macros is of kind macro. reads: names of tables, and of $parameters that are
    files. grain: what one row is, "one row per ...". seconds: duration in a national run. parameters: bound ($name) and
    templated ({{ name }}) values, without their marks; of a macro, its arguments.
    """

    name: str
    folder: str
    title: str
    zone: str
    kind: str
    reads: tuple[str, ...]
    grain: str
    seconds: float
    columns: tuple[Column, ...]
    parameters: tuple[str, ...]
    fields: Mapping[str, str]
    header: str
    body: str

    @property
    def tables_read(self) -> tuple[str, ...]:
        """The tables among `reads`."""
        return tuple(name for name in self.reads if not name.startswith("$"))


class Statement(NamedTuple):
    """A rendered statement: text with $names, and the values that are bound to them."""

    text: str
    bound: Mapping[str, Value]

    @property
    def inlined(self) -> str:
        """The statement with its values written out."""
        return _PARAMETER.sub(lambda it: literal(self.bound[it["name"]]) if it["name"] else it[0], self.text)

    @property
    def pasteable(self) -> str:
        """The statement as text for any DuckDB prompt: the macros that it calls, then itself with its values."""
        return "".join(f"{macro.body.strip()};\n\n" for macro in macros_called(self.text)) + self.inlined


def packaged_folder(name: str) -> Path:
    """`sql` or `configs`: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


@cache
def sql_files() -> Mapping[str, SqlFile]:
    """Every statement by its name, without the macros: the statements of a run in run order, then all others.

    Folders come in the order of their names; within a folder, a table comes after the tables it reads.
    """
    root = packaged_folder("sql")
    found = {path.parent for path in root.glob("*/**/*.sql")} - {root / MACROS}
    folders = sorted(found, key=lambda folder: (not folder.is_relative_to(root / RUN), folder))
    ordered: dict[str, SqlFile] = {}
    for folder in folders:
        files = {path.stem: _read(path, root) for path in sorted(folder.glob("*.sql"))}
        before = {name: [read for read in file.reads if read in files] for name, file in files.items()}
        ordered |= {name: files[name] for name in TopologicalSorter(before).static_order()}
    return ordered


@cache
def macro_files() -> Mapping[str, SqlFile]:
    """Every macro by its name. No macro calls another, so their order does not matter."""
    root = packaged_folder("sql")
    return {path.stem: _read(path, root) for path in sorted((root / MACROS).glob("*.sql"))}


def macros_called(text: str) -> list[SqlFile]:
    """The macros that a statement calls."""
    called = set(_CALL.findall(text))
    return [macro for name, macro in macro_files().items() if name in called]


def folder_files(*folders: str) -> list[SqlFile]:
    """The statements in or below the folders, in run order, without the tables that Python fills."""
    inside = tuple(f"{folder}/" for folder in folders)
    return [file for file in sql_files().values() if f"{file.folder}/".startswith(inside) and file.kind != "python"]


def render(file: SqlFile, values: Mapping[str, object]) -> Statement:
    """The statement of `file` with `values`: templated names are filled in, all other values are bound.

    Raises: jinja2.UndefinedError and KeyError where a value is missing: a fault of ours, not the user's.
    """
    text = _template(file.body).render(values) if "{" in file.body else file.body  # few are templates, slow to parse
    text = text.replace(f"{_GAP},", "").replace(_GAP, "")
    bound = {name: values[name] for name in bound_names(text)}
    return Statement(text=text.strip(), bound=bound)  # type: ignore[arg-type]


@cache
def _template(body: str) -> Template:
    """The template of a statement, with calls of `placed` for its slots."""
    for slot in _SLOTS:
        body = slot.sub(lambda it: f"{{{{ placed({it[3]}, {it[1] + it[2]!r}, {it[4]!r}) }}}}", body)
    return ENVIRONMENT.from_string(body)


def bound_names(text: str) -> list[str]:
    """The $names in a statement, each once, in order of appearance."""
    return list(dict.fromkeys(match["name"] for match in _PARAMETER.finditer(text) if match["name"]))


def literal(value: Value) -> str:
    """`value` as a DuckDB literal; None is NULL."""
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value).lower()  # true and false are whole numbers of Python's
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "[" + ", ".join(literal(item) for item in value) + "]"


def quoted_name(name: str) -> str:
    """`name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


# Filters of templates: the lines of SQL that stand in a statement for columns and conditions that differ from run to
# run, as in {{ amounts | of("persons") }}. Such a slot has a line of the statement to itself; where there is nothing to
# list, that line goes, with the comma before it or the `where` above it.


def of(columns: Iterable[Any], table: str = "") -> list[str]:
    """The columns, of a table. columns: their names, or what has a name."""
    return _listed(_of(each, table) for each in columns)


def named(columns: Mapping[str, str], macro: str = "") -> list[str]:
    """Expressions as columns. columns: the expression of each by its name. macro: that is called with it."""
    called = {name: f"{macro}({each})" if macro else each for name, each in columns.items()}
    return _listed(f"{each} as {_name(name)}" for name, each in called.items())


def summed(columns: Iterable[Any], table: str) -> list[str]:
    """The sum of each column of a table."""
    return _listed(f"cast(sum({_of(each, table)}) as bigint) as {_name(each)}" for each in columns)


def packed(columns: Mapping[str, Sequence[str]], table: str) -> list[str]:
    """Columns of packed codes. columns: of each the columns of a table that hold its four codes."""
    codes = {name: ",\n    ".join(_of(each, table) for each in four) for name, four in columns.items()}
    return _listed(f"packed_codes(\n    {each}\n) as {name}" for name, each in codes.items())


def tallies_of_two(slots: Collection[str], one: str, other: str) -> list[str]:
    """The tallies of two codes: "some" of each set that holds one of them, once, and "all" of those that hold both."""
    found = list[str]()
    for slot in slots:
        is_new = " and ".join(f"{other}.{slot} is distinct from {one}.{each}" for each in slots)
        is_in_both = " or ".join(f"{one}.{slot} = {other}.{each}" for each in slots)
        found.append(f"{one}.{slot} + 1")
        found.append(f"case when {is_new} then {other}.{slot} + 1 end")
        found.append(f"case when {is_in_both} then {one}.{slot} + 2 end")
    return _listed(found)


def tallies_of_all(slots: Collection[str], places: Mapping[str, str], table: str) -> list[str]:
    """Likewise of any number of codes, "some" as often as a set holds one. places: of codes, by the alias of each."""
    found, (first, *others) = list[str](), places
    for slot in slots:
        held = {code: " or ".join(f"{first}.{slot} = {code}.{each}" for each in slots) for code in others}
        is_in_all = _joined(f"(not has_code({table}.{places[code]}) or {it})" for code, it in held.items())
        found += [f"{code}.{slot} + 1" for code in places]
        then = [*(f"        {each}" for each in is_in_all), f"        then {first}.{slot} + 2"]
        found.append("\n".join(["case", "    when", *then, "end"]))
    return _listed(found)


def known(columns: Iterable[Any], table: str) -> list[str]:
    """That no column of a table is NULL."""
    return _joined(f"{_of(each, table)} is not null" for each in columns)


def equal(columns: Iterable[Any], one: str, other: str, sign: str = "=") -> list[str]:
    """That two tables have the same in each column. sign: between them, where NULL is like NULL another one."""
    return _joined(f"{_of(each, one)} {sign} {_of(each, other)}" for each in columns) or _TRUE


def met(conditions: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """That all conditions are met."""
    return _joined([*conditions, *more]) or _TRUE


def union(loop: Any) -> list[str]:
    """`union all` before every select of a loop but the first."""
    return [] if loop.first else ["union all"]


FILTERS: Mapping[str, Callable[..., list[str]]] = {
    each.__name__: each
    for each in (of, named, summed, packed, tallies_of_two, tallies_of_all, known, equal, met, union)
}
_VALUE = rf"\{{\{{ (\w+(?:\.\w+)? \| (?:{'|'.join(FILTERS)})\b[^}}]*) \}}\}}"
_BEFORE = r"(\n *(?:where\n *)?[^\n{]*)"  # of a slot in its line
# The comma before a slot goes with it; without one before it, the comma after it: of a gap or of the slots behind it.
_SLOTS = tuple(re.compile(rf"({comma}){_BEFORE}{_VALUE}([^\n,{{]*)(?=[,\n{{])") for comma in (",", ""))
_GAP = "\0"


def placed(lines: Sequence[str], before: str, after: str) -> str:
    """The lines of a slot, as far to the right as its line in the statement."""
    if not lines or (lines == _TRUE and "where" in before):
        return "" if before.startswith(",") else _GAP
    margin = re.sub(r"[^ ].*", "", before.rpartition("\n")[2])
    return before + "\n".join(lines).replace("\n", f"\n{margin}") + after


# What templates are made in: their filters write a literal, an identifier, or the lines of a slot.
ENVIRONMENT = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)  # noqa: S701
ENVIRONMENT.filters |= {"literal": literal, "quoted": quoted_name, **FILTERS}
ENVIRONMENT.globals["placed"] = placed


def _of(column: Any, table: str) -> str:
    return f"{table}.{_name(column)}" if table else quoted_name(getattr(column, "name", column))


def _name(column: Any) -> str:
    name = getattr(column, "name", column)
    return name if _PLAIN_NAME.fullmatch(name) else quoted_name(name)


def _listed(columns: Iterable[str]) -> list[str]:
    *firsts, last = [*columns] or [""]
    return [*(f"{each}," for each in firsts), last] if last else []


def _joined(conditions: Iterable[str]) -> list[str]:
    return [f"and {each}" if number else each for number, each in enumerate(conditions)]


def _read(path: Path, root: Path) -> SqlFile:
    """The file at `path` below `root`, with its header parsed. Raises ValueError if the header is malformed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = list(takewhile(lambda line: line.startswith("--"), lines))
    title = header[0].removeprefix("-- ")
    if not title.startswith(f"{path.stem}: "):
        raise ValueError(f"{path}: the first line must be '-- {path.stem}: ...'")
    fields: dict[str, list[str]] = {}
    for name, text in _FIELD.findall("\n".join(header[1:])):
        first, *others = text.split("\n")  # these keep the indent that they have beyond the first line's
        fields.setdefault(name, []).extend([first, *(line[len("-- zone    ") :] for line in others)])
    writes, kind = fields.get("writes", [""]), " ".join(fields.get("kind", ["table"]))
    declared = (line.strip() for line in writes[1:] if line.startswith("  ") and line[2] != " ")
    columns = tuple(Column(*re.split(r" {2,}", line, maxsplit=2)) for line in declared)
    body = _empty(columns) if kind == "python" else "\n".join(lines[len(header) :]) + "\n"
    return SqlFile(
        name=path.stem,
        folder=path.parent.relative_to(root).as_posix(),
        title=title.removeprefix(f"{path.stem}: "),
        zone=" ".join(fields["zone"]),
        kind=kind,
        reads=tuple(line.split()[0] for line in fields.get("reads", []) if not line.startswith("  ")),
        grain=writes[0],
        seconds=float(fields.get("seconds", ["0.1"])[0].split()[0]),
        columns=columns,
        parameters=tuple(line.split("  ")[0].strip("${ }") for line in fields.get("params", []) if line[0] != " "),
        fields={name: " ".join(line.strip() for line in text) for name, text in fields.items()},
        header="\n".join(header),
        body=body,
    )


def _empty(columns: Sequence[Column]) -> str:
    """The statement of a table without rows; a column that stands for a template is a column for each name in it."""
    listed = (
        f"    cast(null as {each.type}) as {each.name},"
        if not each.name.startswith("{{")
        else f"    {{%- for column in {each.name.strip('{ }')} %}}\n    cast(null as {each.type}) as "
        "{{ column | quoted }},\n    {%- endfor %}"
        for each in columns
    )
    return "\n".join(["select", *listed]).removesuffix(",") + "\nwhere false\n"
