"""Plans and ledgers of parameter files at a stability that is given, without code lists or geography."""

from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np

from safetab_sql.accounting.ledger import Ledger, run_ledger
from safetab_sql.accounting.plan import LevelCalls, LevelPlan, MechanismCall, level_plan
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.catalog import LevelCatalog
from safetab_sql.public.parameters import Parameters, tabulated_levels


def ledger_at(parameters: Parameters, stability: int = 9, not_exact: Collection[str] = ()) -> Ledger:
    """The ledger of a run whose levels all have this stability."""
    levels = [
        LevelCatalog(
            level_id=number,
            parameters=level,
            regions=0,
            iterations=0,
            first_population_group_id=0,
            is_total_only=np.zeros(0, np.bool_),
            stability=stability,
            is_exact=level.level.name not in not_exact,
        )
        for number, level in enumerate(tabulated_levels(parameters))
    ]
    return run_ledger(parameters, [level_plan(level, parameters) for level in levels])


def plan_with(level: LevelCatalog, laws: Sequence[Law], suppression_threshold: int | None) -> LevelPlan:
    """A plan whose total_only, stage_1 and stage_2 calls draw these laws, whatever they would cost."""
    names = ("total_only", "stage_1", "stage_2")
    calls = LevelCalls(*(MechanismCall(name, Fraction(1), law) for name, law in zip(names, laws, strict=True)))
    return LevelPlan(level, "US", Fraction(1, 10), calls, Fraction(1, 2), suppression_threshold, suppression_threshold)
