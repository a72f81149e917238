"""The one evaluator of statistics of a release: counts, differences, ratios, differences of ratios, and quantiles.

A statistic is made of one or two sums of independent published counts, and both are given as terms: how many counts of
which law, and how often each is in either sum. Conditions (sums.py) and tables (wanted.py) are two ways to write terms.
A reconciled folder tells no laws of the errors of its counts, but deviations.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.statistics.intervals import (
    Counted,
    Intervals,
    Reconciled,
    differences,
    edge_margins,
    quantiles,
    ratio_differences,
    ratios,
    reconciled_counts,
    reconciled_differences,
    reconciled_edge_margins,
    reconciled_ratios,
    sums,
)
from safetab_sql.statistics.ratios import NoisyRatios, Shape, Term, equal_ratio_chances

LEVEL = Fraction(95, 100)
PAIRS = ("difference", "ratio")

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Asked:
    """Statistics. kinds: "count", "difference", "ratio" or "quantile" of each; shares: of quantiles.

    firsts, seconds: places of ratios, of which the first less the second is wanted, in the place of the first.
    """

    kinds: Sequence[str]
    shares: Sequence[Fraction | None]
    firsts: Int64s
    seconds: Int64s

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


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of all statistics. shapes: None of a statistic without counts. one, other, chosen: see `Counted`."""

    shapes: list[Shape | None]
    one: Int64s
    other: Int64s
    chosen: list[list[int]]

    def counted(self, places: Int64s) -> Counted:
        """The statistics of one shape."""
        chosen = np.array([self.chosen[place] for place in places.tolist()], dtype=np.int64)
        shape = self.shapes[places[0]] or Shape(())
        return Counted(shape, self.one[places], self.other[places], chosen.reshape(places.size, -1))


@dataclass(frozen=True, slots=True)
class ReconciledSums:
    """The sums of all statistics of a reconciled folder: one sums, and other ones."""

    one: Reconciled
    other: Reconciled
    definition: PrivacyDefinition


def level_law(facts: ReleaseFacts, kind: Mapping[str, Any]) -> tuple[Law, int | None]:
    """The law of independent counts, and up to which size they are not published.

    kind: `ladder`; `level_name`, as the index of groups says it; `is_total_only`: whether their groups could get a
    total and nothing else; `is_total`: whether they are totals of groups without a table, which may have been published
    for their size. Raises: as `ReleaseFacts.level_called`.
    """
    found = facts.level_called(kind["ladder"], kind["level_name"])
    threshold = found.total_only_threshold if kind["is_total_only"] else found.suppression_threshold
    return found.measured_law(is_total_only=kind["is_total_only"]), threshold if kind["is_total"] else None


def sums_of(terms: pa.Table, size: int, facts: ReleaseFacts) -> Sums:
    """The sums of `size` statistics. terms: columns of sql/tools/statistics/wanted_terms.sql, and `ladder`."""
    kinds = ("ladder", "level_name", "is_total_only", "is_total")
    distinct = terms.select(kinds).group_by(kinds).aggregate([]).to_pylist()
    of_kinds = {tuple(kind[name] for name in kinds): level_law(facts, kind) for kind in distinct}
    laws = sorted(set(of_kinds.values()), key=str)
    places = {kind: laws.index(law) for kind, law in of_kinds.items()}
    names = ("statistic_number", "one", "other", "draws", "noisy_count", "chosen_counts")
    one, other = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    draws: list[Counter[tuple[int, int, int]]] = [Counter() for _ in range(size)]  # by place of the law, and times
    chosen: list[list[tuple[tuple[int, int, int], list[int]]]] = [[] for _ in range(size)]
    listed = zip(
        zip(*(terms[name].to_pylist() for name in kinds), strict=True),
        *(terms[name].to_pylist() for name in names),
        strict=True,
    )
    for kind, number, times, other_times, number_of_draws, noisy, counts in listed:
        key = places[kind], times, other_times
        one[number] += times * noisy
        other[number] += other_times * noisy
        draws[number][key] += number_of_draws
        if laws[key[0]][1] is not None:
            chosen[number].append((key, counts))
    known: dict[tuple[tuple[tuple[int, int, int], int], ...], Shape] = {}
    shapes = []
    for each in draws:
        ordered = tuple(sorted(each.items()))
        made = [Term(laws[law][0], times, others, many, laws[law][1]) for (law, times, others), many in ordered]
        shapes.append(known.setdefault(ordered, Shape(tuple(made), facts.is_clipped)) if ordered else None)
    counted = [[count for _, counts in sorted(each) for count in counts] for each in chosen]
    return Sums(shapes, one, other, counted)


def bins_of(rows: pa.Table) -> dict[int, Bins]:
    """The bins of quantiles. rows: statistic_number, bin_start, bin_end, noisy_count and deviation of single counts."""
    keys = ["statistic_number", "bin_start", "bin_end"]
    summed = rows.group_by(keys).aggregate([("noisy_count", "sum"), ("deviation", "sum")])
    ordered = summed.sort_by([(key, "ascending") for key in keys])
    found: dict[int, Bins] = {}
    names = (*keys, "noisy_count_sum", "deviation_sum")
    for number, first, last, count, deviation in zip(*(ordered[name].to_pylist() for name in names), strict=True):
        before = found.get(number, Bins((), [], []))
        edges = (*before.edges[:-1], first, last + 1)
        found[number] = Bins(edges, [*before.counts, count], [*before.deviations, deviation])
    return found


def evaluated(
    asked: Asked,
    counts: Sums | ReconciledSums,
    bins: Mapping[int, Bins],
    usable: Bools,
    level: Fraction,
    *,
    from_zero: bool = False,
) -> Intervals:
    """The estimates and intervals of the statistics that are usable; NaN for all others.

    Of a difference of ratios, each has half the chance to miss, and the place of the first has the p-value. from_zero:
    cut intervals of counts at 0. Source: accuracy.md sections 5 and 6.
    """
    size, half = len(asked.kinds), (1 + level) / 2
    found = Intervals(*(np.full(size, np.nan) for _ in range(4)))
    is_half, numbers = np.zeros(size, dtype=np.bool_), np.full(size, -1, dtype=np.int64)  # places in `shapes`
    is_half[[*asked.firsts, *asked.seconds]] = True
    shapes: list[Shape] = []
    for places in _alike(asked, counts, bins, np.flatnonzero(usable), is_half):
        first = int(places[0])
        kind, own = asked.kinds[first], half if is_half[first] else level
        if kind != "quantile":
            put(found, places, _intervals(counts, kind, places, own), 0 if from_zero and kind == "count" else -np.inf)
        elif first in bins and len(bins[first].counts) > 1:
            put(
                found,
                places,
                _quantiles(counts, [bins[place] for place in places.tolist()], asked.shares[first], own, first),
            )
        if is_half[first] and isinstance(counts, Sums) and (shape := counts.counted(places[:1]).shape).is_as_drawn:
            numbers[places] = len(shapes)
            shapes.append(shape)
    if isinstance(counts, Sums):
        _put_equal_ratio_chances(found, asked, counts, numbers, shapes)
    return found


def _alike(
    asked: Asked, counts: Sums | ReconciledSums, bins: Mapping[int, Bins], places: Int64s, is_half: Bools
) -> Iterator[Int64s]:
    """The places of statistics of one kind whose counts have one shape, together."""
    found: dict[Hashable, list[int]] = {}
    for place in places.tolist():
        shape = id(counts.shapes[place]) if isinstance(counts, Sums) else None  # equal ones are the same
        edges = bins[place].edges if place in bins else None
        found.setdefault((asked.kinds[place], asked.shares[place], is_half[place], shape, edges), []).append(place)
    yield from (np.array(alike, dtype=np.int64) for alike in found.values())


def _intervals(counts: Sums | ReconciledSums, kind: str, places: Int64s, level: Fraction) -> Intervals:
    if isinstance(counts, Sums):
        return {"count": sums, "difference": differences, "ratio": ratios}[kind](counts.counted(places), level)
    one, other = (
        Reconciled(*(values[places] for values in (side.estimates, side.deviations, side.lows, side.highs)))
        for side in (counts.one, counts.other)
    )
    if kind == "count":
        return reconciled_counts(one, counts.definition, level)
    function = {"difference": reconciled_differences, "ratio": reconciled_ratios}[kind]
    return function(one, other, counts.definition, level)


def _quantiles(
    counts: Sums | ReconciledSums, bins: Sequence[Bins], share: Fraction | None, level: Fraction, place: int
) -> Intervals:
    """Quantiles of one share and the same bins. place: of one of them."""
    share, edges = share or Fraction(1, 2), np.array(bins[0].edges, dtype=np.int64)
    by_bin = np.array([each.counts for each in bins])
    if isinstance(counts, ReconciledSums):
        deviations = np.array([each.deviations for each in bins])
        return quantiles(share, by_bin, edges, reconciled_edge_margins(deviations, share, counts.definition, level))
    (term,) = counts.counted(np.array([place])).shape.terms
    size = by_bin.shape[1]
    return quantiles(share, by_bin, edges, edge_margins(term.law, term.draws // size, share, size, level))


def put(found: Intervals, places: Int64s, part: Intervals, least: float = -np.inf) -> None:
    """Put the intervals of some statistics, none of whose ends is below `least`, into the intervals of all."""
    found.estimates[places], found.p_values[places] = part.estimates, part.p_values
    found.lows[places], found.highs[places] = np.maximum(part.lows, least), np.maximum(part.highs, least)


def _put_equal_ratio_chances(
    found: Intervals, asked: Asked, counts: Sums, numbers: Int64s, shapes: Sequence[Shape]
) -> None:
    """Put the p-values of differences of ratios. numbers: places in `shapes`; -1 where there is no p-value."""
    chosen = (numbers[asked.firsts] >= 0) & (numbers[asked.seconds] >= 0)
    if chosen.any():
        first, second = (
            NoisyRatios(counts.one[places].astype(np.float64), counts.other[places].astype(np.float64), numbers[places])
            for places in (asked.firsts[chosen], asked.seconds[chosen])
        )
        found.p_values[asked.firsts[chosen]] = equal_ratio_chances(first, second, shapes)


def differences_of_ratios(asked: Asked, found: Intervals) -> Intervals:
    """Of each two ratios, the first less the second, in the order of `firsts`; with the p-values of the first."""
    first, second = (at(found, places) for places in (asked.firsts, asked.seconds))
    return replace(ratio_differences(first, second), p_values=first.p_values)


def at(found: Intervals, places: Int64s) -> Intervals:
    """The intervals of some statistics."""
    return Intervals(*(each[places] for each in (found.estimates, found.lows, found.highs, found.p_values)))
