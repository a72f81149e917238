"""`lists`: code lists from one table of groups."""

import argparse
from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, add_out, new_command
from safetab_sql.jobs.lists import lists, lists_json, lists_text


def add_lists(commands: Commands) -> None:
    """`lists`: from a table of groups to the lists of codes, iterations and members."""
    summary = "write the code lists of questions of your own, from one table of groups"
    command = new_command(commands, "lists", summary, "--from groups.csv --several --out code-lists")
    what = "CSV: code, name, and one column for each level, which says to which group the code belongs"
    command.add_argument("--from", dest="groups", type=Path, required=True, metavar="F", help=what)
    what = "a record may have several codes: each group is tabulated alone, and alone or in any combination"
    command.add_argument("--several", action="store_true", help=what)
    add_out(command)
    add_json(command)
    command.set_defaults(command=_lists)


def _lists(options: argparse.Namespace) -> None:
    made = lists(options.groups, options.out, several=options.several, overwrite=options.overwrite)
    print(json_text(lists_json(made)) if options.json else lists_text(made))
