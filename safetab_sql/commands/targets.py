"""`targets`: the budgets that give wanted margins of error."""

import argparse
from collections import Counter
from pathlib import Path
from typing import cast, get_args

from safetab_sql.accounting.targets import Rule
from safetab_sql.commands.options import Commands, decimal_of, new_command
from safetab_sql.jobs.targets import Wanted, parameters_toml, targets, targets_text
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.public.budgets import PrivacyDefinition


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
    command.add_argument("--privacy-definition", choices=definitions, required=True, help="zcdp: rho; puredp: epsilon")
    command.add_argument("--rule", choices=rules, default="exact", help="exact margins, or as the paper's Table 1")
    command.add_argument("--gamma", default="0.1", metavar="X", help="share of the budget for stage 1; default: 0.1")
    command.add_argument(
        "--stability", type=int, default=9, metavar="N", help="groups of a level one person can be in; default: 9"
    )
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="TOML file to make")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    command.set_defaults(command=_targets)


def _targets(options: argparse.Namespace) -> None:
    definition = cast(PrivacyDefinition, options.privacy_definition)
    gamma = decimal_of("--gamma", options.gamma)
    wanted = Wanted(definition, cast(Rule, options.rule), _moes(options.moe), gamma, options.stability)
    found = targets(wanted)
    write_whole_file(options.out, parameters_toml(wanted, found), overwrite=options.overwrite)
    print(targets_text(found, definition))
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
