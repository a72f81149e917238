"""The trend of a count over releases: the slope of the straight line that fits it best.

The line is fitted to the counts of all releases by least squares, all with the same weight. So the slope is a weighted
sum of counts, with weights that depend on the times of the releases alone: it is the same statistic of every group,
whatever tables the group got, whether or not its counts lie on a line, and its noise has an exact law. Source:
change.md section 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from safetab_sql.settings.decimals import exact_decimal

TREND, TIMES = "trend", "TIMES"  # the kind of a statistic; the column with the times of the releases
_MOST_TIMES = 100_000  # a count in a sum of whole numbers of counts, whose noise is convolved


@dataclass(frozen=True, slots=True)
class Slope:
    """The sum of counts, each so many times, by a divisor. times: of the count of each release; whole numbers.

    divisor: makes of the sum what the count grows by in one unit of time.
    """

    times: tuple[int, ...]
    divisor: Fraction

    @property
    def first(self) -> int:
        """The position of a release whose count is added."""
        return max(range(len(self.times)), key=self.times.__getitem__)


def slope_of(text: str | None, size: int) -> Slope | None:
    """The slope over so many releases. text: their times, decimals apart by spaces; without it 1, 2 and so on.

    None where there is not a time for each release, all are the same, or they have so many digits that no count has a
    weight of at most `_MOST_TIMES`.
    """
    given = [exact_decimal(word) for word in text.split()] if text else [Fraction(place + 1) for place in range(size)]
    known = [time for time in given if time is not None]
    if len(given) != size or len(known) != size or len(set(known)) == 1:
        return None
    found = _slope(known)
    return found if max(map(abs, found.times)) <= _MOST_TIMES else None


def _slope(times: Sequence[Fraction]) -> Slope:
    """The weight of a count is its time less the mean time, by the sum of the squares of these."""
    mean = sum(times, Fraction(0)) / len(times)
    apart = [time - mean for time in times]
    weights = [each / sum(other**2 for other in apart) for each in apart]
    divisor = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * divisor) for weight in weights]
    return Slope(tuple(each // gcd(*whole) for each in whole), Fraction(divisor, gcd(*whole)))
