"""`simulate`: a synthetic nation."""

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.commands.options import Out, Quiet, progress, refused
from safetab_sql.commands.signatures import OneOf, option_name
from safetab_sql.kit.errors import Problem, refuse

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
    from safetab_sql.simulation.simulate import Extras, simulate
    from safetab_sql.simulation.states import US_PEOPLE

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
