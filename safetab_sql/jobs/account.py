"""What a run costs: its ledger, and its total under every accountant that applies. `safetab-sql account`."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.accountants import LOSS_DISTRIBUTION, loss_distribution_total
from safetab_sql.accounting.conversions import Total, rounded_up, stated
from safetab_sql.accounting.loss import difference, quoted, said_loss
from safetab_sql.accounting.plan import level_plans
from safetab_sql.accounting.statement import (
    RunSpending,
    Totals,
    approximate_totals,
    group_calls,
    run_spending,
    shown_losses,
    statement_json,
    sum_notes,
    uncomposed,
    with_losses,
)
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.words import printed
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import checked_public_inputs, default_code_lists
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.ladders import COUNTED
from safetab_sql.settings.parameters import Parameters, census, load_parameters


@dataclass(frozen=True, slots=True)
class Account:
    """A ledger and its totals under every accountant that applies. lists: what stabilities come from."""

    entries: RunSpending
    totals: Totals
    lists: str


def account(parameters: str | Path, *, code_lists: str | Path | None = None, delta: Fraction | None = None) -> Account:
    """What a run costs; without code lists, with our example lists. delta: in place of the one of the parameters.

    Raises: InputError with all problems.
    """
    read, entries = planned_ledger(Path(parameters), code_lists)
    entries = replace(entries, delta=entries.delta if delta is None else delta)
    named = code_lists or default_code_lists(Path(parameters))
    lists = "the code lists" if named else "our example code lists (configs/example-lists), as none were named"
    lists = lists if read.questions.lists else "the parameters"
    return Account(entries, _totals(entries), lists)


def planned_ledger(path: Path, code_lists: str | Path | None) -> tuple[Parameters, RunSpending]:
    """The parameters and the ledger of a run; where no code lists are named, with our example lists of the census."""
    lists = code_lists or default_code_lists(path)
    if lists is None and load_parameters(path).questions.lists == census().questions.lists:
        lists = packaged_folder("configs") / "example-lists"
    with checked_public_inputs(path, None, None if lists is None else Path(lists), Resources()) as intake:
        plans = level_plans(build_catalog(intake.database, intake.parameters), intake.parameters)
        return intake.parameters, run_spending(intake.parameters, plans)


def _totals(entries: RunSpending) -> Totals:
    """The totals under every accountant; the privacy loss distribution comes last."""
    formulas, delta = approximate_totals(entries), entries.delta
    calls, why = group_calls(entries), uncomposed(entries)
    complete: dict[str, tuple[Total, ...]] = {}
    for name, own_calls in calls.items():
        same = next((done for done in complete if calls[done] == own_calls), None)  # the sum of one part is that part
        if same:
            complete[name] = complete[same]
        else:
            last = Total(LOSS_DISTRIBUTION, None, delta, why)
            if not why:
                last = loss_distribution_total(entries.privacy_definition, own_calls, delta, formulas[name])
            complete[name] = (*formulas[name], last)
    return with_losses(entries, complete)


def account_text(costs: Account) -> str:
    """The account for people to read."""
    entries, unit = costs.entries, costs.entries.unit
    notes = [
        f"Quote {quoted(unit, entries.loss, entries.delta)}.",
        *sum_notes(level.ladder for level in entries.levels if level.measure != COUNTED),
        f"s, the stability, is from {costs.lists}.",
        f"Neighbours differ by {difference(unit)}. Losses are rounded up; --json has every digit.",
        *([] if unit.is_person else [said_loss(unit, entries.loss)]),
    ]
    calls = [level.calls.stage_2 if level.thresholds else level.calls.total_only for level in entries.levels]
    is_gaussian = entries.privacy_definition == "zcdp"  # then sigma, else the scale
    widths = [math.sqrt(1 / (2 * call.budget)) if is_gaussian else float(1 / call.budget) for call in calls]
    values = {
        **{"entries": entries, "budget": UNITS[entries.privacy_definition], "notes": notes},
        "levels": list(zip(entries.levels, calls, widths, strict=True)),
        "totals": [(title, spent, costs.totals[name] or ()) for name, title, spent in shown_losses(entries)],
        **{"rounded_up": rounded_up, "stated": stated, "margin": margin_of_error},
    }
    return printed(__file__, "account", values)


def account_json(costs: Account) -> dict[str, object]:
    """The account for programs: the ledger of the manifest, with the totals of all accountants."""
    document = statement_json(costs.entries, totals=costs.totals)
    return {"stability_from": costs.lists, **document}
