"""What a run will do at each population group level, from public numbers alone: its mechanism calls, each with its law.

The mechanisms draw their laws, and the ledger lists the same objects, so every draw is charged.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Literal

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.noise import Law, margin_of_error, noise_law, quantile
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.public.values import first_statistic, ladder_id, ladder_levels, level_prefix, measure, rows_of
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets, stage_budgets
from safetab_sql.settings.ladders import COUNTED, Choose, Ladder, LevelParameters
from safetab_sql.settings.parameters import Parameters

Statistic = Literal["total_only", "stage_1", "stage_2"]


@dataclass(frozen=True, slots=True)
class MechanismCall:
    """One kind of call: a draw of `law` is added to each of some counts of one population group.

    One record is in one of these counts and changes it by at most `sensitivity`: by 1, or what it adds to a sum.
    budget: of one call if what is protected changes the count by 1, rho (zcdp) or epsilon (puredp), exact.
    """

    statistic: Statistic
    budget: Fraction
    law: Law
    sensitivity: int = 1


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

    name: of the level, such as COUNTY-2; where a run has several ladders, after the ladder's. budget: the most that one
    record can lose in it, rho (zcdp) or epsilon (puredp). thresholds: noisy persons, that pick the statistic; none
    where nothing is picked. is_total_only: bool[iterations], by iteration position. first_statistic: id of the ladder's
    first statistic. sizes: number of cells of each statistic. suppression_threshold: noisy persons, the largest total
    that is left out of groups that may get a table; total_only_threshold: of groups that may not. None keeps every
    total. publishes_stage_1: whether the stage-1 totals of published groups are published too; they cost the same.
    bound: by how much what is protected can change the level at most, in the norm of the definition: see `Unit.bound`.
    measure: the column of the exact counts. beside: the ladder whose groups and tables it has, if that is another one.
    """

    name: str
    ladder: str
    ladder_id: int
    choose: Choose
    catalog: LevelCatalog
    budget: Fraction
    thresholds: tuple[int, ...]
    is_total_only: npt.NDArray[np.bool_]
    first_statistic: int
    sizes: tuple[int, ...]
    part: str
    gamma: Fraction
    calls: LevelCalls
    suppression_threshold: int | None
    total_only_threshold: int | None = None
    publishes_stage_1: bool = False
    bound: int = 1
    measure: str = COUNTED
    beside: str | None = None


def level_plans(catalog: Catalog, parameters: Parameters) -> tuple[LevelPlan, ...]:
    """The plans, by ladder, as the catalog. Source: paper Algorithm 1, line 11; tabulation.md section 6.1."""
    definition, unit, plans = parameters.privacy_definition, parameters.unit, []
    sizes_of = {each.name: rows_of(parameters, each).sizes for each in parameters.ladders}
    levels, kinds = {each.level: each for each in catalog}, {each.name: each for each in parameters.region_types}
    for ladder, own in [(each, own) for each in parameters.ladders for own in ladder_levels(parameters, each)]:
        level, kind, most = levels[own.level], kinds[own.level.region_type], ladder.most_change
        gamma = parameters.gamma if ladder.choose == "stage 1" else Fraction(0)
        bound = unit.bound(level.stability, definition, most)
        calls = level_calls(definition, own.budget, bound, gamma, most)
        # Where a published total or another ladder picks the groups, no total of this one suppresses any.
        suppress = kind.suppress and ladder.choose not in ("published", "beside")
        suppressed = _suppressed_up_to(calls.stage_2.law, ladder, parameters) if suppress else None
        plan = LevelPlan(
            name=level_name(parameters, ladder, own),
            ladder=ladder.name,
            ladder_id=ladder_id(parameters, ladder),
            choose=ladder.choose,
            beside=ladder.beside,
            catalog=level,
            budget=own.budget,
            thresholds=_thresholds(own, calls.stage_2.law, sizes_of[ladder.name], suppressed),
            is_total_only=level.total_only[ladder_id(parameters, ladder)],
            first_statistic=first_statistic(parameters.ladders, ladder),
            sizes=sizes_of[ladder.name],
            part=kind.part,
            gamma=gamma,
            calls=calls,
            suppression_threshold=suppressed,
            total_only_threshold=_suppressed_up_to(calls.total_only.law, ladder, parameters) if suppress else None,
            publishes_stage_1=parameters.publish_stage_1 and calls.stage_1 is not None,
            bound=bound,
            measure=measure(parameters.ladders, ladder.name),
        )
        plans.append(plan)
    return tuple(plans)


def _thresholds(level: LevelParameters, law: Law, sizes: Iterable[int], suppressed: int | None) -> tuple[int, ...]:
    """The thresholds, of which one in margins is so many margins of error of a cell, for each cell of the table.

    A noisy total of stage 1 is compared with it, and the cells of the table that it picks get noise of stage 2: `law`
    is that one, for a threshold says how much of a cell is noise. None is below the one before it, or a total that is
    suppressed, or 1.
    """
    if not level.margins:
        return level.thresholds
    held, least = level.margins * margin_of_error(law), max(0, suppressed or 0) + 1
    return tuple(accumulate((max(least, held * cells) for cells in sizes), max))


def _suppressed_up_to(law: Law, ladder: Ladder, parameters: Parameters) -> int | None:
    """The largest noisy total that is left out, by the noise of nobody and by the least that is published; None: none.

    The least is a number of records, so it leaves out no sums of amounts. Source: tabulation.md section 6.1.
    """
    chance, least = parameters.zero_suppression_chance, parameters.suppress_below if ladder.sum is None else None
    found = [quantile(law, chance)] if chance else []
    return max([*found, *([] if least is None else [least - 1])], default=None)


def level_name(parameters: Parameters, ladder: Ladder, level: LevelParameters) -> str:
    """The name of a level of a ladder: COUNTY-2, or T3 COUNTY-2 where there are several ladders."""
    return f"{level_prefix(parameters, ladder)}{level.level.name}"


def level_calls(
    definition: PrivacyDefinition, budget: Fraction, bound: int, gamma: Fraction, sensitivity: int = 1
) -> LevelCalls:
    """The calls of a level with `budget`; no stage 1 if gamma is 0. Budgets become noise only here.

    bound: of the level, see `Unit.bound`; it allows for the sensitivity. Raises: ValueError if it is below 1.
    """
    if bound < 1:
        raise ValueError(f"the bound of a level has to be at least 1, it is {bound}")
    whole, first, second = stage_budgets(budget, bound, gamma)

    def call(statistic: Statistic, own: Fraction) -> MechanismCall:
        return MechanismCall(statistic, own, noise_law(definition, own), sensitivity)

    return LevelCalls(call("total_only", whole), call("stage_1", first) if gamma else None, call("stage_2", second))
