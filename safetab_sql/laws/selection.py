"""Which true counts agree with a noisy count that is published only if it is large enough.

Y is a true count N plus a draw, published if Y > above. Given that, P(Y >= y) grows with N, as the noise is
log-concave: the ratio of two tails of one law falls as both move outwards. So the counts N with P(Y >= y) > miss / 2
and P(Y <= y) > miss / 2, given Y > above, are an interval, and it misses N with a chance of at most `miss`, whatever N
is. Of wide noise it may lie far below y, or be empty; so no upper end is below what an unpublished count may be, and
none is below y. Source: accuracy.md section 2.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import Law, cumulative_bounds, is_tabulable, margin_of_error, quantile

MISS = Fraction(1, 20)
_BITS = 60  # a limit that matters with a chance below 2^-60 is far away
_MOST_BITS = 1024  # a total that exceeds the limit with a chance below 2^-1000 is as good as never published


@dataclass(frozen=True, slots=True)
class SelectedCount:
    """A published noisy count and the true counts, `low` to `high`, that agree with it, and itself; persons."""

    noisy_count: int
    low: int
    high: int


@lru_cache(maxsize=64)
def selected_counts(law: Law, above: int, miss: Fraction = MISS) -> tuple[SelectedCount, ...] | None:
    """The intervals of the noisy counts above + 1, above + 2, ... that lie so near to `above` that it matters.

    Beyond the last one the interval is the count plus and minus the margin of error. No true count is below 0, so `low`
    is at least 0; near `above` there would be no other lower end. `high` is at least `largest_suppressed`. Chances are
    compared by proved bounds, and a true count that these do not decide is in the interval. None where the law is too
    wide to tabulate.
    """
    if not is_tabulable(law):
        return None
    tail = _Tail(law, above)
    margin = margin_of_error(law, 1 - miss)
    found: list[SelectedCount] = []
    low, high = 0, largest_suppressed(law, above, miss)
    while True:
        count = above + 1 + len(found)
        high = max(high, count)  # at 95 % it is so anyway
        while tail.is_too_low(low, count, miss / 2):
            low += 1
        while not tail.is_too_high(high + 1, count, miss / 2):
            high += 1
        if (low, high) == (count - margin, count + margin) and tail.is_certain(low):
            return tuple(found)
        found.append(SelectedCount(count, low, high))


def largest_suppressed(law: Law, above: int, miss: Fraction = MISS) -> int:
    """The largest true count N, persons, that stays unpublished with a chance above `miss`.

    It is the largest N with P(N + noise <= above) > miss. A group that is not published has more people with a chance
    of at most `miss`, whatever their number is. A little more for laws too wide to tabulate.
    """
    # P(noise <= k) > miss if k >= -q, with q the quantile at 1 - miss: the laws are symmetric.
    return max(0, above + quantile(law, 1 - miss))


class _Tail:
    """Bounds of P(Y >= y given Y > above) for any true count N >= 0."""

    def __init__(self, law: Law, above: int) -> None:
        precision = 128
        while precision < _MOST_BITS and above >= 0 and tail_bounds(law, above, precision)[0] < 1 << (_BITS + 4):
            precision *= 2
        self._bounds = cumulative_bounds(law, precision)
        self._one = 1 << precision
        self._above = above

    def _at_least(self, value: int) -> tuple[int, int]:
        """Bounds of P(noise >= value), in units of 2^-precision."""
        place = value - 1 - self._bounds.first
        if place < 0:
            return self._one - 1, self._one
        if place >= len(self._bounds.lower):
            return 0, 1
        return self._one - self._bounds.upper[place], self._one - self._bounds.lower[place]

    def is_too_low(self, true_count: int, noisy_count: int, chance: Fraction) -> bool:
        """Whether certainly P(Y >= noisy_count given Y > above) <= chance, or N is as good as never published."""
        upper = self._at_least(noisy_count - true_count)[1]
        lower = self._at_least(self._above + 1 - true_count)[0]
        return lower * chance.numerator < chance.denominator or upper * chance.denominator <= lower * chance.numerator

    def is_too_high(self, true_count: int, noisy_count: int, chance: Fraction) -> bool:
        """Whether certainly P(Y <= noisy_count given Y > above) <= chance."""
        lower = self._at_least(noisy_count + 1 - true_count)[0]
        upper = self._at_least(self._above + 1 - true_count)[1]
        return lower * chance.denominator >= upper * (chance.denominator - chance.numerator)

    def is_certain(self, true_count: int) -> bool:
        """Whether a count of N is published but for a chance below 2^-60."""
        return self._one - self._at_least(self._above + 1 - true_count)[0] < self._one >> _BITS
