"""Look at the SQL that a run executes.

example: show group_totals
"""

from pathlib import Path

from safetab_sql.commands.options import json_text, refused


def list_(*, json: bool = False) -> None:
    """Show the statements in run order, with the meaning of one row of each."""
    from safetab_sql.jobs import sql
    from safetab_sql.kit.words import aligned

    print(json_text(sql.statements()) if json else aligned([tuple(each.values()) for each in sql.statements()]))


def show(
    name: str | None = None,
    *,
    all: bool = False,
    parameters: Path | None = None,
    persons: str | None = None,
    geography: str | None = None,
    code_lists: Path | None = None,
    totals: str | None = None,
) -> None:
    """Show a statement with its values inlined.

    example: t1

    name NAME: name of the statement, from `sql list`
    all: the whole run as one script; name all inputs, or none for the embedded example
    parameters P: default: the embedded example's
    persons F: default: persons.parquet, all text
    geography F: default: geography.parquet, all text
    code_lists DIR: default: code-lists/, all text
    totals F: published totals; default: totals.parquet, all text
    """
    from safetab_sql.jobs import sql

    if (name is None) != all:
        raise refused("sql show", "one of NAME and --all is needed", "see `safetab-sql sql list`")
    inputs = parameters, persons, geography, code_lists, totals
    if name is None:
        print(sql.script(sql.script_values(*inputs)), end="")
        return
    file = sql.find_statement(name)
    print(sql.shown(file, sql.display_values(*inputs)), end="")


ACTIONS = (list_, show)
