"""What a run will do at each population group level, from public numbers alone: its mechanism calls, each with its law.

The mechanisms draw the laws of these calls, and the ledger lists these calls. They are the same objects, so every draw
is charged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import quantile
from safetab_sql.public.budgets import PrivacyDefinition, stage_budgets
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.public.parameters import Parameters

Statistic = Literal["total_only", "stage_1", "stage_2"]


@dataclass(frozen=True, slots=True)
class MechanismCall:
    """One kind of call: a draw of `law` is added to each of some counts of one population group.

    One person is in one of these counts and changes it by 1. budget: of one call, rho (zcdp) or epsilon (puredp),
    exact.
    """

    statistic: Statistic
    budget: Fraction
    law: Law


@dataclass(frozen=True, slots=True)
class LevelCalls:
    """The calls on each population group of a level: either total_only, or stage_1 and stage_2.

    total_only: the only noisy total of a group that never gets a table. stage_1: the noisy total that picks the
    statistic. stage_2: the statistic itself, a total or the cells of a table.
    """

    total_only: MechanismCall
    stage_1: MechanismCall
    stage_2: MechanismCall

    @property
    def all(self) -> tuple[MechanismCall, MechanismCall, MechanismCall]:
        """The three calls, in the order of the paper's algorithm."""
        return self.total_only, self.stage_1, self.stage_2


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """What a run does at one population group level beyond counting.

    suppression_chance: chance that the total of an empty group is suppressed. suppression_threshold: noisy persons, for
    totals of groups that may get a table; total_only_threshold: for those of groups that may not. None keeps every
    total. publishes_stage_1: whether the stage-1 totals of published groups are published too; they cost the same.
    """

    catalog: LevelCatalog
    part: str
    gamma: Fraction
    calls: LevelCalls
    suppression_chance: Fraction
    suppression_threshold: int | None
    total_only_threshold: int | None = None
    publishes_stage_1: bool = False

    @property
    def name(self) -> str:
        """The level's name, such as COUNTY-2."""
        return self.catalog.parameters.level.name

    @property
    def budget(self) -> Fraction:
        """The budget of the whole level, rho (zcdp) or epsilon (puredp)."""
        return self.catalog.parameters.budget

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The three thresholds (noisy persons) that pick the statistic; none at a level of totals alone."""
        return self.catalog.parameters.thresholds


def level_plans(catalog: Catalog, parameters: Parameters) -> tuple[LevelPlan, ...]:
    """The plan of every level, in the order of the catalog."""
    return tuple(level_plan(level, parameters) for level in catalog.levels)


def level_plan(level: LevelCatalog, parameters: Parameters) -> LevelPlan:
    """The plan of one level. Source: paper Algorithm 1, line 11; tabulation.md section 6.1."""
    calls = level_calls(parameters.privacy_definition, level.parameters.budget, level.stability, parameters.gamma)
    kind = next(kind for kind in parameters.region_types if kind.name == level.parameters.level.region_type)
    chance = parameters.zero_suppression_chance if kind.suppress else Fraction(0)
    return LevelPlan(
        catalog=level,
        part=kind.part,
        gamma=parameters.gamma,
        calls=calls,
        suppression_chance=chance,
        suppression_threshold=quantile(calls.stage_2.law, chance) if chance else None,
        total_only_threshold=quantile(calls.total_only.law, chance) if chance else None,
        publishes_stage_1=parameters.publish_stage_1,
    )


def level_calls(definition: PrivacyDefinition, budget: Fraction, stability: int, gamma: Fraction) -> LevelCalls:
    """The calls of a level with `budget`. Budgets become noise only here.

    Raises: ValueError if the stability is below 1.
    """
    if stability < 1:
        raise ValueError(f"a stability has to be at least 1, it is {stability}")
    budgets = stage_budgets(budget, stability, gamma)
    return LevelCalls(
        MechanismCall("total_only", budgets.total_only, noise_law(definition, budgets.total_only)),
        MechanismCall("stage_1", budgets.stage_1, noise_law(definition, budgets.stage_1)),
        MechanismCall("stage_2", budgets.stage_2, noise_law(definition, budgets.stage_2)),
    )


def total_budget(plans: Sequence[LevelPlan], part: str) -> Fraction:
    """What the levels of one part spend together: their losses add."""
    return sum((plan.budget for plan in plans if plan.part == part), Fraction(0))
