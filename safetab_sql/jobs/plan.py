"""What a run will do, and what it costs under every accountant, before any person record is opened.

`safetab-sql plan` and `safetab-sql account`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

from safetab_sql.accounting import statement
from safetab_sql.accounting.accountants import LOSS_DISTRIBUTION, loss_distribution_total
from safetab_sql.accounting.conversions import Total, members_of, rounded_up, stated
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.accounting.statement import difference, quoted, said_loss
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.words import printed
from safetab_sql.laws.noise import margin_of_error, quantile, variance
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import checked_public_inputs, default_code_lists
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.ladders import COUNTED, amounts
from safetab_sql.settings.parameters import Parameters, census, load_parameters

CHANCES = (Fraction(5, 100), Fraction(50, 100), Fraction(95, 100))

# Measured on the simulated nation (README, Speed): for planning, not promises.
SCRATCH_BYTES_A_PERSON = 28
MEMORY_BYTES = 300 * 10**6  # what a run takes whatever its size
MEMORY_BYTES_A_PERSON = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a run from public files alone. plans: of the levels; ledger: what they cost."""

    parameters: Parameters
    plans: tuple[LevelPlan, ...]
    ledger: statement.RunSpending
    has_geography: bool


@dataclass(frozen=True, slots=True)
class Account:
    """A ledger and its totals under every accountant that applies. lists: what stabilities come from."""

    entries: statement.RunSpending
    totals: statement.Totals
    lists: str


def plan(
    parameters: str | Path,
    *,
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> Plan:
    """What a run will do and cost; regions need `geography`. Raises: InputError with every problem of the files."""
    with checked_public_inputs(parameters, geography, code_lists, resources) as intake:
        plans = level_plans(build_catalog(intake.database, intake.parameters), intake.parameters)
        return Plan(intake.parameters, plans, statement.run_spending(intake.parameters, plans), geography is not None)


def plan_of_lists(parameters: str | Path, code_lists: str | Path | None) -> Plan:
    """The plan without places; where no code lists are named, with our example lists of the census."""
    lists = code_lists or default_code_lists(Path(parameters))
    if lists is None and load_parameters(parameters).questions.lists == census().questions.lists:
        lists = packaged_folder("configs") / "example-lists"
    return plan(parameters, code_lists=lists)


def plan_text(seen: Plan, people: int | None) -> str:
    """The plan for people to read. people: a public figure of how many there are, for the estimates."""
    parameters = seen.parameters
    values = {
        **{"seen": seen, "parameters": parameters, "people": people, "unit": UNITS[parameters.privacy_definition]},
        "levels": [(plan, _level_json(seen, plan)) for plan in seen.plans],
        "finest": list({ladder.statistics[-1].name for ladder in parameters.ladders}),
        "has_total_only": any(plan.is_total_only.any() for plan in seen.plans),
        "sums": statement.sum_notes(amount.ladder for amount in amounts(parameters.ladders)),
        "losses": statement.shown_losses(seen.ledger),
        "quoted": quoted(seen.ledger.loss, parameters.delta),
        "said": [] if parameters.unit.is_person else [said_loss(seen.ledger.loss)],
        **_bytes(people),
        **{"deviation": lambda law: sqrt(variance(law)), "margin": margin_of_error},
        "rounded_up": rounded_up,
    }
    return printed(__file__, "plan", values)


def plan_json(seen: Plan, people: int | None) -> dict[str, object]:
    """The plan for programs: of each level what `plan_text` counts, and the ledger of the manifest. people: likewise.

    Regions, groups and cells are null without a geography. margins_of_a_cell: how many margins of error a cell of each
    table holds at its threshold, on average. sizes: by table, the true size at which a group has it with
    a chance of 5 %, 50 % and 95 %; none where noise picks no table.
    """
    return {
        "levels": [_level_json(seen, plan) for plan in seen.plans],
        "ledger": members_of(statement.run_statement(seen.ledger)),
        **_bytes(people),
    }


def _level_json(seen: Plan, plan: LevelPlan) -> dict[str, object]:
    level = plan.catalog
    finest_cells = level.regions * int((~plan.is_total_only).sum()) * plan.sizes[-1]  # if every group has its finest
    counted = (level.regions, level.population_groups, finest_cells) if seen.has_geography else (None,) * 3
    moe, tables = margin_of_error(plan.calls.stage_2.law), zip(plan.thresholds, plan.sizes, strict=False)
    names = next(each.statistics for each in seen.parameters.ladders if each.name == plan.ladder)
    quantiles = [] if plan.calls.stage_1 is None else [quantile(plan.calls.stage_1.law, chance) for chance in CHANCES]
    picked = zip(names, plan.thresholds if quantiles else (), strict=False)
    return {
        "level": plan.name,
        "iterations": level.iterations,
        "total_only": int(plan.is_total_only.sum()),
        **dict(zip(("regions", "population_groups", "cells"), counted, strict=True)),
        "suppressed_up_to": plan.suppression_threshold if plan.thresholds else plan.total_only_threshold,
        "thresholds": plan.thresholds,
        "margins_of_a_cell": [threshold / moe / cells if moe else None for threshold, cells in tables],
        "sizes": {one.name: [max(0, threshold + each) for each in quantiles] for one, threshold in picked},
    }


def _bytes(people: int | None) -> dict[str, int | None]:
    """What a run takes on disk and in memory; None where nobody says of how many people."""
    a_person = {"scratch_bytes": (0, SCRATCH_BYTES_A_PERSON), "memory_bytes": (MEMORY_BYTES, MEMORY_BYTES_A_PERSON)}
    return {name: None if people is None else least + people * each for name, (least, each) in a_person.items()}


# --- the totals of its ledger ---


def account(parameters: str | Path, *, code_lists: str | Path | None = None, delta: Fraction | None = None) -> Account:
    """What a run costs; without code lists, with our example lists. delta: in place of the one of the parameters.

    Raises: InputError with all problems.
    """
    seen = plan_of_lists(parameters, code_lists)
    entries = seen.ledger if delta is None else replace(seen.ledger, delta=delta)
    named = code_lists or default_code_lists(Path(parameters))
    lists = "the code lists" if named else "our example code lists (configs/example-lists), as none were named"
    return Account(entries, _totals(entries), lists if seen.parameters.questions.lists else "the parameters")


def _totals(entries: statement.RunSpending) -> statement.Totals:
    """The totals under every accountant; the privacy loss distribution comes last."""
    calls, why = statement.group_calls(entries), statement.uncomposed(entries)
    last = Total(LOSS_DISTRIBUTION, None, entries.delta, why)
    complete = {}
    for name, known in statement.approximate_totals(entries).items():
        if not why:
            last = loss_distribution_total(entries.privacy_definition, calls[name], entries.delta, known)
        complete[name] = (*known, last)
    return statement.with_losses(entries, complete)


def account_text(costs: Account) -> str:
    """The account for people to read."""
    entries, unit = costs.entries, costs.entries.unit
    notes = [
        f"Quote {quoted(entries.loss, entries.delta)}.",
        *statement.sum_notes(level.ladder for level in entries.levels if level.measure != COUNTED),
        f"s, the stability, is from {costs.lists}.",
        f"Neighbours differ by {difference(unit)}. Losses are rounded up; --json has every digit.",
        *([] if unit.is_person else [said_loss(entries.loss)]),
    ]
    calls = [level.calls.stage_2 if level.thresholds else level.calls.total_only for level in entries.levels]
    is_gaussian = entries.privacy_definition == "zcdp"  # then sigma, else the scale
    widths = [sqrt(1 / (2 * call.budget)) if is_gaussian else float(1 / call.budget) for call in calls]
    values = {
        **{"entries": entries, "budget": UNITS[entries.privacy_definition], "notes": notes},
        "levels": list(zip(entries.levels, calls, widths, strict=True)),
        "totals": [(title, spent, costs.totals[name] or ()) for name, title, spent in statement.shown_losses(entries)],
        **{"rounded_up": rounded_up, "stated": stated, "margin": margin_of_error},
    }
    return printed(__file__, "account", values)


def account_json(costs: Account) -> dict[str, object]:
    """The account for programs: the ledger of the manifest, with the totals of all accountants."""
    return {"stability_from": costs.lists, **members_of(statement.run_statement(costs.entries, totals=costs.totals))}
