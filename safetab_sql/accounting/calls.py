"""The input of the accountants: the mechanism calls whose counts one record can change, and nothing else."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from safetab_sql.settings.budgets import StageBudgets


@dataclass(frozen=True, slots=True)
class GroupCalls:
    """The calls on the population groups of one level that one record can be in.

    groups: the number of groups, which is the level's stability. budgets: of the calls on each group, in rho or
    epsilon: a group takes either one total_only call, or one stage_1 and one stage_2 call. The kind of each group is
    public, and may differ between groups; accountants assume the kind that costs more. Each call adds noise to counts
    of which one record changes one, by 1.
    """

    groups: int
    budgets: StageBudgets


def merged(calls: Iterable[GroupCalls]) -> tuple[GroupCalls, ...]:
    """The same calls, with calls of equal budgets merged: composition does not depend on the level of a group."""
    groups: Counter[StageBudgets] = Counter()
    for call in calls:
        groups[call.budgets] += call.groups
    return tuple(GroupCalls(count, budgets) for budgets, count in groups.items())
