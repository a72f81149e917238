"""`lists`: code lists from one table of groups."""

from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Json, Out


def lists(*, from_: Path, several: bool = False, folder: Out, json: Json = False) -> None:
    """Write the code lists of questions of your own, from one table of groups.

    example: --from groups.csv --several --out code-lists

    from_ F: CSV: code, name, and one column for each level, which says to which group the code belongs
    several: a record may have several codes: each group is tabulated alone, and alone or in any combination
    """
    from safetab_sql.jobs.lists import lists, lists_json, lists_text

    made = lists(from_, folder.out, several=several, overwrite=folder.overwrite)
    print(json_text(lists_json(made)) if json else lists_text(made))
