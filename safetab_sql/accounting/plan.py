"""What a run will do at each population group level, from public numbers alone: its noise and its suppression."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import suppression_threshold
from safetab_sql.public.budgets import stage_budgets
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.public.parameters import Parameters


@dataclass(frozen=True, slots=True)
class LevelNoise:
    """The noise of one population group level, and the thresholds (noisy persons) that pick the statistic."""

    total_only: Law
    stage_1: Law
    stage_2: Law
    thresholds: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """What one level needs beyond its counts.

    suppression_chance: chance that the total of an empty group is suppressed. suppression_threshold: noisy persons;
    None keeps every total.
    """

    catalog: LevelCatalog
    noise: LevelNoise
    suppression_chance: Fraction
    suppression_threshold: int | None

    @property
    def name(self) -> str:
        """The level's name, such as COUNTY-2."""
        return self.catalog.parameters.level.name


def level_plans(catalog: Catalog, parameters: Parameters) -> tuple[LevelPlan, ...]:
    """The plan of every level, in the order of the catalog."""
    return tuple(level_plan(level, parameters) for level in catalog.levels)


def level_plan(level: LevelCatalog, parameters: Parameters) -> LevelPlan:
    """The plan of one level. Source: paper Algorithm 1, line 11; tabulation.md section 6.1."""
    budgets = stage_budgets(level.parameters.budget, level.stability, parameters.gamma)
    definition = parameters.privacy_definition
    noise = LevelNoise(
        total_only=noise_law(definition, budgets.total_only),
        stage_1=noise_law(definition, budgets.stage_1),
        stage_2=noise_law(definition, budgets.stage_2),
        thresholds=level.parameters.thresholds,
    )
    chance = parameters.zero_suppression_chance if level.is_sub_state else Fraction(0)
    return LevelPlan(level, noise, chance, suppression_threshold(noise.stage_2, chance) if chance else None)


def safely_bounded(plans: Sequence[LevelPlan]) -> set[str]:
    """Names of the levels whose stability is the plain sum, because their iterations are not nested."""
    return {plan.name for plan in plans if not plan.catalog.is_nested}


def stabilities(plans: Sequence[LevelPlan]) -> dict[str, int]:
    """The stability of each level by its name, as the ledger wants it."""
    return {plan.name: plan.catalog.stability for plan in plans}
