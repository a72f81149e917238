"""Plans and ledgers of parameter files at a stability that is given, without code lists or geography."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.accounting.plan import LevelCalls, LevelPlan, MechanismCall, level_plans
from safetab_sql.accounting.statement import RunSpending, run_spending
from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.noise import Law
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.tabulate import NoisyTotals, level_ranges, range_totals
from safetab_sql.public.catalog import LevelCatalog
from safetab_sql.public.values import tabulated_levels
from safetab_sql.settings.parameters import Parameters

# first id and end -> sorted ids and exact counts of the groups with people from the first id to before the end
GroupsBetween = Callable[[int, int], tuple[Int64s, Int64s]]


def ledger_at(parameters: Parameters, stability: int = 9, not_exact: Collection[str] = ()) -> RunSpending:
    """The ledger of a run whose levels all have this stability."""
    levels = [
        LevelCatalog(
            level_id=number,
            level=level,
            regions=0,
            iterations=0,
            first_population_group_id=0,
            total_only={number: np.zeros(0, np.bool_) for number in range(1, len(parameters.ladders) + 1)},
            stability=stability,
            is_exact=level.name not in not_exact,
        )
        for number, level in enumerate(tabulated_levels(parameters))
    ]
    return run_spending(parameters, level_plans(tuple(levels), parameters))


@dataclass(frozen=True, slots=True)
class PlannedLevel(LevelCatalog):
    """A level of one ladder, with its thresholds."""

    thresholds: tuple[int, ...] = ()


def plan_with(level: PlannedLevel, laws: Sequence[Law], suppression_threshold: int | None) -> LevelPlan:
    """A plan whose total_only, stage_1 and stage_2 calls draw these laws, whatever they would cost."""
    names = ("total_only", "stage_1", "stage_2")
    calls = LevelCalls(*(MechanismCall(name, Fraction(1), law) for name, law in zip(names, laws, strict=True)))
    return LevelPlan(
        name=level.level.name,
        ladder="T2",
        ladder_id=1,
        choose="stage 1",
        catalog=level,
        budget=Fraction(1),
        thresholds=level.thresholds,
        is_total_only=level.total_only[1],
        first_statistic=1,
        sizes=(8, 18, 46),
        part="US",
        gamma=Fraction(1, 10),
        calls=calls,
        suppression_threshold=suppression_threshold,
        total_only_threshold=suppression_threshold,
    )


def level_totals(groups_between: GroupsBetween, plan: LevelPlan, bits: BitSource) -> Iterator[NoisyTotals]:
    for start, stop in level_ranges(plan.catalog):
        yield from range_totals(*groups_between(start, stop), start, stop, plan, bits)
