"""What the custodian is told where the groups that are tabulated hold nobody."""

from collections.abc import Sequence

import numpy as np

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.confidential.counts import totals_between
from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import Progress
from safetab_sql.public.inputs import Intake
from safetab_sql.public.published_totals import Selected

_GROUPS = 2**20  # that are looked at together


def warn_of_nobody(intake: Intake, plans: Sequence[LevelPlan], selected: Selected, progress: Progress) -> None:
    """Warn where no group that is tabulated has people: then all that would be published is noise.

    The people of every group must have been counted. selected: groups that published totals list.
    """
    if any(_holds_somebody(intake.database, plan, selected) for plan in plans):
        return
    fix = "if that is a mistake, look whether the geography, the code lists and the totals belong to them"
    warning = Problem(intake.sources["persons"].given, "no population group that is tabulated holds any of them", fix)
    intake.checks.log(f"warning: {warning}")
    progress.warn(str(warning))


def _holds_somebody(database: Database, plan: LevelPlan, selected: Selected) -> bool:
    """Whether some group of a level has people; the first that are found end the search."""
    level = plan.catalog
    for start in range(level.first_population_group_id, level.end_population_group_id, _GROUPS):
        known = totals_between(database, start, min(start + _GROUPS, level.end_population_group_id))
        ids = known.population_group_ids
        if plan.choose == "published":
            ids = np.intersect1d(ids, selected[plan.ladder_id, level.level_id][0])
        if ids.size:
            return True
    return False
