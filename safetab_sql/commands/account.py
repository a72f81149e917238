"""`account`: what a run costs, or all runs of a custodian's ledger."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.charges import Limit, exact_text
from safetab_sql.accounting.charges_text import charges_json, charges_text
from safetab_sql.accounting.ledger_file import read_ledger, set_limit
from safetab_sql.accounting.ledger_lines import LedgerLines
from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, add_parameters, decimal_of, misplaced, new_command
from safetab_sql.jobs.account import account, account_json, account_text
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.decimals import exact_decimal


def add_account(commands: Commands) -> None:
    """`account`: the ledger, and the totals under every accountant."""
    summary = "show what a run costs, level by level and in (epsilon, delta)"
    command = new_command(commands, "account", summary, "--parameters sim/parameters.toml --code-lists sim/code-lists")
    add_parameters(command, is_required=False)
    command.add_argument("--ledger", type=Path, metavar="FILE", help="add up the runs of a custodian's ledger instead")
    what = "enter another limit in the ledger, such as 'rho 10' or 'epsilon 2': of one person, or of one RECORD"
    command.add_argument("--set-limit", metavar="LIMIT", help=what)
    what = "what the limit bounds, as the ledger calls a record, such as stay; default: person"
    command.add_argument("--limit-of", metavar="RECORD", help=what)
    command.add_argument(
        "--delta", default="1e-10", metavar="X", help="delta of the (epsilon, delta) totals; default: 1e-10"
    )
    add_json(command, "as JSON, every number exact")
    command.set_defaults(command=_account)


def _account(options: argparse.Namespace) -> None:
    delta = decimal_of("--delta", options.delta)
    if not 0 < delta < 1:
        raise InputError([Problem("--delta", f"{options.delta} is not between 0 and 1", "say it like 1e-10")])
    if (options.parameters is None) == (options.ledger is None):
        fix = "name the parameters of one run, or the ledger of many"
        raise InputError([Problem("account", "one of --parameters and --ledger is needed", fix)])
    if options.set_limit is None:
        refuse(misplaced(options, "--set-limit", "limit_of"))
    if options.ledger is not None:
        refuse(misplaced(options, "--parameters", "code_lists"))
        if options.set_limit is not None:
            limit = _limit(options.set_limit, options.limit_of)
            _warn_of_excess(limit, set_limit(options.ledger, limit))
        print(_ledger_text(read_ledger(options.ledger), delta, as_json=options.json))
        return
    refuse(misplaced(options, "--ledger", "set_limit", "limit_of"))
    costs = account(options.parameters, code_lists=options.code_lists, delta=delta)
    print(json_text(account_json(costs)) if options.json else account_text(costs))


def _limit(text: str, record: str | None) -> Limit:
    """The limit of --set-limit. Raises: InputError where it is none."""
    unit, _, amount = text.strip().partition(" ")
    definitions: dict[str, PrivacyDefinition] = {unit: definition for definition, unit in UNITS.items()}
    value = exact_decimal(amount.strip())
    if unit not in definitions or value is None or value <= 0:
        fix = "say it like 'rho 10' or 'epsilon 2', in quotes"
        raise InputError([Problem("--set-limit", f"'{text}' is not a limit", fix)])
    return Limit(value, definitions[unit], None if record == "person" else record)


def _warn_of_excess(limit: Limit, total: Fraction) -> None:
    """Say on stderr that no run fits any more."""
    if total > limit.amount:
        what = f"the limit is {limit.text}, and the ledger has spent {UNITS[limit.definition]} {exact_text(total)}"
        print(f"warning: {what}: every later run is refused", file=sys.stderr)


def _ledger_text(found: LedgerLines, delta: Fraction, *, as_json: bool) -> str:
    """The runs and totals of a ledger, and the digest of its last line, which shows whether lines were cut off."""
    if as_json:
        chain = {"lines": found.lines, "last_line_sha256": found.last_sha256}
        return json_text({**charges_json(found.charges, found.limit, delta=delta), "file": chain})
    note = "Keep this digest in another place: nothing else shows whether lines were cut off at the end."
    end = f"{found.lines:,} lines; SHA-256 of the last: {found.last_sha256}"
    return "\n".join([charges_text(found.charges, found.limit, delta=delta), "", end, note])
