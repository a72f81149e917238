"""What answers to wanted statistics have in common: notes, and where intervals are put."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Int64s
from safetab_sql.statistics.intervals import Intervals

NO_ROW = "no such row: the group was suppressed, is unknown, or has no table"
PART = "the table of the group has no such cells, or has them in larger ones alone"
TOTAL_ONLY = "the group has a total alone, and no cells"
UNDIVIDED = "the table of the group does not divide these numbers into ranges"
SHARED_NOISE = "reconciled counts share noise: the interval holds whatever their errors have in common"
NO_QUANTILES = "reconciled cells share noise: take quantiles from the release itself"
BOTH_STAGES = "both stages of noise were used"
NO_END = "the other count may be 0: LOW and HIGH have no end where they are NULL"
ANY = "the interval rules out no share"
SELECTED = "a count was published for its size: the interval allows for it, each count by itself"


def put(found: Intervals, places: Int64s, part: Intervals, least: float = -np.inf) -> None:
    """Put the intervals of some statistics, none of whose ends is below `least`, into those of all."""
    found.estimates[places], found.p_values[places] = part.estimates, part.p_values
    found.lows[places], found.highs[places] = np.maximum(part.lows, least), np.maximum(part.highs, least)


def open_ends(found: Intervals, kinds: npt.NDArray[np.str_]) -> Iterator[tuple[int, str]]:
    """The places of ratios whose interval has no upper end, or says nothing, each with its note."""
    is_ratio = kinds == "ratio"
    yield from ((place, NO_END) for place in np.flatnonzero(is_ratio & np.isposinf(found.highs)).tolist())
    says_nothing = is_ratio & (found.lows == 0) & (found.highs == 1)
    yield from ((place, ANY) for place in np.flatnonzero(says_nothing).tolist())
