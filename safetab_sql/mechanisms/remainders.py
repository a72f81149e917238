"""What the members of a family have together that got no table: the sums of their noisy totals.

A family is all groups of one level and iteration whose regions divide one region, the parent. Each group without a
table has a noisy total of stage 2, which is charged, whether suppression keeps it or not. Which groups these are was
chosen by stage 1 alone, so their sum has the noise of so many independent draws. Source: tabulation.md section
7.2.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.empty_groups import draws_below
from safetab_sql.public.catalog import families, members_of_families

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Remainders:
    """Noisy sums of the families of a plan that have groups with a table and groups without: int64[n] each.

    parents: keys of the parent regions. iterations: positions. groups: how many have no table. sums: persons.
    """

    plan: LevelPlan
    parents: Int64s
    iterations: Int64s
    groups: Int64s
    sums: Int64s


def remainders(
    plan: LevelPlan, with_table: Int64s, without: Sequence[tuple[Int64s, Int64s]], bits: BitSource
) -> Remainders:
    """The remainders of a plan that publishes them.

    with_table: ids of its groups with a table. without: blocks of ids and noisy totals of groups without: all that have
    people, and of the others at least those whose total suppression keeps. What suppression drops of groups without
    people need not have been drawn: it is drawn here, where it is needed, given that it is dropped.
    """
    ids, totals = (np.concatenate([np.empty(0, dtype=np.int64), *each]) for each in zip(*without, strict=True))
    level, members = plan.catalog, members_of_families(plan.catalog, with_table)
    left = np.setdiff1d(members, with_table)
    dropped = np.setdiff1d(left, ids)
    below = draws_below(plan.calls.stage_2.law, (plan.suppression_threshold or 0) + 1, dropped.size, bits)
    is_left = np.isin(ids, left)
    ids, totals = np.concatenate([ids[is_left], dropped]), np.concatenate([totals[is_left], below])
    found, places, groups = np.unique(families(plan.catalog, ids), return_inverse=True, return_counts=True)
    sums = np.zeros(found.size, dtype=np.int64)
    np.add.at(sums, places.ravel(), totals)
    parents, iterations = np.divmod(found, level.iterations)
    return Remainders(plan, parents, iterations, groups, sums)
