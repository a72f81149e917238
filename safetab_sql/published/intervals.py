"""95 % intervals of published counts: how far the true count may lie on either side; sees laws, never counts.

Source: accuracy.md sections 1 and 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, sqrt

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, is_tabulable, pmf_words, reach
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.laws.selection import largest_suppressed, selected_counts
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.parameters import Parameters

# How likely noise is to exceed a bound, in double precision: for margins and coverages, never for drawing.


def tails(law: Law, bounds: Int64s) -> Floats:
    """P(noise > bound) for bounds >= 0: int64[n] -> float64[n], to about 12 digits of 1."""
    if isinstance(law, TwoSidedGeometric):
        epsilon = float(law.epsilon)
        return np.asarray(np.exp(-epsilon * (bounds + 1.0)) / (1 + np.exp(-epsilon)), dtype=np.float64)
    if is_tabulable(law):
        found = _gaussian_tails(law)
        return np.asarray(found[np.minimum(bounds, found.size - 1)], dtype=np.float64)
    sigma = 1 / sqrt(2 * law.rho)  # above 55,000, so the sum equals the integral to all digits
    return np.array([erfc((bound + 0.5) / (sigma * sqrt(2))) / 2 for bound in bounds.tolist()])


@lru_cache(maxsize=64)
def _gaussian_tails(law: Law) -> Floats:
    """P(noise > k) for k = 0, 1, ...; the last entry is 0."""
    first, words = pmf_words(law)
    beyond = np.array(words[1 - first :], dtype=np.float64) / 2.0**64  # k = 1, 2, ...
    return np.append(np.cumsum(beyond[::-1])[::-1], 0.0)


ANY = 2**62  # persons below a count: no lower end but 0
_POINTS = 2**19  # of the lattice on which positive parts are convolved
_SLACK = 1e-9  # far above the error of convolutions in floats


@dataclass(frozen=True, slots=True)
class Sides:
    """How far a true count may lie below and above a published one, persons. least: no interval goes below it."""

    below: int
    above: int
    least: int | None


@dataclass(frozen=True, slots=True)
class Cuts:
    """is_clipped: counts below 0 are published as 0. from_zero: intervals are cut at 0."""

    is_clipped: bool = False
    from_zero: bool = False

    @property
    def least(self) -> int | None:
        """Where intervals are cut."""
        return 0 if self.is_clipped or self.from_zero else None


def cuts_of(parameters: Parameters) -> Cuts:
    """What the parameters of a run say of counts and intervals below 0."""
    return Cuts(not parameters.allow_negative_counts, parameters.intervals_from_zero)


def sides(law: Law, summed_counts: int, margin: int, threshold: int | None, cuts: Cuts) -> Sides:
    """The sides of a sum of so many independent counts of `law`, or of a total far above the limit of publication.

    margin: half-width of the noise of the sum at 95 %, persons. threshold: a total up to it is not published; None
    where every total is. A count that is set to 0 where it would be below exceeds its true count by at most the
    positive part of its noise, and is never further below it than its noise: so only the lower side of a sum of such
    counts grows. Where the law of a total is too wide for the intervals near the limit, no total has a lower end.
    """
    if summed_counts > 1 and cuts.is_clipped:
        return Sides(positive_parts_quantile(law, summed_counts), margin, 0)
    if summed_counts == 1 and threshold is not None and selected_counts(law, threshold) is None:
        return Sides(ANY, margin, 0)
    return Sides(margin, margin, cuts.least)


def selected_totals_table(plans: Sequence[LevelPlan], cuts: Cuts) -> pa.Table:
    """Table `selected_totals` of sql/run/6_publish: the totals near the limit of publication, and their intervals."""
    rows = [
        (plan.catalog.level_id, is_total_only, one.noisy_count, one.low, one.high)
        for plan in plans
        for is_total_only, law, threshold in _totals(plan)
        if threshold is not None
        for one in selected_counts(law, threshold) or ()
        if one.noisy_count >= 0 or not cuts.is_clipped
    ]
    columns = list(zip(*rows, strict=True)) or [()] * 5
    kinds = (pa.int32(), pa.bool_(), pa.int64(), pa.int64(), pa.int64())
    names = ("level_id", "is_total_only", "noisy_count", "low95", "high95")
    return pa.table({name: pa.array(values, kind) for name, values, kind in zip(names, columns, kinds, strict=True)})


def margins_above(law: Law, above: int, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """MOE95 of noisy counts that are published because they exceed `above`: float64[n], persons.

    Each reaches both ends of its 95 % interval, which holds given that.
    """
    near = selected_counts(law, above) or ()
    reaches = [max(one.noisy_count - one.low, one.high - one.noisy_count) for one in near]
    return np.array([*reaches, margin_of_error(law)], np.float64)[np.minimum(counts - above - 1, len(reaches))]


def suppressed_totals_table(plans: Sequence[LevelPlan]) -> pa.Table:
    """Table `suppressed_totals` of sql/run/6_publish: what is known of groups whose total is not published."""
    rows = [
        (plan.catalog.level_id, is_total_only, threshold, largest_suppressed(law, threshold))
        for plan in plans
        for is_total_only, law, threshold in _totals(plan)
        if threshold is not None
    ]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    kinds = (pa.int32(), pa.bool_(), pa.int64(), pa.int64())
    names = ("level_id", "is_total_only", "suppressed_up_to", "high95")
    return pa.table({name: pa.array(values, kind) for name, values, kind in zip(names, columns, kinds, strict=True)})


def _totals(plan: LevelPlan) -> Iterator[tuple[bool, Law, int | None]]:
    """The two kinds of totals alone: of groups that never get a table, and of those whose stage 1 chose none."""
    yield True, plan.calls.total_only.law, plan.total_only_threshold
    yield False, plan.calls.stage_2.law, plan.suppression_threshold


@lru_cache(maxsize=256)
def positive_parts_quantile(law: Law, draws: int) -> int:
    """Some m, hardly more than the smallest, with P(sum of max(0, draw) > m) <= 0.025, persons.

    Every draw is rounded up to a multiple of a step, which is 1 unless the lattice would have too many points.
    """
    furthest = reach(law, 64)
    step = max(1, -(-draws * furthest // _POINTS))
    points = -(-furthest // step)
    beyond = tails(law, np.arange(points + 1, dtype=np.int64) * step)
    pmf = np.concatenate([[1 - beyond[0]], beyond[:-1] - beyond[1:]])
    size = 1 << (draws * points + 1).bit_length()
    summed = np.fft.irfft(np.fft.rfft(pmf, size) ** draws, size)
    covered = np.cumsum(summed[: draws * points + 1])
    return step * int(np.argmax(covered >= 0.975 + _SLACK))
