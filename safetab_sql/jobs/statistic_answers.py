"""What answers to wanted statistics have in common: notes, and where intervals are put."""

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.published.derived import Intervals

NO_ROW = "no such row: the group was suppressed, is unknown, or has no table"
PART = "the table of the group has no such cells, or has them in larger ones alone"
TOTAL_ONLY = "the group has a total alone, and no cells"
UNDIVIDED = "the table of the group does not divide these numbers into ranges"
SHARED_NOISE = "reconciled counts share noise: the interval holds whatever their errors have in common"
NO_QUANTILES = "reconciled cells share noise: take quantiles from the release itself"
BOTH_STAGES = "both stages of noise were used"
ZERO = "the other count may be 0"
SELECTED = "a count was published for its size: the interval allows for it, each count by itself"


def put(found: Intervals, places: Int64s, part: Intervals, least: float = -np.inf) -> None:
    """Put the intervals of some statistics, none of whose ends is below `least`, into those of all."""
    found.estimates[places], found.p_values[places] = part.estimates, part.p_values
    found.lows[places], found.highs[places] = np.maximum(part.lows, least), np.maximum(part.highs, least)
