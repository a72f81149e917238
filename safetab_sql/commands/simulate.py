"""`simulate`: a synthetic nation."""

import argparse
from math import isfinite
from pathlib import Path

from safetab_sql.commands.options import Commands, add_out, add_quiet, new_command
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import reported_progress
from safetab_sql.simulation.any_shape import simulate_shape
from safetab_sql.simulation.diversity import Diversity
from safetab_sql.simulation.simulate import Extras, simulate
from safetab_sql.simulation.states import US_PEOPLE


def add_simulate(commands: Commands) -> None:
    """`simulate`: a synthetic nation."""
    command = new_command(commands, "simulate", "make a synthetic nation to try things on", "--people 200000 --out sim")
    size = command.add_mutually_exclusive_group(required=True)
    size.add_argument("--people", type=int, metavar="N", help="number of people, from 1,000 to 331,449,281")
    size.add_argument("--scale", type=float, metavar="X", help="the same as a share of the nation, such as 0.01")
    what = "make records and places for this parameter file, which has a geography and questions of its own"
    command.add_argument("--parameters", type=Path, metavar="P", help=what)
    what = "code lists to use instead of our own; with --parameters, those of its questions"
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    command.add_argument("--puerto-rico", action="store_true", help="simulate Puerto Rico too")
    what = "also write a table of forty fields of the same people, and its domains, for `synthesize`"
    command.add_argument("--wide", action="store_true", help=what)
    what = "also write a record of each household, and the parameters of household tables (run --totals)"
    command.add_argument("--households", action="store_true", help=what)
    usual = Diversity()
    what = f"share of answers with two to eight race codes (default {usual.several_codes})"
    command.add_argument("--several-codes", type=float, default=usual.several_codes, metavar="X", help=what)
    what = "number of race codes that anybody gives (default: all of the list)"
    command.add_argument("--codes-in-use", type=int, metavar="N", help=what)
    what = "share of people whose race codes are any codes, wherever they live (default 0: codes cluster)"
    command.add_argument("--spread", type=float, default=usual.spread, metavar="X", help=what)
    command.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes another nation")
    add_out(command)
    add_quiet(command)
    command.set_defaults(command=_simulate)


def _simulate(options: argparse.Namespace) -> None:
    if options.scale is not None and not isfinite(options.scale):
        raise InputError([Problem("--scale", f"{options.scale} is not a share", "say it like 0.01")])
    with reported_progress(is_quiet=options.quiet) as progress:
        progress.stage("simulating people")
        make = _simulate_nation if options.parameters is None else _simulate_shape
        make(options)
    print(options.out)


def _simulate_nation(options: argparse.Namespace) -> None:
    people = options.people if options.scale is None else round(US_PEOPLE * options.scale)
    simulate(
        options.out,
        people=people,
        code_lists=options.code_lists,
        puerto_rico=options.puerto_rico,
        seed=options.seed,
        extras=Extras(wide=options.wide, households=options.households),
        diversity=Diversity(options.several_codes, options.codes_in_use, options.spread),
        overwrite=options.overwrite,
    )


def _simulate_shape(options: argparse.Namespace) -> None:
    usual = Diversity()
    changed = {"several_codes": usual.several_codes, "codes_in_use": None, "spread": usual.spread}
    changed |= {"scale": None, "puerto_rico": False, "wide": False, "households": False}
    given = [f"--{name.replace('_', '-')}" for name, value in changed.items() if getattr(options, name) != value]
    fix = "leave it out, or leave out --parameters"
    refuse([Problem(name, "is for simulated nations of the 2020 Census", fix) for name in given])
    simulate_shape(
        options.out,
        options.parameters,
        people=options.people,
        code_lists=options.code_lists,
        seed=options.seed,
        overwrite=options.overwrite,
    )
