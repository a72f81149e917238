"""What a run will do and cost, before any person record is opened: `safetab-sql plan`."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import quoted, said_loss
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.accounting.statement import RunSpending, run_spending, shown_losses, statement_json, sum_notes
from safetab_sql.kit.database import Resources
from safetab_sql.kit.words import printed
from safetab_sql.laws.noise import margin_of_error, quantile, variance
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import checked_public_inputs
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.ladders import amounts
from safetab_sql.settings.parameters import Parameters

CHANCES = (Fraction(5, 100), Fraction(50, 100), Fraction(95, 100))

# Measured on the simulated nation (README, Speed): for planning, not promises.
SCRATCH_BYTES_A_PERSON = 28
MEMORY_BYTES = 300 * 10**6  # what a run takes whatever its size
MEMORY_BYTES_A_PERSON = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a run from public files alone."""

    parameters: Parameters
    catalog: Catalog
    plans: tuple[LevelPlan, ...]
    ledger: RunSpending
    has_geography: bool


def plan(
    parameters: str | Path,
    *,
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> Plan:
    """What a run will do and cost; regions need `geography`. Raises: InputError with every problem of the files."""
    lists = None if code_lists is None else Path(code_lists)
    with checked_public_inputs(Path(parameters), geography, lists, resources) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        entries = run_spending(intake.parameters, plans)
        return Plan(intake.parameters, catalog, plans, entries, geography is not None)


def plan_text(seen: Plan, people: int | None) -> str:
    """The plan for people to read. people: a public figure of how many there are, for the estimates."""
    parameters = seen.parameters
    values = {
        **{"seen": seen, "parameters": parameters, "people": people, "unit": UNITS[parameters.privacy_definition]},
        "levels": [(plan, _level_json(seen, plan)) for plan in seen.plans],
        "finest": list({ladder.statistics[-1].name for ladder in parameters.ladders}),
        "has_total_only": any(plan.is_total_only.any() for plan in seen.plans),
        "sums": sum_notes(amount.ladder for amount in amounts(parameters.ladders)),
        "losses": shown_losses(seen.ledger),
        "quoted": quoted(parameters.unit, seen.ledger.loss, parameters.delta),
        "said": [] if parameters.unit.is_person else [said_loss(parameters.unit, seen.ledger.loss)],
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
        "ledger": statement_json(seen.ledger),
        **_bytes(people),
    }


def _level_json(seen: Plan, plan: LevelPlan) -> dict[str, object]:
    level = plan.catalog
    finest_cells = level.regions * int((~plan.is_total_only).sum()) * plan.sizes[-1]  # if every group has its finest
    counted = (level.regions, level.population_groups, finest_cells) if seen.has_geography else (None,) * 3
    moe, tables = margin_of_error(plan.calls.stage_2.law), zip(plan.thresholds, plan.sizes, strict=False)
    names = next(each.statistics for each in seen.parameters.ladders if each.name == plan.ladder)
    return {
        "level": plan.name,
        "iterations": level.iterations,
        "total_only": int(plan.is_total_only.sum()),
        **dict(zip(("regions", "population_groups", "cells"), counted, strict=True)),
        "suppressed_up_to": plan.suppression_threshold if plan.thresholds else plan.total_only_threshold,
        "thresholds": plan.thresholds,
        "margins_of_a_cell": [threshold / moe / cells if moe else None for threshold, cells in tables],
        "sizes": {statistic.name: sizes for statistic, sizes in zip(names, _sizes(plan), strict=False)},
    }


def _bytes(people: int | None) -> dict[str, int | None]:
    """What a run takes on disk and in memory; None where nobody says of how many people."""
    a_person = {"scratch_bytes": (0, SCRATCH_BYTES_A_PERSON), "memory_bytes": (MEMORY_BYTES, MEMORY_BYTES_A_PERSON)}
    return {name: None if people is None else least + people * each for name, (least, each) in a_person.items()}


def _sizes(plan: LevelPlan) -> list[list[int]]:
    """By table, the least true sizes n with P(n + noise >= threshold) >= chance, for each of CHANCES."""
    if plan.calls.stage_1 is None:
        return []
    quantiles = [quantile(plan.calls.stage_1.law, chance) for chance in CHANCES]
    return [[max(0, threshold + quantile) for quantile in quantiles] for threshold in plan.thresholds]
