"""`account` and `targets`: what a run costs, and the budgets that wanted margins of error take."""

import argparse
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

from safetab_sql.accounting.charges import charges_json, charges_text
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.accounting.ledger_lines import LedgerLines
from safetab_sql.accounting.targets import Rule
from safetab_sql.commands.options import Commands, add_parameters, misplaced, new_command
from safetab_sql.jobs.account import account, account_json, account_text
from safetab_sql.jobs.targets import Wanted, parameters_toml, targets, targets_text, write_whole_file
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import PrivacyDefinition, exact_decimal


def add_account(commands: Commands) -> None:
    """`account`: the ledger, and the totals under every accountant."""
    summary = "show what a run costs, level by level and in (epsilon, delta)"
    command = new_command(commands, "account", summary, "--parameters sim/parameters.toml --code-lists sim/code-lists")
    add_parameters(command, is_required=False)
    command.add_argument("--ledger", type=Path, metavar="FILE", help="add up the runs of a custodian's ledger instead")
    command.add_argument("--delta", default="1e-10", metavar="X", help="of the (epsilon, delta) totals; default: 1e-10")
    command.add_argument("--json", action="store_true", help="as JSON, every number exact")
    command.set_defaults(command=_account)


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
        help="the 95 %% margin of error wanted of one level's cells, whole persons; once a level",
    )
    command.add_argument("--privacy-definition", choices=definitions, required=True, help="zcdp: rho; puredp: epsilon")
    command.add_argument("--rule", choices=rules, default="exact", help="exact margins, or as the paper's Table 1")
    command.add_argument("--gamma", default="0.1", metavar="X", help="share of stage 1; default: 0.1")
    command.add_argument(
        "--stability", type=int, default=9, metavar="N", help="groups of a level one person can be in; default: 9"
    )
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="TOML file to make")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    command.set_defaults(command=_targets)


def _account(options: argparse.Namespace) -> None:
    delta = _decimal("--delta", options.delta)
    if not 0 < delta < 1:
        raise InputError([Problem("--delta", f"{options.delta} is not between 0 and 1", "say it like 1e-10")])
    if (options.parameters is None) == (options.ledger is None):
        fix = "name the parameters of one run, or the ledger of many"
        raise InputError([Problem("account", "one of --parameters and --ledger is needed", fix)])
    if options.ledger is not None:
        refuse(misplaced(options, "--parameters", "code_lists"))
        print(_ledger_text(read_ledger(options.ledger), delta, as_json=options.json))
        return
    seen = account(options.parameters, options.code_lists, delta)
    print(account_json(seen) if options.json else account_text(seen))


def _ledger_text(found: LedgerLines, delta: Fraction, *, as_json: bool) -> str:
    """The runs and totals of a ledger, and the digest that shows later whether its end still stands."""
    if as_json:
        chain = {"lines": found.lines, "last_line_sha256": found.last_sha256}
        return json.dumps({**charges_json(found.charges, delta=delta), "file": chain}, indent=2)
    note = "Keep this digest elsewhere: nothing else shows that lines were cut off at the end."
    end = f"{found.lines:,} lines; SHA-256 of the last: {found.last_sha256}"
    return "\n".join([charges_text(found.charges, delta=delta), "", end, note])


def _targets(options: argparse.Namespace) -> None:
    definition = cast(PrivacyDefinition, options.privacy_definition)
    gamma = _decimal("--gamma", options.gamma)
    wanted = Wanted(definition, cast(Rule, options.rule), _moes(options.moe), gamma, options.stability)
    found = targets(wanted)
    write_whole_file(options.out, parameters_toml(wanted, found), overwrite=options.overwrite)
    print(targets_text(found, definition))
    print(options.out)


def _moes(given: list[str]) -> dict[str, int]:
    """The margins by level. Raises: InputError with every one that cannot be read, or stands twice."""
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


def _decimal(option: str, text: str) -> Fraction:
    value = exact_decimal(text)
    if value is None:
        raise InputError([Problem(option, f"'{text}' is not a decimal number", "say it like 0.1 or 1e-10")])
    return value
