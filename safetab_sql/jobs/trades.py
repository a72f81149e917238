"""What other settings would give at the same loss: fewer codes read, another share for stage 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from safetab_sql.accounting.plan import LevelPlan, level_calls
from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.settings.budgets import PrivacyDefinition, stage_budgets
from safetab_sql.settings.parameters import Parameters

CODES = (8, 5, 3, 1)
GAMMAS = tuple(Fraction(share, 100) for share in (2, 5, 10, 20, 50))


@dataclass(frozen=True, slots=True)
class Trades:
    """Stabilities, one a plan, by how many codes are read, those that are read now first; one entry: no choice."""

    stabilities: Mapping[int, tuple[int, ...]]


def trades(database: Database, parameters: Parameters, plans: Sequence[LevelPlan]) -> Trades:
    """The stabilities if fewer codes were read. The database holds a catalog, whose stabilities are made anew.

    plans: one a level and ladder; several ladders may have the same level.
    """
    now = parameters.questions.codes_read
    found = {}
    for codes in [now, *(fewer for fewer in CODES if fewer < now), now]:
        database.set_values({"codes_read": codes})
        for name in ("level_answers", "level_stability"):
            database.create(sql_files()[name])
        table = database.table("level_stability", order_by=["level_id"]).to_pydict()
        stabilities = dict(zip(table["level_id"], table["stability"], strict=True))
        found[codes] = tuple(stabilities[plan.catalog.level_id] for plan in plans)
    return Trades(found)


def codes_text(found: Trades, plans: Sequence[LevelPlan], definition: PrivacyDefinition) -> str:
    """Stability and MOE95 of a count of stage 2, by level and number of codes that are read; '' if there is no choice.

    Levels with shares are left out: what fewer codes would give depends on these.
    """
    chosen = [(place, plan) for place, plan in enumerate(plans) if plan.whole is None]
    if not chosen or len(found.stabilities) == 1:
        return ""
    rows: list[Sequence[str]] = [("level", *(f"{n} code{'s' * (n > 1)}" for n in found.stabilities))]
    for place, plan in chosen:
        margins = [_count_margin(plan, definition, s[place], plan.gamma) for s in found.stabilities.values()]
        shown = [f"s {s[place]}  ±{m:,}" for s, m in zip(found.stabilities.values(), margins, strict=True)]
        rows.append((plan.name, *shown))
    note = "Whoever gave more codes is then counted by the first ones alone."
    return "\n".join([aligned(rows), note])


def gamma_text(plans: Sequence[LevelPlan], definition: PrivacyDefinition) -> str:
    """Standard deviation of stage 1 and MOE95 of a count of stage 2, by level and gamma; '' where no level has both."""
    chosen = [plan for plan in plans if plan.calls.stage_1 is not None and plan.thresholds and plan.whole is None]
    if not chosen:
        return ""
    shares = sorted({*GAMMAS, chosen[0].gamma})
    rows: list[Sequence[str]] = [("level", *(f"gamma {float(share):g}" for share in shares))]
    for plan in chosen:
        rows.append((plan.name, *(_both(plan, definition, share) for share in shares)))
    note = "Before the stroke: standard deviation of the total that picks the table; behind it: MOE95 of a count."
    return "\n".join([aligned(rows), note])


def _both(plan: LevelPlan, definition: PrivacyDefinition, gamma: Fraction) -> str:
    stability = plan.catalog.stability
    stage_1 = noise_law(definition, stage_budgets(plan.budget, stability, gamma).stage_1)
    return f"{sqrt(variance(stage_1)):.1f} / ±{_count_margin(plan, definition, stability, gamma):,}"


def _count_margin(plan: LevelPlan, definition: PrivacyDefinition, stability: int, gamma: Fraction) -> int:
    calls = level_calls(definition, plan.budget, stability, gamma)
    return margin_of_error((calls.stage_2 if plan.thresholds else calls.total_only).law)
