"""`account`: what a run costs, or all runs of a custodian's ledger."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import CodeLists, ParameterFile, decimal, misplaced, refused
from safetab_sql.commands.signatures import Means
from safetab_sql.kit.errors import refuse
from safetab_sql.settings.decimals import exact_decimal

if TYPE_CHECKING:
    from safetab_sql.accounting.charges import Limit


def _delta(option: str, text: str) -> Fraction:
    """The delta of a total. Raises: InputError where it is none."""
    delta = decimal(option, text)
    if not 0 < delta < 1:
        raise refused(option, f"{text} is not between 0 and 1", "say it like 1e-10")
    return delta


def account(
    *,
    parameters: ParameterFile | None = None,
    code_lists: CodeLists = None,
    ledger: Path | None = None,
    set_limit: str | None = None,
    limit_of: str | None = None,
    delta: Annotated[Fraction, _delta] = Fraction(1, 10**10),
    json: Annotated[bool, Means("as JSON, every number exact")] = False,
) -> None:
    """Show what a run costs, level by level and in (epsilon, delta).

    example: --parameters sim/parameters.toml --code-lists sim/code-lists

    ledger FILE: add up the runs of a custodian's ledger instead
    set_limit LIMIT: enter another limit in the ledger, such as 'rho 10' or 'epsilon 2': of one person, or of one RECORD
    limit_of RECORD: what the limit bounds, as the ledger calls a record, such as stay; default: person
    delta X: delta of the (epsilon, delta) totals
    """
    from safetab_sql.jobs.account import account, account_json, account_text

    if (parameters is None) == (ledger is None):
        fix = "name the parameters of one run, or the ledger of many"
        raise refused("account", "one of --parameters and --ledger is needed", fix)
    if set_limit is None:
        refuse(misplaced("--set-limit", {"limit_of": limit_of}))
    if ledger is not None:
        refuse(misplaced("--parameters", {"code_lists": code_lists}))
        if set_limit is not None:
            _set_limit(ledger, _limit(set_limit, limit_of))
        _print_ledger(ledger, delta, json=json)
    elif parameters is not None:
        refuse(misplaced("--ledger", {"set_limit": set_limit, "limit_of": limit_of}))
        costs = account(parameters, code_lists=code_lists, delta=delta)
        print(json_text(account_json(costs)) if json else account_text(costs))


def _limit(text: str, record: str | None) -> "Limit":
    """The limit of --set-limit. Raises: InputError where it is none."""
    from safetab_sql.accounting.charges import Limit
    from safetab_sql.settings.budgets import UNITS

    unit, _, amount = text.strip().partition(" ")
    definition = next((each for each, its in UNITS.items() if its == unit), None)
    value = exact_decimal(amount.strip())
    if definition is None or value is None or value <= 0:
        fix = "say it like 'rho 10' or 'epsilon 2', in quotes"
        raise refused("--set-limit", f"'{text}' is not a limit", fix)
    return Limit(value, definition, None if record == "person" else record)


def _set_limit(ledger: Path, limit: "Limit") -> None:
    """Enter the limit, and say on stderr if no run fits any more."""
    from safetab_sql.accounting.charges import exact_text
    from safetab_sql.accounting.ledger_file import set_limit
    from safetab_sql.settings.budgets import UNITS

    total = set_limit(ledger, limit)
    if total > limit.amount:
        what = f"the limit is {limit.text}, and the ledger has spent {UNITS[limit.definition]} {exact_text(total)}"
        print(f"warning: {what}: every later run is refused", file=sys.stderr)


def _print_ledger(ledger: Path, delta: Fraction, *, json: bool) -> None:
    """The runs and totals of a ledger, and the digest of its last line, which shows whether lines were cut off."""
    from safetab_sql.accounting.charges_text import charges_json, charges_text
    from safetab_sql.accounting.ledger_file import read_ledger

    found = read_ledger(ledger)
    if json:
        chain = {"lines": found.lines, "last_line_sha256": found.last_sha256}
        print(json_text({**charges_json(found.charges, found.limit, delta=delta), "file": chain}))
        return
    print(f"{charges_text(found.charges, found.limit, delta=delta)}\n")
    print(f"{found.lines:,} lines; SHA-256 of the last: {found.last_sha256}")
    print("Keep this digest in another place: nothing else shows whether lines were cut off at the end.")
