"""The parts of docs/reference that the program knows better: `make docs` writes them, tests/docs compares.

command-line.md is made from the parser. In the other pages a table between the comments `<!-- columns NAME -->` and
`<!-- end -->` is made from the header of the SQL file NAME. The schemas in configs/ are those that `schema` prints.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from safetab_sql.cli import parser
from safetab_sql.jobs.schema import SCHEMAS, schema_text
from safetab_sql.kit.sqlfiles import packaged_folder, sql_files
from safetab_sql.published.file_notes import header_text
from safetab_sql.settings.unit import Unit

REFERENCE = Path(__file__).parent / "reference"
_COLUMNS = re.compile(r"(<!-- columns (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_COMMAND_LINE = """\
# Command line

This page is made from the program's own help by `make docs`. Answers go to stdout; progress and problems go to stderr.
Options have the same names as the parameters in Python. `safetab-sql` alone says what to do first, `safetab-sql --help`
lists the commands by what they are for, and `safetab-sql COMMAND --help` prints a section of this page.
`eval "$(safetab-sql --print-completion bash)"`, or zsh or tcsh, lets that shell complete commands and options; it needs
`pip install 'safetab-sql[completion]'`.

Commands that print an answer take `--json`: stdout is then one JSON document. Its keys are those of the manifest and of
the files that commands write, or say the same as the columns that are printed. Rational numbers are written twice,
exact and as a decimal. Where an input is refused, stdout is empty.

Exit codes:

| code | means |
| --- | --- |
| 0 | done |
| 1 | the machine's fault or ours (disk, memory, a bug: then with a traceback), or an audit that failed |
| 2 | the input: every problem is listed on stderr, and nothing was written |
| 130 | interrupted |

Whatever the code, an output folder is whole or absent, and a folder that stood there before is as it was. `--overwrite`
replaces a folder only if the same command could have written everything in it.
"""


def command_line() -> str:
    """The page of every command and option."""
    return "\n".join([_COMMAND_LINE, *(_command(path, command) for path, command in commands(parser()))])


def commands(top: argparse.ArgumentParser, path: str = "safetab-sql") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command that does something, with its full name, such as `safetab-sql sql show`."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                deeper = list(commands(below, f"{path} {name}"))
                yield from deeper or [(f"{path} {name}", below)]


def _command(path: str, command: argparse.ArgumentParser) -> str:
    actions = [action for action in command._actions if "--help" not in action.option_strings]
    positions = [action for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings]
    example = (command.epilog or "").removeprefix("example: ")
    parts = [f"## {path.removeprefix('safetab-sql ')}\n", f"{command.description}\n"]
    if positions:
        parts.append(_table(("argument", "means"), [(_name(each), _help(command, each)) for each in positions]))
    if options:
        parts.append(_table(("option", "means"), [(_name(each), _help(command, each)) for each in options]))
    return "\n".join([*parts, f"```console\n$ {example}\n```\n"])


def _name(action: argparse.Action) -> str:
    value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.metavar or ""
    names = ", ".join(action.option_strings)
    return f"`{' '.join(filter(None, [names, '' if action.nargs == 0 else str(value)]))}`"


def _help(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = command._get_formatter()._expand_help(action)
    return f"{text} **(required)**" if action.required and action.option_strings else text


def with_columns(page: str) -> str:
    """The page with its tables of columns made anew."""
    return _COLUMNS.sub(lambda found: f"{found[1]}{_columns(found[2])}{found[3]}", page)


def _columns(name: str) -> str:
    file = sql_files()[name]
    rows = [(f"`{column.name}`", column.type, header_text(column.meaning, Unit())) for column in file.columns]
    return f"{file.grain[0].upper()}{file.grain[1:]}.\n\n{_table(('column', 'type', 'holds'), rows)}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def pages() -> dict[Path, str]:
    """Every page with a generated part, as it should be."""
    written = {path: with_columns(path.read_text(encoding="utf-8")) for path in sorted(REFERENCE.glob("*.md"))}
    return {**written, REFERENCE / "command-line.md": command_line(), **schemas()}


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
