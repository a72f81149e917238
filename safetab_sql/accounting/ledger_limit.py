"""The limit of a custodian's ledger: which runs it admits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.charges import Charge, Limit, exact_text, spent
from safetab_sql.accounting.ledger_lines import LedgerLines
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.budgets import UNITS


def limit_for(path: str | Path, asked: Fraction | None, found: LedgerLines, charge: Charge) -> Limit | None:
    """The limit of the ledger at `path`, or the one that it will get, asked for in the run's rho or epsilon.

    Raises: InputError if the charge does not fit below it, or if it is not the one that was asked for.
    """
    limit = found.limit
    if limit is None and asked is not None:
        limit = Limit(asked, charge.privacy_definition, None if charge.is_of_persons else charge.record)
    if limit is None:
        return None
    where = f"{path}, limit {limit.text}"
    if asked is not None and (asked, charge.privacy_definition) != (limit.amount, limit.definition):
        unit = UNITS[charge.privacy_definition]
        what = f"--ledger-limit {exact_text(asked)} says another limit, {unit} {exact_text(asked)}"
        raise InputError([Problem(where, what, f"leave it out, or {_change(path, limit)}")])
    earlier = [each for each in found.charges if each.run != charge.run]
    refuse(_kind_problems(where, limit, earlier, charge) or _amount_problems(where, path, limit, earlier, charge))
    return limit


def new_limit_problems(limit: Limit, charges: Sequence[Charge]) -> list[Problem]:
    """Why the custodian may not enter this limit: it bounds no total of the runs, so all later ones are refused."""
    found = _unbounded(limit, charges)
    if found is None:
        return []
    what = f"{limit.text} cannot bound the runs: {_called(found.run)} {found.what}"
    return [Problem("--set-limit", what, found.fix_of_limit)]


def _kind_problems(where: str, limit: Limit, earlier: Sequence[Charge], charge: Charge) -> list[Problem]:
    """Why a limit of this kind does not bound the runs."""
    found = _unbounded(limit, [charge, *earlier])
    if found is None:
        return []
    called = "this run" if found.run is charge else _called(found.run)
    return [Problem(where, f"{called} {found.what}", found.fix_of_run)]


@dataclass(frozen=True, slots=True)
class _Unbounded:
    """A run that a limit of some kind cannot bound, why, and what to do about the run or about the limit.

    Never another ledger: the people of both would lose more than either limit.
    """

    run: Charge
    what: str
    fix_of_run: str
    fix_of_limit: str


def _unbounded(limit: Limit, runs: Sequence[Charge]) -> _Unbounded | None:
    """The first of the runs that a limit of this kind cannot bound."""
    if limit.definition == "puredp" and (zcdp := _first(runs, lambda each: each.privacy_definition == "zcdp")):
        what = "is zCDP, and no rho implies an epsilon of pure DP"
        fix = "run under zcdp with a limit in rho: pure DP runs convert to rho, not back"
        return _Unbounded(zcdp, what, fix, "say a limit in rho, such as 'rho 10': pure DP runs convert to rho")
    if limit.record is None:
        unknown = _first(runs, lambda each: not each.is_of_persons)
        if unknown is None:
            return None
        what = f"protects one {unknown.record}, of which a person can have any number"
        fix = "say how many a person has: [unit] records_of_a_person"
        of = f"bound the loss of one {unknown.record}, --limit-of '{unknown.record}', if all runs are of such records"
        return _Unbounded(unknown, what, fix, of)
    other = _first(runs, lambda each: each.record != limit.record)
    if other is None:
        return None
    what = f"protects one {other.record}, not one {limit.record}"
    of = "bound the loss of one person, if it is known for all runs: account --set-limit, without --limit-of"
    return _Unbounded(other, what, of, of)


def _amount_problems(
    where: str, path: str | Path, limit: Limit, earlier: Sequence[Charge], charge: Charge
) -> list[Problem]:
    """A problem if the total exceeds the limit. A total equal to the limit is allowed."""
    before, after = (bounded_total(limit, charges) for charges in (earlier, [*earlier, charge]))
    if after <= limit.amount:
        return []
    unit = UNITS[limit.definition]
    what = (
        f"this run would bring the total of one {limit.record or 'person'} from {unit} {exact_text(before)} to "
        f"{unit} {exact_text(after)}"
    )
    return [Problem(where, what, f"spend less, or {_change(path, limit)}")]


def bounded_total(limit: Limit, charges: Sequence[Charge]) -> Fraction:
    """The total that a limit bounds. The runs must be of its kind."""
    together = spent(charges, limit.definition)
    total = None if together is None else together.one_person
    if together is not None and limit.record is not None:
        total = together.records.get(limit.record, Fraction(0))
    if total is None:
        raise ValueError("a limit is compared with a total that does not exist")
    return total


def _first(runs: Sequence[Charge], is_so: Callable[[Charge], bool]) -> Charge | None:
    """The first run of which something is so."""
    return next((each for each in runs if is_so(each)), None)


def _called(run: Charge) -> str:
    return f"run {run.run}, which made {run.out},"


def _change(path: str | Path, limit: Limit) -> str:
    """How the custodian enters another amount."""
    of = "" if limit.record is None else f" --limit-of '{limit.record}'"
    return f"change the limit: safetab-sql account --ledger {path} --set-limit '{UNITS[limit.definition]} X'{of}"
