"""The commands to begin with: `example`, `new`, `lists` and `simulate`."""

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.commands.options import Json, Out, Quiet, json_text, progress, refused
from safetab_sql.commands.signatures import OneOf, option_name
from safetab_sql.kit.errors import Problem, refuse


def example(*, folder: Out, quiet: Quiet = False) -> None:
    """Simulate a small nation, run it, and show a few rows.

    example: --out demo
    """
    from safetab_sql.jobs.example import example, example_text

    with progress(quiet=quiet) as shown:
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
    return tuple(filter(None, map(str.strip, text.split(","))))


def lists(*, from_: Path, several: bool = False, folder: Out, json: Json = False) -> None:
    """Write the code lists of questions of your own, from one table of groups.

    example: --from groups.csv --several --out code-lists

    from_ F: CSV: code, name, and one column for each level, which says to which group the code belongs
    several: a record may have several codes: each group is tabulated alone, and alone or in any combination
    """
    from safetab_sql.jobs.lists import lists, lists_json, lists_text

    made = lists(from_, folder.out, several=several, overwrite=folder.overwrite)
    print(json_text(lists_json(made)) if json else lists_text(made))


_SIZE = OneOf()


def simulate(
    *,
    people: Annotated[int | None, _SIZE] = None,
    scale: Annotated[float | None, _SIZE] = None,
    parameters: Path | None = None,
    code_lists: Path | None = None,
    puerto_rico: bool = False,
    wide: bool = False,
    households: bool = False,
    several_codes: float | None = None,
    codes_in_use: int | None = None,
    spread: float | None = None,
    seed: int = 0,
    folder: Out,
    quiet: Quiet = False,
) -> None:
    """Make a synthetic nation to try things on.

    example: --people 200000 --out sim

    people N: number of people, from 1,000 to 331,449,281
    scale X: the same as a share of the nation, such as 0.01
    parameters P: make records and places for this parameter file, which has a geography and questions of its own
    code_lists DIR: code lists to use instead of our own; with --parameters, those of its questions
    puerto_rico: simulate Puerto Rico too
    wide: also write a table of forty fields of the same people, and its domains, for `synthesize`
    households: also write a record of each household, and the parameters of household tables (run --totals)
    several_codes X: share of answers with two to eight race codes; default: 0.3
    codes_in_use N: number of race codes that anybody gives; default: all of the list
    spread X: share of people whose race codes are any codes, wherever they live; default: 0, codes cluster
    seed N: another seed makes another nation
    """
    from safetab_sql.simulation.answers import Diversity
    from safetab_sql.simulation.any_shape import simulate_shape
    from safetab_sql.simulation.geography import US_PEOPLE
    from safetab_sql.simulation.simulate import Extras, simulate

    if scale is not None and not isfinite(scale):
        raise refused("--scale", f"{scale} is not a share", "say it like 0.01")
    diversity = {"several_codes": several_codes, "codes_in_use": codes_in_use, "spread": spread}
    given: dict[str, Any] = {name: value for name, value in diversity.items() if value is not None}
    size = people if people is not None else round(US_PEOPLE * (scale or 0))
    with progress(quiet=quiet) as shown:
        shown.stage("simulating people")
        if parameters is None:
            simulate(
                folder.out,
                people=size,
                code_lists=code_lists,
                puerto_rico=puerto_rico,
                seed=seed,
                extras=Extras(wide=wide, households=households),
                diversity=replace(Diversity(), **given),
                overwrite=folder.overwrite,
            )
        else:
            flags = {"puerto_rico": puerto_rico, "wide": wide, "households": households}
            of_nations = [*given, *(["scale"] if scale is not None else []), *(name for name in flags if flags[name])]
            what, fix = "is for simulated nations of the 2020 Census", "leave it out, or leave out --parameters"
            refuse([Problem(option_name(name), what, fix) for name in of_nations])
            simulate_shape(
                folder.out, parameters, people=size, code_lists=code_lists, seed=seed, overwrite=folder.overwrite
            )
    print(folder.out)
