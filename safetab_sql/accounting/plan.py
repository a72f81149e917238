"""What a run will do at each population group level, from public numbers alone: its mechanism calls, each with its law.

The mechanisms draw the laws of these calls, and the ledger lists these calls. They are the same objects, so every draw
is charged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import quantile
from safetab_sql.public.budgets import PrivacyDefinition, StageBudgets, stage_budgets
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.public.ladder_rows import first_statistic
from safetab_sql.public.ladder_values import ladder_id, rows_of
from safetab_sql.public.ladders import Choose, Ladder, LevelParameters
from safetab_sql.public.parameters import Parameters, ladder_levels

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
    """The calls on each population group of a level: either total_only, or stage_1, if there is one, and stage_2.

    total_only: the only noisy total of a group that never gets a table. stage_1: the noisy total that picks the
    statistic; None where no noise picks it. stage_2: the statistic itself, a total or the cells of a table.
    """

    total_only: MechanismCall
    stage_1: MechanismCall | None
    stage_2: MechanismCall

    @property
    def all(self) -> tuple[MechanismCall, ...]:
        """The calls, in the order of the paper's algorithm."""
        return (self.total_only, *(() if self.stage_1 is None else (self.stage_1,)), self.stage_2)

    @property
    def budgets(self) -> StageBudgets:
        """The budgets of the calls, for accountants; stage_1 is 0 where no noise picks the statistic."""
        first = Fraction(0) if self.stage_1 is None else self.stage_1.budget
        return StageBudgets(self.total_only.budget, first, self.stage_2.budget)


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """What a ladder does at one population group level beyond counting.

    name: of the level, such as COUNTY-2; where a run has several ladders, after the ladder's. is_total_only:
    bool[iterations], by iteration position. first_statistic: id of the ladder's first statistic. sizes: number of cells
    of each statistic. suppression_chance: chance that the total of an empty group is suppressed. suppression_threshold:
    noisy persons, for totals of groups that may get a table; total_only_threshold: for those of groups that may not.
    None keeps every total. publishes_stage_1: whether the stage-1 totals of published groups are published too; they
    cost the same.
    """

    name: str
    ladder: str
    ladder_id: int
    choose: Choose
    catalog: LevelCatalog
    parameters: LevelParameters
    is_total_only: npt.NDArray[np.bool_]
    first_statistic: int
    sizes: tuple[int, ...]
    part: str
    gamma: Fraction
    calls: LevelCalls
    suppression_chance: Fraction
    suppression_threshold: int | None
    total_only_threshold: int | None = None
    publishes_stage_1: bool = False

    @property
    def budget(self) -> Fraction:
        """The budget of the whole level, rho (zcdp) or epsilon (puredp)."""
        return self.parameters.budget

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The thresholds (noisy persons) that pick the statistic; none where nothing is picked."""
        return self.parameters.thresholds


def level_plans(catalog: Catalog, parameters: Parameters) -> tuple[LevelPlan, ...]:
    """The plans of every ladder, each in the order of the catalog."""
    levels = {level.level: level for level in catalog.levels}
    return tuple(
        level_plan(ladder, levels[own.level], own, parameters)
        for ladder in parameters.ladders
        for own in ladder_levels(parameters, ladder)
    )


def level_plan(ladder: Ladder, level: LevelCatalog, own: LevelParameters, parameters: Parameters) -> LevelPlan:
    """The plan of one ladder at one level. Source: paper Algorithm 1, line 11; tabulation.md section 6.1."""
    gamma = parameters.gamma if ladder.choose == "stage 1" else Fraction(0)
    calls = level_calls(parameters.privacy_definition, own.budget, level.stability, gamma)
    kind = next(kind for kind in parameters.region_types if kind.name == own.level.region_type)
    # Where a published total picks the groups, none is published or left out because somebody is in it.
    chance = parameters.zero_suppression_chance if kind.suppress and ladder.choose != "published" else Fraction(0)
    return LevelPlan(
        name=own.level.name if len(parameters.ladders) == 1 else f"{ladder.name} {own.level.name}",
        ladder=ladder.name,
        ladder_id=ladder_id(parameters, ladder),
        choose=ladder.choose,
        catalog=level,
        parameters=own,
        is_total_only=level.total_only[ladder_id(parameters, ladder)],
        first_statistic=first_statistic(parameters.ladders, ladder),
        sizes=rows_of(parameters, ladder).sizes,
        part=kind.part,
        gamma=gamma,
        calls=calls,
        suppression_chance=chance,
        suppression_threshold=quantile(calls.stage_2.law, chance) if chance else None,
        total_only_threshold=quantile(calls.total_only.law, chance) if chance else None,
        publishes_stage_1=parameters.publish_stage_1 and calls.stage_1 is not None,
    )


def level_calls(definition: PrivacyDefinition, budget: Fraction, stability: int, gamma: Fraction) -> LevelCalls:
    """The calls of a level with `budget`; no stage 1 if gamma is 0. Budgets become noise only here.

    Raises: ValueError if the stability is below 1.
    """
    if stability < 1:
        raise ValueError(f"a stability has to be at least 1, it is {stability}")
    budgets = stage_budgets(budget, stability, gamma)
    return LevelCalls(
        MechanismCall("total_only", budgets.total_only, noise_law(definition, budgets.total_only)),
        MechanismCall("stage_1", budgets.stage_1, noise_law(definition, budgets.stage_1)) if gamma else None,
        MechanismCall("stage_2", budgets.stage_2, noise_law(definition, budgets.stage_2)),
    )


def total_budget(plans: Sequence[LevelPlan], part: str) -> Fraction:
    """What the levels of one part spend together: their losses add."""
    return sum((plan.budget for plan in plans if plan.part == part), Fraction(0))
