"""The loss of one person in all kinds of iterations of a level with shares, for the stability audit."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Int64s


def share_violations(person: str, changed: Int64s, plans: Sequence[LevelPlan]) -> Iterator[str]:
    """The levels with shares in all kinds of which a person loses more than the whole has.

    changed: ids of the groups whose totals change, int64[n].
    """
    losses: dict[tuple[str, str], Fraction] = {}
    budgets: dict[tuple[str, str], Fraction] = {}
    for plan in plans:
        if plan.whole is not None:
            key = (plan.ladder, plan.whole.name)
            first, end = plan.catalog.first_population_group_id, plan.catalog.end_population_group_id
            groups = int(((changed >= first) & (changed < end)).sum())
            losses[key] = losses.get(key, Fraction(0)) + groups * plan.calls.total_only.budget
            budgets[key] = plan.whole.budget
    for key, loss in losses.items():
        if loss > budgets[key]:
            _, name = key
            yield f"{name}: {person}: loses {float(loss):g} in all kinds; the budget is {float(budgets[key]):g}"
