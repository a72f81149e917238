"""What a run will do at each population group level, from public numbers alone: its mechanism calls, each with its law.

The mechanisms draw their laws, and the ledger lists the same objects, so every draw is charged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from safetab_sql.accounting.written import Exact
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import quantile
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.public.values import ladder_id, level_prefix, rows_of
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets, stage_budgets
from safetab_sql.settings.ladders import (
    COUNTED,
    Choose,
    Ladder,
    LevelParameters,
    PopulationGroupLevel,
    first_statistic,
    measure,
)
from safetab_sql.settings.markers import ReadAs
from safetab_sql.settings.parameters import Parameters, ladder_levels
from safetab_sql.settings.tables import Key, table

Statistic = Literal["total_only", "stage_1", "stage_2"]
T = TypeVar("T")


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


def _pairs(stated: Mapping[str, T]) -> tuple[tuple[str, T], ...]:
    return tuple(stated.items())


@table
class WholeLevel:
    """A level whose budget shares divide by kind of iteration: the most that one record can lose in all kinds together.

    name: such as COUNTY-2. budget: of the whole level, rho. shares: by kind. worst: the groups that a record may be in
    that loses all of it, by kind. alone, others: the losses of one in an alone iteration, and of others, at most.
    equal_alone: what one in an alone iteration would lose if the shares were equal. note: the same in words.
    """

    name: Annotated[str, Key("level")]
    budget: Exact
    shares: Annotated[tuple[tuple[str, Fraction], ...], ReadAs(Mapping[str, Exact], _pairs, dict)]
    worst: Annotated[
        tuple[tuple[str, int], ...], Key("groups_of_the_largest_loss"), ReadAs(Mapping[str, int], _pairs, dict)
    ]
    alone: Annotated[Exact, Key("loss_in_an_alone_iteration")]
    others: Annotated[Exact, Key("loss_of_others")]
    equal_alone: Annotated[Exact, Key("loss_in_an_alone_iteration_with_equal_shares")]
    note: str = ""


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """What a ladder does at one population group level beyond counting.

    name: of the level, such as COUNTY-2; where a run has several ladders, after the ladder's. is_total_only:
    bool[iterations], by iteration position. first_statistic: id of the ladder's first statistic. sizes: number of cells
    of each statistic. suppression_threshold: noisy persons, the largest total that is left out of groups that may get a
    table; total_only_threshold: of groups that may not. None keeps every total. publishes_stage_1: whether the stage-1
    totals of published groups are published too; they cost the same. whole: the level of which this is the part of one
    kind of iteration, where it has shares. bound: by how much what is protected can change the level at most, in the
    norm of the definition: see `Unit.bound`. measure: the column of the exact counts.
    beside: the ladder whose groups and tables it has, if that is another one.
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
    suppression_threshold: int | None
    total_only_threshold: int | None = None
    publishes_stage_1: bool = False
    whole: WholeLevel | None = None
    bound: int = 1
    measure: str = COUNTED
    beside: str | None = None

    @property
    def budget(self) -> Fraction:
        """The most that one record can lose in the level, rho (zcdp) or epsilon (puredp)."""
        if self.whole is None:
            return self.parameters.budget
        return self.bound * self.calls.total_only.budget

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The thresholds (noisy persons) that pick the statistic; none where nothing is picked."""
        return self.parameters.thresholds


def level_plans(catalog: Catalog, parameters: Parameters) -> tuple[LevelPlan, ...]:
    """The plans, by ladder, as the catalog. Raises: InputError where a level with shares has unnested iterations."""
    levels = {level.level: level for level in catalog.levels}
    wholes = {
        (ladder.name, own.level): whole_level(own, levels)
        for ladder in parameters.ladders
        for own in ladder_levels(parameters, ladder)
        if own.shares
    }
    refuse([problem for whole in wholes.values() for problem in _share_problems(whole, parameters)])
    return tuple(
        level_plan(ladder, levels[own.level], own, parameters, wholes.get((ladder.name, own.level)))
        for ladder in parameters.ladders
        for own in ladder_levels(parameters, ladder)
    )


def whole_level(own: LevelParameters, levels: Mapping[PopulationGroupLevel, LevelCatalog]) -> WholeLevel:
    """The whole of a level with shares, of which `own` is the part of one kind. levels: of the catalog.

    Whoever is in an alone iteration is in at most `shared_combinations` iterations in combination; whoever is in none,
    in as many as their stability says. Source: accounting.md section 1.1.
    """
    kinds = {kind: levels[replace(own.level, kind=kind)] for kind, _ in own.shares}
    single = {kind: level.stability for kind, level in kinds.items() if kind not in ("alone", "combination")}
    several = {}
    if "alone" in kinds:
        most = kinds["combination"].stability
        shared = min(kinds["alone"].shared_combinations, most)
        several = {
            "alone": (("alone", kinds["alone"].stability), ("combination", shared)),
            "others": (("combination", most),),
        }
    shares = dict(own.shares)
    groups = {who: (*each, *single.items()) for who, each in (several or {"others": ()}).items()}
    weights = {who: sum((shares[kind] * size for kind, size in each), Fraction(0)) for who, each in groups.items()}
    sizes = {who: sum(size for _, size in each) for who, each in groups.items()}
    heaviest = max(weights, key=lambda who: weights[who])
    losses = {who: own.budget * weight / weights[heaviest] for who, weight in weights.items()}
    return WholeLevel(
        replace(own.level, kind=None).name,
        own.budget,
        own.shares,
        groups[heaviest],
        losses.get("alone", losses["others"]),
        losses["others"],
        own.budget * Fraction(sizes.get("alone", sizes["others"]), max(sizes.values())),
    )


def _share_problems(whole: WholeLevel, parameters: Parameters) -> Iterator[Problem]:
    """Why a level cannot have shares."""
    groups = dict(whole.worst)
    if "alone" in groups and (groups["alone"] > 1 or groups.get("combination", 0) > 1):
        what = (
            "shares need lists in which each code is in one alone iteration, and all codes of an alone iteration in "
            "one iteration in combination; here somebody alone in one group is in "
            f"{groups['alone']} alone and {groups.get('combination', 0)} in combination"
        )
        yield Problem(f"{parameters.source} [levels.{whole.name}]", what, "take shares out")


def level_plan(
    ladder: Ladder, level: LevelCatalog, own: LevelParameters, parameters: Parameters, whole: WholeLevel | None = None
) -> LevelPlan:
    """The plan of one ladder at one level. Source: paper Algorithm 1, line 11; tabulation.md section 6.1."""
    gamma, definition = parameters.gamma if ladder.choose == "stage 1" else Fraction(0), parameters.privacy_definition
    most = ladder.most_change
    bound = parameters.unit.bound(level.stability, definition, most)
    if whole is None:
        calls = level_calls(definition, own.budget, bound, gamma, most)
    else:
        share = dict(own.shares)[own.level.kind or ""]
        weight = sum((dict(own.shares)[kind] * groups for kind, groups in whole.worst), Fraction(0))
        part = own.budget * share / weight
        calls = level_calls(definition, part, parameters.unit.bound(1, definition, most), gamma, most)
    kind = next(kind for kind in parameters.region_types if kind.name == own.level.region_type)
    # Where a published total or another ladder picks the groups, no total of this one suppresses any.
    suppress = kind.suppress and ladder.choose not in ("published", "beside")
    return LevelPlan(
        name=level_name(parameters, ladder, own),
        ladder=ladder.name,
        ladder_id=ladder_id(parameters, ladder),
        choose=ladder.choose,
        beside=ladder.beside,
        catalog=level,
        parameters=own,
        is_total_only=level.total_only[ladder_id(parameters, ladder)],
        first_statistic=first_statistic(parameters.ladders, ladder),
        sizes=rows_of(parameters, ladder).sizes,
        part=kind.part,
        gamma=gamma,
        calls=calls,
        suppression_threshold=_suppressed_up_to(calls.stage_2.law, ladder, parameters) if suppress else None,
        total_only_threshold=_suppressed_up_to(calls.total_only.law, ladder, parameters) if suppress else None,
        publishes_stage_1=parameters.publish_stage_1 and calls.stage_1 is not None,
        whole=whole,
        bound=bound,
        measure=measure(parameters.ladders, ladder.name),
    )


def _suppressed_up_to(law: Law, ladder: Ladder, parameters: Parameters) -> int | None:
    """The largest noisy total that is left out, by the noise of nobody and by the least that is published; None: none.

    The least is a number of records, so it leaves out no sums of amounts. Source: tabulation.md section 7.1.
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
    budgets = stage_budgets(budget, bound, gamma)

    def call(statistic: Statistic, own: Fraction) -> MechanismCall:
        return MechanismCall(statistic, own, noise_law(definition, own), sensitivity)

    return LevelCalls(
        call("total_only", budgets.total_only),
        call("stage_1", budgets.stage_1) if gamma else None,
        call("stage_2", budgets.stage_2),
    )
