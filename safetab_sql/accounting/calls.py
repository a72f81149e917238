"""What accountants see of a run: the mechanism calls that one person meets, and nothing else."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from safetab_sql.public.budgets import StageBudgets


@dataclass(frozen=True, slots=True)
class GroupCalls:
    """The calls on the population groups of one level that one person can be in.

    groups: how many, the level's stability. budgets: of the calls on each group, in rho or epsilon: either one
    total_only call, or one stage_1 and one stage_2 call. Which of the two is public, and may differ from group to
    group; accountants take whatever costs more. Each call adds noise to counts of which one person changes one, by 1.
    """

    groups: int
    budgets: StageBudgets


def merged(calls: Iterable[GroupCalls]) -> tuple[GroupCalls, ...]:
    """The same calls, those of equal budgets together: composition does not ask which level a group belongs to."""
    groups: Counter[StageBudgets] = Counter()
    for call in calls:
        groups[call.budgets] += call.groups
    return tuple(GroupCalls(count, budgets) for budgets, count in groups.items())
