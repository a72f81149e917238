"""`new`: a parameter file and code lists for files of one's own."""

import argparse
from pathlib import Path

from safetab_sql.commands.options import Commands, add_out, new_command
from safetab_sql.jobs.guessed_shape import Named
from safetab_sql.jobs.new import TheirFiles, new, new_text


def add_new(commands: Commands) -> None:
    """`new`: from the columns of files to a parameter file in which every guess is marked."""
    summary = "write a commented parameter file and code lists for your files, every guess marked"
    example = "--persons people.csv --geography places.csv --groups groups.csv --leave-out age --out project"
    command = new_command(commands, "new", summary, example)
    what = "one row per record; only the names of its columns are read"
    command.add_argument("--persons", required=True, metavar="F", help=what)
    what = "one row per place, with columns that records have too; it is public, and read whole"
    command.add_argument("--geography", required=True, metavar="F", help=what)
    what = "CSV table of groups, which `lists` explains; without it, values of a column are the groups"
    command.add_argument("--groups", type=Path, metavar="F", help=what)
    what = "columns with the codes of groups, separated by commas; default: those that look like it"
    command.add_argument("--answers", default="", metavar="COLUMNS", help=what)
    for name in ("sex", "age"):
        command.add_argument(
            f"--{name}", metavar="COLUMN", help=f"the column of {name}; default: one that looks like it"
        )
    what = "what may be missing or wrong in a record, which is then left out: some of age,sex,place,codes"
    command.add_argument("--leave-out", default="", metavar="WORDS", help=what)
    add_out(command)
    command.set_defaults(command=_new)


def _new(options: argparse.Namespace) -> None:
    named = Named(_words(options.answers), options.sex, options.age)
    theirs = TheirFiles(options.persons, options.geography, options.groups, named, _words(options.leave_out))
    print(new_text(new(theirs, options.out, overwrite=options.overwrite)))


def _words(text: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(filter(None, map(str.strip, text.split(","))))
