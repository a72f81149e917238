"""The parts of docs/reference that the program knows better: `make docs` writes them, tests/docs compares.

Most of command-line.md is made from the parser. In the other pages a table between the comments `<!-- columns NAME -->`
and `<!-- end -->` is made from the header of the SQL file NAME, and a table after `<!-- keys MODEL -->` from that model
of a file; a row that the page has had is named alone. The schemas in configs/ are those that `schema` prints.
"""

import argparse
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from safetab_sql.cli import parser
from safetab_sql.histograms.public.bottom_up_spec import BottomUpFile, WrittenInvariant
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.strategies import Measure, Queries, WorkloadFile
from safetab_sql.histograms.public.synthesis_spec import SynthesisFile, WrittenGroup
from safetab_sql.jobs.schema import SCHEMAS, schema_text
from safetab_sql.kit.sqlfiles import packaged_folder, sql_files
from safetab_sql.published.file_notes import header_text
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import Part, PlaceKey, RegionType
from safetab_sql.settings.ladders import Ladder, Statistic, Sum, WrittenLevel
from safetab_sql.settings.parameters import ParameterFile
from safetab_sql.settings.questions import Lists, WrittenQuestion
from safetab_sql.settings.tables import inline_fields, key_of, marks_of
from safetab_sql.settings.unit import Unit

REFERENCE = Path(__file__).parent / "reference"
_COLUMNS = re.compile(r"(<!-- columns (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_KEYS = re.compile(r"(<!-- keys (\w+) -->\n)\n*(?:\|[^\n]*\n)*\n*")
FAR = 10**9  # a bound beyond it is none that a reader meets
# The tables of files that users write.
MODELS = (
    *(ParameterFile, WrittenLevel, PlaceKey, Part, RegionType, WrittenQuestion, Lists, Unit, Attribute, Ladder, Sum),
    *(Statistic, BottomUpFile, WrittenInvariant, Domain, SynthesisFile, WrittenGroup, WorkloadFile),
    *(Queries, Measure),
)


def command_line(page: str) -> str:
    """The page of every command and option, below its first words; options of several commands are there once."""
    found = list(commands(parser()))
    times = Counter(row for _, command in found for row in _options(command))
    shared = {row: None for row, number in times.items() if number >= 2}
    written, title, _ = page.partition("\n## Options of several commands\n")
    head = f"{written}{title}\n{_table(('option', 'means'), list(shared))}"
    return "\n".join([head, *(_command(path, command, shared) for path, command in found)])


def commands(top: argparse.ArgumentParser, path: str = "safetab-sql") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command that does something, with its full name, such as `safetab-sql sql show`."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                deeper = list(commands(below, f"{path} {name}"))
                yield from deeper or [(f"{path} {name}", below)]


def _options(command: argparse.ArgumentParser) -> list[tuple[str, ...]]:
    """Name and meaning of each option but --help."""
    actions = [action for action in command._actions if action.option_strings and "--help" not in action.option_strings]
    return [(_name(each), _help(command, each)) for each in actions]


def _command(path: str, command: argparse.ArgumentParser, shared: Container[tuple[str, ...]]) -> str:
    options = _options(command)
    taken = [each for each in command._actions if not each.option_strings]
    rows: list[tuple[str, ...]] = [(_name(each), _help(command, each)) for each in taken]
    rows += [row for row in options if row not in shared]
    again = ", ".join(name for name, _ in (row for row in options if row in shared))
    link = f". [As above](#options-of-several-commands): {again}." if again else ""
    example = (command.epilog or "").removeprefix("example: ")
    head = f"## {path.removeprefix('safetab-sql ')}\n\n{command.description} Example: `{example}`{link}\n"
    return f"{head}\n{_table(('option', 'means'), rows)}" if rows else head


def _name(action: argparse.Action) -> str:
    value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.metavar or ""
    names = ", ".join(action.option_strings)
    return f"`{' '.join(filter(None, [names, '' if action.nargs == 0 else str(value)]))}`"


def _help(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = command._get_formatter()._expand_help(action)
    return f"{text} **(required)**" if action.required and action.option_strings else text


def with_columns(page: str) -> str:
    """The page with its tables of columns made anew."""
    had = set[tuple[str, ...]]()
    return _COLUMNS.sub(lambda found: f"{found[1]}{_columns(found[2], had)}{found[3]}", page)


def _columns(name: str, had: set[tuple[str, ...]]) -> str:
    file, words = sql_files()[name], {"records": Unit().many, "{ counted }": "COUNT", "counted": "COUNT"}
    rows = [
        (f"`{header_text(column.name, words)}`", column.type, header_text(column.meaning, words))
        for column in file.columns
    ]
    shown = _shortened(rows, had, "as above")
    had.update(rows)
    return f"{file.grain[0].upper()}{file.grain[1:]}.\n\n{_table(('column', 'type', 'holds'), shown)}"


def with_keys(page: str) -> str:
    """The page with its tables of keys made anew."""
    models, had = {model.__name__: model for model in MODELS}, set[tuple[str, ...]]()
    return _KEYS.sub(lambda found: f"{found[1]}\n{_keys(models[found[2]], had)}\n", page).rstrip("\n") + "\n"


def _keys(model: type, had: set[tuple[str, ...]]) -> str:
    schema: Mapping[str, Any] = TypeAdapter(model).json_schema()
    needed, values = {*schema.get("required", ()), *getattr(model, "required", ())}, _defaults(model)
    described = {key: each for key, each in schema["properties"].items() if "description" in each}
    rows = []
    for key, each in described.items():
        # The default of a key that some files need tells a reader nothing.
        default = "none" if "required" in each["description"] else _default(values[key])
        rows.append((f"`{key}`", _kind(each, schema), "required" if key in needed else default, each["description"]))
    shown = _shortened(rows, had, "as above")
    had.update(rows)
    return _table(("key", "type", "default", "means"), shown)


def _defaults(model: type) -> dict[str, object]:
    """The default of each key."""
    below, found = inline_fields(model), dict[str, object]()
    for each, marks in zip(fields(model), marks_of(model).values(), strict=True):
        made = each.default if each.default_factory is MISSING else each.default_factory()
        found |= _defaults(below[each.name]) if each.name in below else {key_of(each.name, marks): made}
    return found


def _default(value: object) -> str:
    """A default as the page writes it."""
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case int() | Fraction():
            return str(value) if value.denominator < 10**6 else f"{float(value):g}"
        case str() if value:
            return f'`"{value}"`'
    return "none"


def _kind(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """What a value is, in words. whole: the schema that holds what `schema` refers to."""
    match schema:
        case {"$ref": str(name)}:
            return _kind(whole["$defs"][name.rpartition("/")[2]], whole)
        case {"anyOf": [{"type": "number"} as number, {"type": "string"}]}:  # a decimal, which may stand in quotes
            return f"decimal{_range(number)}"
        case {"anyOf": [*either]}:
            return " or ".join(dict.fromkeys(_kind(each, whole) for each in either))
        case {"enum": [*values]} | {"const": values}:
            return " or ".join(f'`"{value}"`' for value in (values if isinstance(values, list) else [values]))
        case {"type": "array", "items": {} as inner}:
            several = re.sub(r"(?:^|(?<= or ))[a-z]+\b(?<!s)", lambda word: f"{word[0]}s", _kind(inner, whole))
            return f"list of {several}"
        case {"type": str(name)}:
            return {"string": "text", "object": "table", "array": "list"}.get(name, name) + _range(schema)
    raise ValueError(f"a schema of no kind: {schema}")


def _range(schema: Mapping[str, Any]) -> str:
    """The bounds of a number or the length of a text, as far as a reader may meet them."""
    words = {
        "minimum": "at least {:,}",
        "exclusiveMinimum": "above {:,}",
        "maximum": "at most {:,}",
        "exclusiveMaximum": "below {:,}",
        "maxLength": "at most {:,} characters",
    }
    said = [text.format(schema[key]) for key, text in words.items() if abs(schema.get(key, FAR)) < FAR]
    return f", {' and '.join(said)}" if said else ""


def _shortened(rows: Sequence[tuple[str, ...]], had: Container[tuple[str, ...]], where: str) -> list[tuple[str, ...]]:
    """The rows that the page has not had, and one that names the others."""
    again = ", ".join(row[0] for row in rows if row in had)
    named = [(again, *[""] * (len(rows[0]) - 2), where)] if again else []
    return [*(row for row in rows if row not in had), *named]


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def pages() -> dict[Path, str]:
    """Every page with a generated part, as it should be."""
    written = {
        path: with_keys(with_columns(path.read_text(encoding="utf-8"))) for path in sorted(REFERENCE.glob("*.md"))
    }
    page = REFERENCE / "command-line.md"
    return {**written, page: command_line(written[page]), **schemas()}


def schemas() -> dict[Path, str]:
    """The JSON Schema of each kind of file, which the files in configs/ name in their first line."""
    return {packaged_folder("configs") / "schemas" / f"{name}.json": schema_text(name) for name in SCHEMAS}


def main() -> None:
    """Write the pages."""
    for path, page in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
