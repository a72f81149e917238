"""`sql`: look at the statements."""

import argparse
from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, new_command
from safetab_sql.jobs import sql as inspection
from safetab_sql.kit.errors import InputError, Problem


def add_sql(commands: Commands) -> None:
    """`sql`: look at the statements."""
    command = new_command(commands, "sql", "look at the SQL that a run executes", "show group_totals")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    listing = new_command(actions, "list", "the statements in run order, and what one row of each is", "", "sql list")
    add_json(listing)
    listing.set_defaults(command=_list)
    show = new_command(actions, "show", "a statement with its values inlined", "t1", "sql show")
    show.add_argument("name", nargs="?", metavar="NAME", help="name of the statement, from `sql list`")
    show.add_argument(
        "--all",
        action="store_true",
        help="the whole run as one script; name all inputs, or none for the embedded example",
    )
    _add_display_inputs(show)
    show.set_defaults(command=_show)
    explain = new_command(actions, "explain", "DuckDB's plan of a statement, over empty tables", "t1", "sql explain")
    explain.add_argument("name", metavar="NAME", help="name of the statement, from `sql list`")
    _add_display_inputs(explain)
    explain.set_defaults(command=_explain)


def _add_display_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument("--parameters", type=Path, metavar="P", help="default: the embedded example's")
    command.add_argument("--persons", metavar="F", help="default: persons.parquet, all text")
    command.add_argument("--geography", metavar="F", help="default: geography.parquet, all text")
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="default: code-lists/, all text")
    command.add_argument("--totals", metavar="F", help="published totals; default: totals.parquet, all text")
    what = "whose tables are published, where there are several; default: the first, and with --all each in turn"
    command.add_argument("--ladder", metavar="NAME", help=what)


def _list(options: argparse.Namespace) -> None:
    print(json_text(inspection.statements()) if options.json else inspection.listing())


def _show(options: argparse.Namespace) -> None:
    if (options.name is None) != options.all:
        raise InputError([Problem("sql show", "one of NAME and --all is needed", "see `safetab-sql sql list`")])
    if options.all:
        values = inspection.script_values(*_inputs(options), totals=options.totals, ladder=options.ladder)
        print(inspection.script(values), end="")
        return
    file = inspection.find_statement(options.name)
    print(inspection.shown(file, _display_values(options)), end="")


def _explain(options: argparse.Namespace) -> None:
    file = inspection.find_statement(options.name)
    print(inspection.query_plan(file, _display_values(options)))


def _display_values(options: argparse.Namespace) -> dict[str, object]:
    return inspection.display_values(*_inputs(options), totals=options.totals, ladder=options.ladder)


def _inputs(options: argparse.Namespace) -> tuple[Path | None, str | None, str | None, Path | None]:
    return options.parameters, options.persons, options.geography, options.code_lists
