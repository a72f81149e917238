"""`targets`: the budgets that give wanted margins of error."""

import argparse
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

from safetab_sql.accounting.targets import Rule
from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Commands, add_json, decimal_of, misplaced, new_command
from safetab_sql.jobs.loss_targets import loss_overlay_toml, loss_target, loss_target_of, loss_target_text
from safetab_sql.jobs.targets import (
    Wanted,
    overlay_toml,
    parameters_toml,
    targets,
    targets_json,
    targets_of,
    targets_text,
)
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.public.parameters import load_parameters
from safetab_sql.public.unit import Unit


def add_targets(commands: Commands) -> None:
    """`targets`: from wanted margins of error, or from a wanted loss, to a parameter file."""
    example = "--privacy-definition zcdp --moe USA-2=6 --moe COUNTY-2=11 --out wanted.toml"
    summary = "write a parameter file with the margins of error you want, or the largest budgets within a loss"
    command = new_command(commands, "targets", summary, example)
    definitions, rules = get_args(PrivacyDefinition), get_args(Rule)
    command.add_argument(
        "--moe",
        action="append",
        metavar="LEVEL=N",
        help="the wanted 95 %% margin of error of the cells of a level, whole persons; repeat for several levels",
    )
    what = "in place of --moe: the largest budgets with which one person's loss is at most E at --delta"
    command.add_argument("--epsilon", metavar="E", help=what)
    command.add_argument("--delta", metavar="X", help="with --epsilon: delta of the loss; default: 1e-10")
    what = "set the budgets of levels of this parameter file; --out is laid over it, in the same folder"
    command.add_argument("--parameters", type=Path, metavar="P", help=what)
    what = "with --parameters: folder of the code lists; default: code-lists beside P"
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    what = "zcdp: rho; puredp: epsilon; needed without --parameters"
    command.add_argument("--privacy-definition", choices=definitions, help=what)
    command.add_argument("--rule", choices=rules, help="exact margins (the default), or as the paper's Table 1")
    command.add_argument("--gamma", metavar="X", help="share of the budget for stage 1; default: 0.1")
    command.add_argument(
        "--stability", type=int, metavar="N", help="groups of a level one person can be in; default: 9"
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="TOML file to make; not for --epsilon alone")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    add_json(command)
    command.set_defaults(command=_targets)


def _targets(options: argparse.Namespace) -> None:
    if (options.moe is None) == (options.epsilon is None):
        fix = "say what is wanted: margins of error, or a loss"
        raise InputError([Problem("targets", "one of --moe and --epsilon is needed", fix)])
    if options.parameters is not None:
        refuse(misplaced(options, "targets without --parameters", "privacy_definition", "gamma", "stability"))
        _refuse_other_folder(options)
    else:
        refuse(misplaced(options, "--parameters", "code_lists"))
        if options.privacy_definition is None:
            fix = "say zcdp or puredp, or name a parameter file: --parameters"
            raise InputError([Problem("--privacy-definition", "is missing", fix)])
    if options.epsilon is not None:
        _loss(options)
    else:
        _margins(options)


def _refuse_other_folder(options: argparse.Namespace) -> None:
    """Raises: InputError where the file to make would not lie beside the parameter file that it is laid over."""
    if (
        options.out is not None
        and options.out.absolute().parent.resolve() != options.parameters.absolute().parent.resolve()
    ):
        what = f"lies in another folder than {options.parameters}, over which it is to be laid"
        raise InputError([Problem(f"--out {options.out}", what, "name a file beside it")])


def _margins(options: argparse.Namespace) -> None:
    """From margins of error to budgets."""
    refuse(misplaced(options, "--epsilon", "delta"))
    if options.out is None:
        raise InputError([Problem("--out", "is missing", "name the TOML file to make")])
    rule = cast(Rule, options.rule or "exact")
    if options.parameters is not None:
        found = targets_of(options.parameters, _moes(options.moe), rule=rule, code_lists=options.code_lists)
        read = load_parameters(options.parameters)
        definition, unit = read.privacy_definition, read.unit
        text = overlay_toml(options.parameters, found)
    else:
        definition, unit = cast(PrivacyDefinition, options.privacy_definition), Unit()
        wanted = Wanted(definition, rule, _moes(options.moe), _gamma(options), _stability(options))
        found = targets(wanted)
        text = parameters_toml(wanted, found)
    write_whole_file(options.out, text, overwrite=options.overwrite)
    if options.json:
        print(json_text({"out": options.out, **targets_json(found, definition)}))
        return
    print(targets_text(found, definition, unit))
    print(options.out)


def _loss(options: argparse.Namespace) -> None:
    """From a loss to budgets: of the levels of a parameter file, or of one level."""
    refuse(misplaced(options, "--moe", "rule"))
    epsilon, delta = decimal_of("--epsilon", options.epsilon), decimal_of("--delta", options.delta or "1e-10")
    if options.parameters is None:
        refuse(misplaced(options, "--parameters", "out", "overwrite"))
        definition = cast(PrivacyDefinition, options.privacy_definition)
        found = loss_target(definition, epsilon, delta, gamma=_gamma(options), stability=_stability(options))
        print(json_text(members(found, without="unit")) if options.json else loss_target_text(found))
        return
    found = loss_target_of(options.parameters, epsilon, delta, code_lists=options.code_lists)
    if options.out is not None:
        write_whole_file(options.out, loss_overlay_toml(options.parameters, found), overwrite=options.overwrite)
    print(json_text(members(found, without="unit")) if options.json else loss_target_text(found))
    if options.out is not None and not options.json:
        print(options.out)


def _gamma(options: argparse.Namespace) -> Fraction:
    return decimal_of("--gamma", options.gamma or "0.1")


def _stability(options: argparse.Namespace) -> int:
    return 9 if options.stability is None else int(options.stability)


def _moes(given: list[str]) -> dict[str, int]:
    """The margins by level. Raises: InputError with every margin that cannot be read or is given twice."""
    pairs = [text.partition("=") for text in given]
    counts = Counter(name for name, _, _ in pairs)
    refuse(
        [
            Problem(f"--moe {name}{sign}{moe}", "not a level and a whole number", "say it like COUNTY-2=11")
            for name, sign, moe in pairs
            if not (moe.isascii() and moe.isdigit() and len(moe) < 10)
        ]
        + [
            Problem(f"--moe {name}", f"given {count} times", "give it once")
            for name, count in counts.items()
            if count > 1
        ]
    )
    return {name: int(moe) for name, _, moe in pairs}
