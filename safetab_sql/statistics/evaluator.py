"""The one evaluator of statistics of releases: counts, differences, ratios, growth, differences of ratios, quantiles.

A statistic is made of one or two sums of published counts. What is known of them, but for how large they are, is its
form: the joint law of independent noise; or deviations, of reconciled counts; or a bound, of groups without a row.
Conditions (sums.py) and tables (wanted.py) are two ways to write the counts down.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import isclose, isnan
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.laws.noise import Law, variance
from safetab_sql.laws.selection import largest_suppressed
from safetab_sql.published.margins import NoiseTerm, margin_of_terms
from safetab_sql.release.folder import RELEASE_FIX, ReleaseFacts
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.statistics import intervals
from safetab_sql.statistics.intervals import Intervals, Reconciled
from safetab_sql.statistics.ratios import Counted, Shape, Term, ends_of_differences, equal_ratio_chances

LEVEL = Fraction(95, 100)
PAIRS = ("difference", "ratio", "growth")

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Asked:
    """Statistics. kinds: "count", "quantile", "rank" or one of PAIRS of each; shares: of quantiles.

    firsts, seconds: places of ratios, of which the first less the second is wanted, in the place of the first. ranked:
    the places of each set of counts, of kind "rank", that are ranked among one another. apart: the firsts whose ratio
    has no published count of the run in common with the second. same: those with twice the same people of one release.
    """

    kinds: Sequence[str]
    shares: Sequence[Fraction | None]
    firsts: Int64s
    seconds: Int64s
    ranked: tuple[Int64s, ...] = ()
    apart: frozenset[int] = frozenset()
    same: frozenset[int] = frozenset()

    @property
    def is_pair(self) -> Bools:
        """Which of them have two sums."""
        return np.isin(np.array(self.kinds), PAIRS)


@dataclass(frozen=True, slots=True)
class Bins:
    """The counts of quantiles by the values of an attribute, of each statistic that has some.

    edges: first value of each bin, and one more than the last. counts: persons; deviations: of reconciled ones.
    """

    edges: tuple[int, ...]
    counts: list[float]
    deviations: list[float]


_Times = tuple[int, int, int]  # place of a law; how often its counts are in the one sum, and in the other
# Of a group without a row: the law of its total, and up to which size it is not published.
Limit = tuple[Law, int]


class Side(NamedTuple):
    """What is known of one count beside independent noise.

    definition: of reconciled counts in it, whose noise is known by deviations. limits: of the groups without a row.
    """

    definition: PrivacyDefinition | None = None
    limits: tuple[Limit, ...] = ()


class Form(NamedTuple):
    """What is known of the one count of a statistic and of the other, but for how large they are.

    shape: the independent noise of both; None where neither has any. is_same: whether they are the same people of one
    run, reconciled or not.
    """

    shape: Shape | None = None
    one: Side = Side()
    other: Side = Side()
    is_same: bool = False

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Of all groups without a row."""
        return self.one.limits + self.other.limits

    def is_by_ends(self, kind: str) -> bool:
        """Whether the interval of a statistic is made of the intervals of its two counts, each by itself."""
        is_apart = self.one.definition != self.other.definition or (self.one.definition and kind != "difference")
        return bool(self.limits) or (kind in PAIRS and bool(is_apart or self.is_same))

    def is_as_drawn(self, kind: str) -> bool:
        """Whether the errors of a statistic are noise of a known law, and nothing else."""
        is_known = self.shape is not None and self.shape.is_as_drawn
        return is_known and self.one.definition is None and not self.is_by_ends(kind)


@dataclass(frozen=True, slots=True)
class Known:
    """The counts of all statistics. forms: of each; equal ones are the same. one, other, chosen: see `Counted`.

    reconciled: the reconciled counts on both sides; NaN of a statistic without.
    """

    forms: Sequence[Form]
    one: Int64s
    other: Int64s
    chosen: Sequence[Sequence[int]]
    reconciled: tuple[Reconciled, Reconciled] | None = None

    def counted(self, places: Int64s) -> Counted:
        """The statistics of one form, of its independent noise."""
        chosen = np.array([self.chosen[place] for place in places.tolist()], dtype=np.int64)
        shape = self.forms[places[0]].shape or Shape(())
        return Counted(shape, self.one[places], self.other[places], chosen.reshape(places.size, -1))

    def bounds(self, places: Int64s) -> list[Reconciled]:
        """The reconciled counts of some statistics, on either side."""
        return [Reconciled(*(each[places] for each in own)) for own in self.reconciled or ()]


def level_problems(level: Fraction) -> list[Problem]:
    """Why there are no intervals at this level."""
    what = f"{float(level):g} is not between 0 and 1"
    return [] if 0 < level < 1 else [Problem("--level", what, "say it like 0.9")]


def level_law(
    facts: ReleaseFacts, ladder: str, level_name: str | None, is_total_only: bool, is_total: bool
) -> tuple[Law, int | None]:
    """The law of independent counts, and up to which size they are not published.

    level_name: as the index of groups says it. is_total_only: whether their groups could get a total and nothing else.
    is_total: whether they are totals of groups without a table, which may have been published for their size. Raises:
    as `ReleaseFacts.level_called`.
    """
    found = facts.level_called(ladder, level_name)
    threshold = found.total_only_threshold if is_total_only else found.suppression_threshold
    return found.measured_law(is_total_only=is_total_only), threshold if is_total else None


def check_variances(rows: duckdb.DuckDBPyRelation, ladder: str, facts: ReleaseFacts) -> None:
    """Raises: InputError where an independent count has a level or a variance that the manifest does not state."""
    kinds = rows.filter("atom is not null").project("level_name, is_total_only, VARIANCE").distinct().fetchall()
    for name, is_total_only, spread in kinds:
        law, _ = level_law(facts, ladder, name, is_total_only, is_total=False)
        what = f"{name} counts with variance {spread:g}, which the manifest does not say of them"
        refuse([] if isclose(spread, variance(law)) else [Problem("t1, t2", what, RELEASE_FIX)])


def known_of(
    terms: pa.Table,
    size: int,
    facts: Sequence[ReleaseFacts],
    beside: Mapping[int, Form] = MappingProxyType({}),
    reconciled: tuple[Reconciled, Reconciled] | None = None,
) -> Known:
    """The counts of `size` statistics. terms: columns of sql/tools/statistics/wanted_terms.sql, `ladder` and `release`.

    facts: of each release. Noise of different runs is independent, as is noise of different levels of one. beside: the
    forms of statistics of which more is known than independent noise.
    """
    kinds = ("release", "ladder", "level_name", "is_total_only", "is_total")
    distinct = terms.select(kinds).group_by(kinds).aggregate([]).select(kinds).to_pylist()
    of_kinds = {kind: level_law(facts[kind[0]], *kind[1:]) for kind in [tuple(each.values()) for each in distinct]}
    laws = sorted(set(of_kinds.values()), key=str)
    places = {kind: laws.index(law) for kind, law in of_kinds.items()}
    one, other = np.zeros((2, size), dtype=np.int64)
    draws: list[Counter[_Times]] = [Counter() for _ in range(size)]
    chosen: list[list[tuple[_Times, list[int]]]] = [[] for _ in range(size)]
    clipped = {number for number, each in enumerate(facts) if each.is_clipped}
    cut: set[int] = set()
    names = ("statistic_number", "one", "other", "draws", "noisy_count", "chosen_counts")
    columns = (terms[name].to_pylist() for name in (*kinds, *names))
    for *kind, number, times, other_times, many, noisy, counts in zip(*columns, strict=True):
        key = places[tuple(kind)], times, other_times
        one[number] += times * noisy
        other[number] += other_times * noisy
        draws[number][key] += many
        if laws[key[0]][1] is not None:
            chosen[number].append((key, counts))
        if kind[0] in clipped:
            cut.add(number)
    known: dict[Hashable, Form] = {}
    forms = []
    for number, each in enumerate(draws):
        alike = beside.get(number, Form()), number in cut, tuple(sorted(each.items()))
        if alike not in known:
            own = tuple(Term(laws[law][0], ones, others, many, laws[law][1]) for (law, ones, others), many in alike[2])
            known[alike] = alike[0]._replace(shape=Shape(own, number in cut) if own else None)
        forms.append(known[alike])
    counted = [[count for _, counts in sorted(each) for count in counts] for each in chosen]
    return Known(forms, one, other, counted, reconciled)


def bins_of(rows: pa.Table) -> dict[int, Bins]:
    """The bins of quantiles. rows: statistic_number, bin_start, bin_end, noisy_count and deviation of single counts."""
    keys = ["statistic_number", "bin_start", "bin_end"]
    summed = rows.group_by(keys).aggregate([("noisy_count", "sum"), ("deviation", "sum")])
    ordered = summed.sort_by([(key, "ascending") for key in keys])
    columns = (ordered[name].to_pylist() for name in (*keys, "noisy_count_sum", "deviation_sum"))
    found = {}
    for number, own in groupby(zip(*columns, strict=True), itemgetter(0)):
        _, firsts, lasts, counts, deviations = zip(*own, strict=True)
        found[number] = Bins((*firsts, lasts[-1] + 1), [*counts], [*deviations])
    return found


def evaluated(asked: Asked, known: Known, bins: Mapping[int, Bins], usable: Bools, level: Fraction) -> Intervals:
    """The estimates and intervals of the statistics that are usable; NaN for all others.

    Of two ratios that may share noise and whose difference is wanted, each has half the chance to miss. Source:
    accuracy.md sections 5 and 6; change.md sections 1 and 2.
    """
    size, half = len(asked.kinds), (1 + level) / 2
    found = Intervals(*(np.full(size, np.nan) for _ in range(4)))
    is_half = np.zeros(size, dtype=np.bool_)
    for pair in zip(asked.firsts.tolist(), asked.seconds.tolist(), strict=True):
        is_half[list(pair)] = not (pair[0] in asked.apart and _are_drawn(known, pair))
    for places in _alike(asked, known, bins, np.flatnonzero(usable & (np.array(asked.kinds) != "rank")), is_half):
        first = int(places[0])
        kind, own = asked.kinds[first], half if is_half[first] else level
        if kind != "quantile":
            put(found, places, _made(known, kind, places, own))
        elif first in bins and len(bins[first].counts) > 1:
            own_bins, terms = [bins[place] for place in places.tolist()], known.counted(places).shape.terms
            noise = known.forms[first].one.definition or (terms[0].law, terms[0].draws)
            put(found, places, quantiles_of_bins(own_bins, asked.shares[first] or Fraction(1, 2), noise, own))
    for places in asked.ranked:
        _put_ranks(found, asked, known, places, usable, level)
    return found


def _put_ranks(found: Intervals, asked: Asked, known: Known, places: Int64s, usable: Bools, level: Fraction) -> None:
    """Put the ranks of a set of counts, of those counts in it that are usable."""
    none = np.zeros(len(asked.kinds), dtype=np.bool_)
    alike = list(_alike(asked, known, {}, places[usable[places]], none))
    parts = []
    for own in alike:
        side = _side(known, own, (1 + pair_level(places.size, level)) / 2, is_other=False)
        form = known.forms[int(own[0])]
        noise = intervals.noise_terms(form.shape) if form.shape is not None and form.is_as_drawn("rank") else None
        parts.append(_Ranked(side, noise))
    if parts:
        put(found, np.concatenate(alike), rank_intervals(parts, places.size, level))


def _alike(asked: Asked, known: Known, bins: Mapping[int, Bins], places: Int64s, is_half: Bools) -> Iterator[Int64s]:
    """The places of statistics of one kind whose counts have one form, together."""
    found: dict[Hashable, list[int]] = {}
    for place in places.tolist():
        edges = bins[place].edges if place in bins else None
        kind = asked.kinds[place], asked.shares[place], is_half[place], id(known.forms[place]), edges
        found.setdefault(kind, []).append(place)
    yield from (np.array(alike, dtype=np.int64) for alike in found.values())


def _made(known: Known, kind: str, places: Int64s, level: Fraction) -> Intervals:
    """The intervals of statistics of one kind whose counts have one form.

    Of all noise together, as it was drawn or as deviations bound it; else of the intervals of both counts, each of
    which has half the chance to miss. The same people differ by nobody.
    """
    form = known.forms[places[0]]
    if form.is_same:
        same = np.full(places.size, float(kind == "ratio"))
        return Intervals(same, same, same, np.array(np.nan if kind == "ratio" else 1.0))
    if kind == "count":
        return _side(known, places, level, is_other=False)
    if form.is_by_ends(kind):
        sides = (_side(known, places, (1 + level) / 2, is_other=so) for so in (False, True))
        return intervals.intervals_of_ends(kind, *sides)
    if form.one.definition is None:
        functions = {"difference": intervals.differences, "ratio": intervals.ratios, "growth": intervals.growths}
        return functions[kind](known.counted(places), level)
    (one, other), nothing = known.bounds(places), np.full(places.size, np.nan)
    # As if errors went opposite ways.
    net = Reconciled(one.estimates - other.estimates, one.deviations + other.deviations, nothing, nothing)
    return intervals.reconciled_counts(net, form.one.definition, level)


def _side(known: Known, places: Int64s, level: Fraction, *, is_other: bool) -> Intervals:
    """The intervals of the one counts or of the other ones. Groups without a row have at most so many persons.

    All have the same such groups. Their bounds have half the chance to miss, or all where no group has a row.
    """
    form, counted = known.forms[places[0]], known.counted(places)
    definition, absent = form.other if is_other else form.one
    is_found = definition is not None or any(term.other if is_other else term.one for term in counted.shape.terms)
    own = (1 + level) / 2 if absent and is_found else level
    if not is_found:
        found = Intervals(*np.zeros((3, places.size)))
    elif definition is None:
        found = intervals.sums(intervals.one_side(counted, is_other=is_other), own)
    else:
        found = intervals.reconciled_counts(known.bounds(places)[is_other], definition, own)
    if not absent:
        return found
    most = sum(largest_suppressed(law, above, (1 - own) / len(absent)) for law, above in absent)
    return Intervals(np.full(places.size, np.nan), np.maximum(found.lows, 0), np.maximum(found.highs, 0) + most)


def quantiles_of_bins(
    bins: Sequence[Bins], share: Fraction, noise: tuple[Law, int] | PrivacyDefinition, level: Fraction
) -> Intervals:
    """Quantiles of one share and the same bins. noise: law and number of all counts, or a definition."""
    edges, by_bin = np.array(bins[0].edges, dtype=np.int64), np.array([each.counts for each in bins])
    if isinstance(noise, str):
        deviations = np.array([each.deviations for each in bins])
        return intervals.quantiles(share, by_bin, edges, intervals.edge_bounds(deviations, share, noise, level))
    (law, draws), size = noise, by_bin.shape[1]
    return intervals.quantiles(share, by_bin, edges, intervals.edge_margins(law, draws // size, share, size, level))


def put(found: Intervals, places: Int64s, part: Intervals) -> None:
    """Put the intervals of some statistics into the intervals of all."""
    for all_of_them, some in zip(found, part, strict=True):
        all_of_them[places] = some


def _are_drawn(known: Known, pair: Sequence[int]) -> bool:
    """Whether the errors of both ratios are noise of known laws, and nothing else."""
    return all(known.forms[place].is_as_drawn("ratio") for place in pair)


def differences_of_ratios(asked: Asked, known: Known, found: Intervals, level: Fraction) -> Intervals:
    """Of each two ratios, the first less the second, in the order of `firsts`. found: `evaluated`."""
    first, second = (Intervals(*(each[places] for each in found)) for places in (asked.firsts, asked.seconds))
    none = np.full(asked.firsts.size, np.nan)
    made = intervals.intervals_of_ends("difference", first, second)._replace(p_values=none)
    alike: dict[tuple[int, int, bool], list[int]] = {}
    pairs = zip(asked.firsts.tolist(), asked.seconds.tolist(), (first.lows + second.lows).tolist(), strict=True)
    for number, (one, other, is_known) in enumerate(pairs):
        if not isnan(is_known) and _are_drawn(known, (one, other)):
            kind = id(known.forms[one]), id(known.forms[other]), one in asked.apart
            alike.setdefault(kind, []).append(number)
    for (*_, apart), numbers in alike.items():
        ones, others = (known.counted(places[numbers]) for places in (asked.firsts, asked.seconds))
        made.p_values[numbers] = equal_ratio_chances(ones, others, apart=apart)
        if apart:
            made.lows[numbers], made.highs[numbers] = ends_of_differences(ones, others, float(1 - level))
    return made


# Ranks of counts among one another. Differences of two counts get intervals that hold at once: each of n (n - 1) / 2
# misses with that part of the chance to miss. A count is surely larger than another one where the interval of their
# difference is above 0. Where all of these intervals hold, so do all ranks: at least 1 and the number of surely larger
# counts, at most n less the number of surely smaller ones. Source: Klein, Wright, Wieczorek (2020), section 3;
# change.md section 4.


class _Ranked(NamedTuple):
    """Counts of one kind, with intervals: see `pair_level`. noise: of each; None where errors are not as drawn."""

    counts: Intervals
    noise: tuple[NoiseTerm, ...] | None


def pair_level(size: int, level: Fraction) -> Fraction:
    """The level of the interval of one difference of so many counts; one of a count by itself misses half as often."""
    return 1 - (1 - level) / max(1, size * (size - 1) // 2)


def rank_intervals(parts: Sequence[_Ranked], size: int, level: Fraction) -> Intervals:
    """The ranks of counts among `size`, 1 for the largest, in the order of the parts, with intervals that hold jointly.

    The counts of which nothing is known may have any rank.
    """
    own = pair_level(size, level)
    estimates = np.concatenate([part.counts.estimates for part in parts])
    larger = np.concatenate([sum(_surely_larger(part, other, own) for other in parts) for part in parts])
    turned = [_Ranked(Intervals(-own.estimates, -own.highs, -own.lows), noise) for own, noise in parts]
    smaller = np.concatenate([sum(_surely_larger(part, other, own) for other in turned) for part in turned])
    known = np.sort(estimates[~np.isnan(estimates)])
    found = 1.0 + known.size - np.searchsorted(known, estimates, side="right")
    return Intervals(np.where(np.isnan(estimates), np.nan, found), larger + 1.0, size - smaller * 1.0)


def _surely_larger(part: _Ranked, other: _Ranked, level: Fraction) -> Int64s:
    """How many of the other counts are surely larger than each: of the ends of both, where one is known by these alone.

    Counts may have noise in common. It cancels, and what is left is within the margin at least as often: noise is
    symmetric and falls off on both sides.
    """
    ends, reached = other.counts.lows, part.counts.highs
    if part.noise is not None and other.noise is not None:
        terms = intervals.joined((each.law, each.coefficient, each.draws) for each in (*part.noise, *other.noise))
        ends, reached = other.counts.estimates, part.counts.estimates + margin_of_terms(terms, level).moe95
    return np.asarray(ends.size - np.searchsorted(np.sort(ends), reached, side="right"), dtype=np.int64)


# Many comparisons at once: p-values and intervals that allow for how many there are. Source: Holm (1979); Benjamini and
# Hochberg (1995); Benjamini and Yekutieli (2005); change.md section 3.

Adjust = Literal["holm", "bh"]
COMPARISONS = ("difference", "growth", "ratio_difference")  # the kinds that are compared with no change
RAREST = Fraction(1, 10**8)  # chance to miss below which no law is convolved exactly enough


def comparisons(kinds: Sequence[str | None]) -> Int64s:
    """The rows that are adjusted for one another: all that ask for a comparison, whatever the answer is."""
    return np.flatnonzero(np.isin(np.array(kinds, dtype=object), COMPARISONS))


def adjusted_p_values(p_values: Floats, method: Adjust) -> Floats:
    """P-values of a family, float64[n]; NaN where there is none, which counts as one of 1.

    holm: the chance is at most x that any comparison without a change gets x or less. bh: of those that get x or less,
    at most a part of x has no change, on average, where p-values are independent or go together.
    """
    known = np.where(np.isnan(p_values), 1.0, p_values)
    order, size = np.argsort(known, kind="stable"), known.size
    found = np.empty(size)
    if method == "holm":
        found[order] = np.maximum.accumulate(known[order] * np.arange(size, 0, -1))
    else:
        found[order[::-1]] = np.minimum.accumulate((known[order] * size / np.arange(1, size + 1))[::-1])
    return np.asarray(np.where(np.isnan(p_values), np.nan, np.minimum(found, 1)), dtype=np.float64)


def adjusted_level(adjusted: Floats, method: Adjust, level: Fraction) -> Fraction:
    """The level of each interval of a family. adjusted: its p-values.

    holm: all intervals hold with a chance of at least `level` (Bonferroni). bh: of the intervals of comparisons whose
    p-value is at most 1 less the level, at most that part misses, on average.
    """
    chosen = int(np.count_nonzero(adjusted <= float(1 - level))) if method == "bh" else 1
    return 1 - (1 - level) * max(1, chosen) / max(1, adjusted.size)
