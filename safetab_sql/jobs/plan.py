"""What a run will do and cost, before any person record is opened: `safetab-sql plan`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import TypeAlias

from safetab_sql.accounting.conversions import approximate_dp, rounded_up, stated
from safetab_sql.accounting.ledger import DELTA, Ledger, ledger_json, run_ledger, shown_losses, sum_notes
from safetab_sql.accounting.loss import said_loss
from safetab_sql.accounting.plan import LevelPlan, level_calls, level_plans
from safetab_sql.kit.database import Database, Resources
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.templates import printed
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.cumulative import is_tabulable
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error, quantile, variance
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import checked_public_inputs
from safetab_sql.public.values import codes_read, rows_of
from safetab_sql.settings.budgets import UNITS, stage_budgets
from safetab_sql.settings.ladders import Ladder, amounts
from safetab_sql.settings.parameters import Parameters

CHANCES = (Fraction(5, 100), Fraction(50, 100), Fraction(95, 100))

# Measured on the simulated nation (README, Speed): for planning, not promises.
SCRATCH_BYTES_A_PERSON = 28
MEMORY_BYTES = 300 * 10**6  # what a run takes whatever its size
MEMORY_BYTES_A_PERSON = 20
ROW_BYTES = 3

# Other settings at the same loss: so many codes that are read, and such shares for stage 1.
CODES = (8, 5, 3, 1)
GAMMAS = tuple(Fraction(share, 100) for share in (2, 5, 10, 20, 50))
Stabilities: TypeAlias = dict[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a run from public files alone.

    stabilities: one a plan, by how many codes are read, those that are read now first; one entry: no choice.
    """

    parameters: Parameters
    catalog: Catalog
    plans: tuple[LevelPlan, ...]
    ledger: Ledger
    has_geography: bool
    stabilities: Stabilities


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
        entries = run_ledger(intake.parameters, plans)
        found = _stabilities(intake.database, intake.parameters, plans)
        return Plan(intake.parameters, catalog, plans, entries, geography is not None, found)


def plan_text(seen: Plan, people: int | None) -> str:
    """The plan for people to read. people: a public figure of how many there are, for the estimates."""
    parameters, definition = seen.parameters, seen.parameters.privacy_definition
    values = {
        **{"seen": seen, "parameters": parameters, "people": people, "unit": UNITS[definition]},
        "levels": [(plan, _level_json(seen, plan)) for plan in seen.plans],
        "finest": list({ladder.statistics[-1].name for ladder in parameters.ladders}),
        "has_total_only": any(plan.is_total_only.any() for plan in seen.plans),
        "sums": sum_notes(amount.ladder for amount in amounts(parameters.ladders)),
        "losses": [
            (title, total, approximate_dp(definition, total, DELTA)) for _, title, total in shown_losses(seen.ledger)
        ],
        "said": [] if parameters.unit.is_person else [said_loss(parameters.unit, seen.ledger.loss)],
        "trades": {
            "if fewer codes were read: MOE95 of a count": codes_text(seen),
            "with another gamma": gamma_text(seen),
        },
        "rows": _estimated_rows(seen, people),
        "suppressed": {plan.ladder for plan in seen.plans if plan.suppression_threshold is not None},
        **{"row_bytes": ROW_BYTES, **_bytes(people)},
        **{"deviation": lambda law: sqrt(variance(law)), "margin": margin_of_error},
        **{"rounded_up": rounded_up, "stated": stated},
    }
    return printed(__file__, "plan", values)


def plan_json(seen: Plan, people: int | None) -> dict[str, object]:
    """The plan for programs: of each level what `plan_text` counts, and the ledger of the manifest. people: likewise.

    Regions, groups and cells are null without a geography. sizes: by table, the true size at which a group has it with
    a chance of 5 %, 50 % and 95 %; none where noise picks no table.
    """
    return {
        "levels": [_level_json(seen, plan) for plan in seen.plans],
        "ledger": ledger_json(seen.ledger, delta=DELTA),
        "estimated_rows": _estimated_rows(seen, people),
        **_bytes(people),
    }


def _level_json(seen: Plan, plan: LevelPlan) -> dict[str, object]:
    counted = dict(zip(("regions", "population_groups", "cells"), _counted(seen, plan), strict=True))
    names = next(each.statistics for each in seen.parameters.ladders if each.name == plan.ladder)
    return {
        "level": plan.name,
        "iterations": plan.catalog.iterations,
        "total_only": int(plan.is_total_only.sum()),
        **counted,
        "suppressed_up_to": plan.suppression_threshold if plan.thresholds else plan.total_only_threshold,
        "sizes": {statistic.name: sizes for statistic, sizes in zip(names, _sizes(plan), strict=False)},
    }


def _bytes(people: int | None) -> dict[str, int | None]:
    """What a run takes on disk and in memory; None where nobody says of how many people."""
    a_person = {"scratch_bytes": (0, SCRATCH_BYTES_A_PERSON), "memory_bytes": (MEMORY_BYTES, MEMORY_BYTES_A_PERSON)}
    return {name: None if people is None else least + people * each for name, (least, each) in a_person.items()}


def _counted(seen: Plan, plan: LevelPlan) -> tuple[int | None, int | None, int | None]:
    """Regions, population groups, and the cells of all if all get the finest table; None without a geography."""
    if not seen.has_geography:
        return None, None, None
    level, with_table = plan.catalog, int((~plan.is_total_only).sum())
    return level.regions, level.population_groups, level.regions * with_table * plan.sizes[-1]


def _sizes(plan: LevelPlan) -> list[list[int]]:
    """By table, the least true sizes n with P(n + noise >= threshold) >= chance, for each of CHANCES."""
    if plan.calls.stage_1 is None:
        return []
    quantiles = [quantile(plan.calls.stage_1.law, chance) for chance in CHANCES]
    return [[max(0, threshold + quantile) for quantile in quantiles] for threshold in plan.thresholds]


def _estimated_rows(seen: Plan, people: int | None) -> dict[str, int]:
    """Rows of the tables of which something is known: of totals with a geography, of others with people."""
    ladders = seen.parameters.ladders
    counted = [ladder for ladder in ladders if ladder.totals] if seen.has_geography else []
    totals = {ladder.totals or "": _expected_total_rows(_plans_of(seen, ladder)) for ladder in counted}
    return totals | ({} if people is None else {ladder.name: _most_rows(seen, ladder, people) for ladder in ladders})


def _plans_of(seen: Plan, ladder: Ladder) -> list[LevelPlan]:
    return [plan for plan in seen.plans if plan.ladder == ladder.name]


def _expected_total_rows(plans: Sequence[LevelPlan]) -> int:
    """Expected published totals if all groups are empty: all, or the share that noise lifts above the threshold."""
    return round(sum(plan.catalog.population_groups * _share_published(plan) for plan in plans))


def _share_published(plan: LevelPlan) -> Fraction:
    """The chance that the total of an empty group is published, rounded up; 1 where it is not looked up."""
    threshold, law = plan.suppression_threshold, plan.calls.stage_2.law
    if threshold is None or threshold < 0 or not is_tabulable(law):
        return Fraction(1)
    return Fraction(tail_bounds(law, threshold, 64)[1], 2**64)


def _most_rows(seen: Plan, ladder: Ladder, people: int) -> int:
    """Rows of a ladder's table, if every group were just large enough for its statistic, and everybody in three groups.

    Most people are in fewer than three groups of a level; some are in more, up to the stability. So this is an
    estimate, no bound. Where totals are rows of the table, every group has at least one.
    """
    made = rows_of(seen.parameters, ladder)
    sums = [
        len({row for stat_level, _, row in made.sums if stat_level == number})
        for number in range(1, 1 + len(made.sizes))
    ]
    found = 0
    for plan in _plans_of(seen, ladder):
        # What picks the groups and tables: the ladder itself, or that which it stands beside.
        wanted = plan.beside or plan.ladder, plan.catalog.level_id
        picks = next(each for each in seen.plans if (each.ladder, each.catalog.level_id) == wanted)
        memberships, groups = 3 * people, plan.catalog.population_groups
        thresholds = picks.thresholds or (
            (0,) if picks.calls.stage_1 is None else [groups + memberships] * len(plan.sizes)
        )
        sizes = zip(thresholds, plan.sizes, sums, strict=True)
        tables = max(min(groups, memberships // max(1, least)) * (cells + more) for least, cells, more in sizes)
        found += tables if ladder.totals else max(tables, _expected_total_rows([picks]))
    return found


def _stabilities(database: Database, parameters: Parameters, plans: Sequence[LevelPlan]) -> Stabilities:
    """The stabilities if fewer codes were read. The database holds a catalog, whose stabilities are made anew.

    plans: one a level and ladder; several ladders may have the same level.
    """
    now = parameters.questions.most_codes
    found: Stabilities = {}
    for codes in [now, *(fewer for fewer in CODES if fewer < now), now]:
        database.set_values(codes_read(parameters.questions, codes))
        for name in ("iteration_kinds", "level_factors", "level_answers", "factor_stability", "level_stability"):
            database.create(sql_files()[name])
        table = database.table("level_stability", order_by=["level_id"]).to_pydict()
        stabilities = dict(zip(table["level_id"], table["stability"], strict=True))
        found[codes] = tuple(stabilities[plan.catalog.level_id] for plan in plans)
    return found


def codes_text(seen: Plan) -> str:
    """Stability and MOE95 of a count of stage 2, by level and number of codes read; '' if there is no choice."""
    found, parameters = seen.stabilities, seen.parameters
    rows: list[Sequence[str]] = [("level", *(f"{n} code{'s' * (n > 1)}" for n in found))]
    for place, plan in enumerate(seen.plans):
        here, most = [s[place] for s in found.values()], plan.calls.stage_2.sensitivity
        bounds = (parameters.unit.bound(s, parameters.privacy_definition, most) for s in here)
        margins = (_margin(seen, plan, plan.gamma, bound) for bound in bounds)
        rows.append((plan.name, *(f"s {s}  ±{moe:,}" for s, moe in zip(here, margins, strict=True))))
    if len(found) == 1:
        return ""
    return "\n".join([aligned(rows), "Whoever gave more codes is then counted by the first ones alone."])


def gamma_text(seen: Plan) -> str:
    """Standard deviation of stage 1 and MOE95 of a count of stage 2, by level and gamma; '' where no level has both."""
    chosen = [plan for plan in seen.plans if plan.calls.stage_1 is not None and plan.thresholds]
    if not chosen:
        return ""
    shares = sorted({*GAMMAS, chosen[0].gamma})
    rows: list[Sequence[str]] = [("level", *(f"gamma {float(share):g}" for share in shares))]
    rows += [(plan.name, *(_both(seen, plan, share) for share in shares)) for plan in chosen]
    note = "Before the stroke: standard deviation of the total that picks the table; behind it: MOE95 of a count."
    return "\n".join([aligned(rows), note])


def _both(seen: Plan, plan: LevelPlan, gamma: Fraction) -> str:
    budgets = stage_budgets(plan.budget, plan.bound, gamma)
    stage_1 = noise_law(seen.parameters.privacy_definition, budgets.stage_1)
    return f"{sqrt(variance(stage_1)):.1f} / ±{_margin(seen, plan, gamma, plan.bound):,}"


def _margin(seen: Plan, plan: LevelPlan, gamma: Fraction, bound: int) -> int:
    """MOE95 of a count."""
    calls = level_calls(seen.parameters.privacy_definition, plan.budget, bound, gamma)
    return margin_of_error((calls.stage_2 if plan.thresholds else calls.total_only).law)
