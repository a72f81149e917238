"""`targets`: the budgets that give wanted margins of error."""

import argparse
from collections import Counter
from pathlib import Path
from typing import cast, get_args

from safetab_sql.accounting.targets import Rule
from safetab_sql.commands.options import Commands, decimal_of, misplaced, new_command
from safetab_sql.jobs.targets import Wanted, overlay_toml, parameters_toml, targets, targets_of, targets_text
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.public.parameters import load_parameters


def add_targets(commands: Commands) -> None:
    """`targets`: from wanted margins of error to a parameter file."""
    example = "--privacy-definition zcdp --moe USA-2=6 --moe COUNTY-2=11 --out wanted.toml"
    summary = "write a parameter file whose published cells have the margins of error you want"
    command = new_command(commands, "targets", summary, example)
    definitions, rules = get_args(PrivacyDefinition), get_args(Rule)
    command.add_argument(
        "--moe",
        action="append",
        required=True,
        metavar="LEVEL=N",
        help="the wanted 95 %% margin of error of the cells of a level, whole persons; repeat for several levels",
    )
    what = "set the budgets of levels of this parameter file; --out is laid over it, in the same folder"
    command.add_argument("--parameters", type=Path, metavar="P", help=what)
    what = "with --parameters: folder of the code lists; default: code-lists beside P"
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    what = "zcdp: rho; puredp: epsilon; needed without --parameters"
    command.add_argument("--privacy-definition", choices=definitions, help=what)
    command.add_argument("--rule", choices=rules, default="exact", help="exact margins, or as the paper's Table 1")
    command.add_argument("--gamma", metavar="X", help="share of the budget for stage 1; default: 0.1")
    command.add_argument(
        "--stability", type=int, metavar="N", help="groups of a level one person can be in; default: 9"
    )
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="TOML file to make")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    command.set_defaults(command=_targets)


def _targets(options: argparse.Namespace) -> None:
    if options.parameters is not None:
        _targets_of(options)
        return
    refuse(misplaced(options, "--parameters", "code_lists"))
    if options.privacy_definition is None:
        fix = "say zcdp or puredp, or name a parameter file: --parameters"
        raise InputError([Problem("--privacy-definition", "is missing", fix)])
    definition = cast(PrivacyDefinition, options.privacy_definition)
    gamma = decimal_of("--gamma", options.gamma or "0.1")
    stability = 9 if options.stability is None else options.stability
    wanted = Wanted(definition, cast(Rule, options.rule), _moes(options.moe), gamma, stability)
    found = targets(wanted)
    write_whole_file(options.out, parameters_toml(wanted, found), overwrite=options.overwrite)
    print(targets_text(found, definition))
    print(options.out)


def _targets_of(options: argparse.Namespace) -> None:
    """The budgets of levels of a parameter file of any shape."""
    refuse(misplaced(options, "budgets without --parameters", "privacy_definition", "gamma", "stability"))
    if options.out.absolute().parent.resolve() != options.parameters.absolute().parent.resolve():
        what = f"lies in another folder than {options.parameters}, over which it is to be laid"
        raise InputError([Problem(f"--out {options.out}", what, "name a file beside it")])
    rule = cast(Rule, options.rule)
    found = targets_of(options.parameters, _moes(options.moe), rule=rule, code_lists=options.code_lists)
    parameters = load_parameters(options.parameters)
    write_whole_file(options.out, overlay_toml(options.parameters, found), overwrite=options.overwrite)
    print(targets_text(found, parameters.privacy_definition))
    print(options.out)


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
