"""The commands to begin with: `example`, `new` and `simulate`."""

from pathlib import Path
from typing import Any

from safetab_sql.commands.options import Out, number_of


def example(*, folder: Out, quiet: bool = False) -> None:
    """Simulate a small nation, run it, and show a few rows.

    example: --out demo
    """
    from safetab_sql.jobs.example import example, example_text
    from safetab_sql.kit.progress import reported_progress

    with reported_progress(is_quiet=quiet) as shown:
        example(folder.out, overwrite=folder.overwrite, progress=shown)
    print(example_text(folder.out))


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

    persons F: one row per record; only the names of its columns are used
    geography F: one row per place, with columns that records have too; it is public, and read whole
    groups F: CSV of the groups, of which code lists are made: code, name, and one column for each level, which says to
        which group the code belongs; without it, values of a column are the groups
    answers COLUMNS: columns with the codes of groups, separated by commas; default: those that look like it
    sex COLUMN: the column of sex; default: one that looks like it
    age COLUMN: the column of age, or COLUMN=YEAR: of years of birth, where ages are those reached in YEAR; default: one
        that looks like it
    leave_out WORDS: parts of a record that may be missing or wrong, and leave it out: some of age,sex,place,codes
    """
    from safetab_sql.jobs.new import TheirFiles, new, new_text

    column, _, year = (age or "").partition("=")
    born = None if not year else number_of("years", 9999)("--age", int(year) if year.isdecimal() else 0)
    named = (_words(answers), sex, column or None, born)
    theirs = TheirFiles(persons, geography, groups, *named, _words(leave_out))
    print(new_text(new(theirs, folder.out, overwrite=folder.overwrite)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


def simulate(
    *,
    people: int,
    parameters: Path | None = None,
    code_lists: Path | None = None,
    seed: int = 0,
    folder: Out,
    quiet: bool = False,
) -> None:
    """Make a synthetic nation to try things on.

    example: --people 200000 --out sim

    people N: number of people, from 1,000 to 331,449,281
    parameters P: make records and places for this parameter file, which has a geography and questions of its own
    code_lists DIR: code lists to use instead of our own; with --parameters, those of its questions
    seed N: another seed makes another nation
    """
    from safetab_sql.kit.progress import reported_progress
    from safetab_sql.simulation.any_shape import simulate_shape
    from safetab_sql.simulation.simulate import simulate

    given: dict[str, Any] = {"people": people, "code_lists": code_lists, "seed": seed, "overwrite": folder.overwrite}
    with reported_progress(is_quiet=quiet) as shown:
        shown.stage("simulating people")
        if parameters is None:
            simulate(folder.out, **given)
        else:
            simulate_shape(folder.out, parameters, **given)
    print(folder.out)
