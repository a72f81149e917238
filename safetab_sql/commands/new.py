"""`new`: a parameter file and code lists for files of one's own."""

from pathlib import Path

from safetab_sql.commands.options import Out


def new(
    *,
    persons: str,
    geography: str,
    groups: Path | None = None,
    answers: str = "",
    sex: str | None = None,
    age: str | None = None,
    leave_out: str = "",
    folder: Out,
) -> None:
    """Write a commented parameter file and code lists for your files, every guess marked.

    example: --persons people.csv --geography places.csv --groups groups.csv --leave-out age --out project

    persons F: one row per record; only the names of its columns are read
    geography F: one row per place, with columns that records have too; it is public, and read whole
    groups F: CSV table of groups, which `lists` explains; without it, values of a column are the groups
    answers COLUMNS: columns with the codes of groups, separated by commas; default: those that look like it
    sex COLUMN: the column of sex; default: one that looks like it
    age COLUMN: the column of age; default: one that looks like it
    leave_out WORDS: what may be missing or wrong in a record, which is then left out: some of age,sex,place,codes
    """
    from safetab_sql.jobs.guessed_shape import Named
    from safetab_sql.jobs.new import TheirFiles, new, new_text

    named = Named(_words(answers), sex, age)
    theirs = TheirFiles(persons, geography, groups, named, _words(leave_out))
    print(new_text(new(theirs, folder.out, overwrite=folder.overwrite)))


def _words(text: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(filter(None, map(str.strip, text.split(","))))
