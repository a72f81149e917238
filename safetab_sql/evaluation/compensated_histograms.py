"""The noise of `bottom-up` and `synthesize` that publishes the same noisy counts of several tables of records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa

from safetab_sql.evaluation.compensation import (
    Counts,
    changed_counts,
    choice_bits,
    counts_at,
    exceeding_bits,
    is_likely,
    law_cost,
    noise_bits,
    seeded,
    some_noise,
    union,
    with_lifted,
)
from safetab_sql.histograms.bottom_up import histogram_call
from safetab_sql.histograms.confidential.counts import coded_table, scores, table_counts
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec
from safetab_sql.histograms.public.domains import Domain, Weight, cell_count, decoded, listed_size, size, strides
from safetab_sql.histograms.public.ledger import HistogramCall
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec
from safetab_sql.histograms.public.tree_plan import ROWS_SHARE, BinnedPair, Comparison, Pair, shares, tree_plan
from safetab_sql.histograms.published.tree import NoisyField, finest_bins, possible_tables, public_total
from safetab_sql.histograms.synthesize import least_kept
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.quantiles import variance
from safetab_sql.settings.unit import Unit

_STRETCH = 2**21  # cells
_MOST_CELLS = 2**25  # of a histogram whose every cell is drawn


@dataclass(frozen=True, slots=True)
class CodedRecords:
    """The counted records: the code of each in each domain, and its weight. int64[records] each."""

    domains: tuple[Domain, ...]
    codes: tuple[Int64s, ...]
    weights: Int64s

    def cells(self, domains: Sequence[Domain]) -> Counts:
        """The cells with records of the histogram over some domains."""
        places = [self.domains.index(domain) for domain in domains]
        ids = np.zeros_like(self.weights)
        for place, stride in zip(places, strides(domains), strict=True):
            ids += self.codes[place] * stride
        cells, owners = np.unique(ids, return_inverse=True)
        counts = np.zeros(cells.size, dtype=np.int64)
        np.add.at(counts, owners, self.weights)
        return cells, counts

    def field(self, place: int) -> Int64s:
        """The records of each code of one domain."""
        return np.bincount(self.codes[place], minlength=size(self.domains[place])).astype(np.int64)

    def pairs(self, finest: Sequence[Int64s], named: Sequence[Pair]) -> dict[Pair, Int64s]:
        """The records of each pair of finest bins, of the named pairs or of all."""
        found = {}
        for one, other in named or combinations(range(len(self.codes)), 2):
            table = np.zeros([int(finest[place].max()) + 1 for place in (one, other)], dtype=np.int64)
            np.add.at(table, (finest[one][self.codes[one]], finest[other][self.codes[other]]), 1)
            found[one, other] = table
        return found


def coded_records(
    data: str | Path, domains: tuple[Domain, ...], unit: Unit, weight: Weight | None, resources: Resources
) -> CodedRecords:
    """The records of `data` as codes. Raises: InputError with every problem of the records."""
    names = [f"code_{place}" for place, _ in enumerate(domains, start=1)]
    with coded_table(data, domains, resources, weight=weight, unit=unit) as table:
        rows = table.database.table("counted_codes", columns=[*names, "weight"])
    *codes, weights = (rows[name].to_numpy().astype(np.int64) for name in [*names, "weight"])
    return CodedRecords(tuple(table.domains), tuple(codes), weights)


def made_up_records(domains: Sequence[Domain], unit: Unit, weight: Weight | None, people: int, seed: int) -> pa.Table:
    """Made-up records with permitted values, each as likely as another."""
    random, columns = seeded(seed), dict[str, pa.Array]()
    for domain in domains:
        codes = random.integers(0, listed_size(domain), people)
        starts = (
            {domain.columns[0]: pa.array(np.array([first for first, _ in domain.bins])[codes])} if domain.bins else {}
        )
        columns |= starts or decoded(domain, codes)
    if weight is not None:
        columns.setdefault(weight.column, pa.array(random.integers(0, weight.maximum + 1, people)))
    if unit.person is not None:
        named = random.integers(0, 1 + people // 3, people).tolist()
        columns.setdefault(unit.person, pa.array([f"P{number}" for number in named]))
    for name, _ in unit.keep.columns:
        columns.setdefault(name, pa.array(random.integers(0, people, people)))
    return pa.table(columns)


@dataclass(frozen=True, slots=True)
class _Histogram:
    """The noisy cells of one histogram, the same for every table. above: as of `exceeding_bits`. wanted: noisy cells.

    Of a histogram whose empty cells are sampled, those with records in some table and a few others.
    """

    domains: tuple[Domain, ...]
    call: HistogramCall
    above: int | None
    wanted: Counts
    is_sparse: bool

    def bits(self, records: CodedRecords) -> Iterator[bytes]:
        """What the noise on the cells of one table reads."""
        ids, noisy = self.wanted
        exact = counts_at(records.cells(self.domains), ids)
        tail = _tail(self.call.law, self.above)
        stretch = max(_STRETCH, (_STRETCH << 64) // tail) if self.is_sparse else _STRETCH
        for first in range(0, self.call.cells, stretch):
            end = min(first + stretch, self.call.cells)
            here = slice(*np.searchsorted(ids, [first, end]))
            drawn = exact[here] > 0 if self.is_sparse else np.ones(ids[here].size, bool)
            if self.is_sparse:
                counts = noisy[here]
                kept = ~drawn & (counts != 0 if self.above is None else counts > self.above)
                ranks = ids[here] - first - (np.cumsum(drawn) - drawn)
                empty = end - first - int(drawn.sum())
                yield exceeding_bits(self.call.law, self.above, empty, (ranks[kept], counts[kept]))
            yield noise_bits(self.call.law, (noisy[here] - exact[here])[drawn])


def _tail(law: Law, above: int | None) -> int:
    return tail_bounds(law, above or 0, 64)[1] * (2 if above is None else 1)


@dataclass(frozen=True, slots=True)
class CompensatedCells:
    """Noisy cells of histograms that do not depend on the table."""

    histograms: tuple[_Histogram, ...]

    def bits(self, records: CodedRecords) -> bytes:
        """What a run of these records reads to publish them."""
        return b"".join(made for each in self.histograms for made in each.bits(records))

    def costs(self, one: CodedRecords, other: CodedRecords) -> dict[str, Fraction]:
        """The loss of telling the two tables apart by them, by histogram, epsilon."""
        return {
            each.call.name: law_cost(
                each.call.law, changed_counts(one.cells(each.domains), other.cells(each.domains))[1]
            )
            for each in self.histograms
        }


def compensated_cells(spec: BottomUpSpec, tables: Sequence[CodedRecords]) -> CompensatedCells:
    """Of `bottom-up`."""
    return CompensatedCells((_histogram(spec.domains, histogram_call(spec), None, tables, 0),))


def compensated_groups(spec: SynthesisSpec, tables: Sequence[CodedRecords]) -> CompensatedCells:
    """Of `synthesize` with groups of fields."""
    made = []
    for place, group in enumerate(spec.groups):
        call = HistogramCall(group.name, group.bins, group.epsilon, spec.said.unit.bound(1, "puredp"))
        made.append(_histogram(group.domains, call, least_kept(spec.said.cut, call) - 1, tables, place))
    return CompensatedCells(tuple(made))


def _histogram(
    domains: tuple[Domain, ...], call: HistogramCall, above: int | None, tables: Sequence[CodedRecords], seed: int
) -> _Histogram:
    law, cells, random = call.law, cell_count(domains), seeded(seed)
    is_sparse = _tail(law, above) * 32 < 1 << 64
    if not is_sparse and cells > _MOST_CELLS:
        what = f"{cells:,} cells are too many to be replayed, each with its noise"
        raise InputError([Problem("audit replay", what, "try it with fewer values, or with a larger budget")])
    known = [table.cells(domains) for table in tables]
    ids, lifted = np.arange(cells, dtype=np.int64), np.empty(0, dtype=np.int64)
    if is_sparse:
        ids, lifted = with_lifted(union(known), 0, cells, random)
    noisy = counts_at(known[0], ids) + some_noise(law, ids.size, random)
    is_lifted = np.isin(ids, lifted)
    noisy[is_lifted] = (above or 0) + 1 + np.arange(lifted.size) if is_likely(law, above) else 0
    return _Histogram(domains, call, above, (ids, noisy), is_sparse)


@dataclass(frozen=True, slots=True)
class _Choice:
    """One choice of a pair: the tables it is made from, by place, and the one that is chosen; the last is none."""

    possible: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class CompensatedTree:
    """Noisy fields, choices and tables of pairs of `synthesize` along a tree, the same for every table of records.

    number: noisy records and their law, if these are counted. tables: what choices are made from; the tables of pairs
    that get noise, by their places, in `pairs`.
    """

    spec: SynthesisSpec
    number: tuple[int, Law] | None
    fields: tuple[NoisyField, ...]
    finest: tuple[Int64s, ...]
    tables: tuple[Comparison, ...]
    choice_epsilon: Fraction
    choices: tuple[_Choice, ...]
    pairs: tuple[tuple[BinnedPair, Law, Int64s], ...]

    def bits(self, records: CodedRecords) -> bytes:
        """What a run of these records reads to publish them."""
        made = []
        if self.number is not None:
            number, law = self.number
            made.append(noise_bits(law, np.array([number - records.weights.size])))
        made += [noise_bits(one.law, one.noisy_counts - records.field(at)) for at, one in enumerate(self.fields)]
        counts = records.pairs(self.finest, self.spec.pairs) if self.tables else {}
        made += [choice_bits(_with_none(found), self.choice_epsilon, at) for found, at in self._scores(counts)]
        for table, law, noisy in self.pairs:
            made.append(noise_bits(law, noisy - table_counts(table, counts).ravel()))
        return b"".join(made)

    def costs(self, one: CodedRecords, other: CodedRecords) -> dict[str, Fraction]:
        """The loss, in rho or epsilon, of telling the two tables of records apart by them, by histogram and choice."""
        costs = dict[str, Fraction]()
        if self.number is not None:
            costs["number of records"] = law_cost(self.number[1], np.array([one.weights.size - other.weights.size]))
        for place, (domain, field) in enumerate(zip(self.spec.domains, self.fields, strict=True)):
            costs[domain.name] = law_cost(field.law, one.field(place) - other.field(place))
        counts = [records.pairs(self.finest, self.spec.pairs) if self.tables else {} for records in (one, other)]
        for turn, ((found, _), (others, _)) in enumerate(zip(*map(self._scores, counts), strict=True), start=1):
            loss = self.choice_epsilon * int(np.abs(found - others).max(initial=0))
            is_pure = self.spec.said.budget.definition == "puredp"
            costs[f"choice {turn} of a pair"] = loss if is_pure else loss**2 / 8
        for table, law, _ in self.pairs:
            changes = (table_counts(table, counts[0]) - table_counts(table, counts[1])).ravel()
            costs["+".join(self.spec.domains[place].name for place in table.pair)] = law_cost(law, changes)
        return costs

    def _scores(self, counts: Mapping[Pair, Int64s]) -> Iterator[tuple[Int64s, int]]:
        """The scores of what each choice is made from, and what is chosen."""
        found = scores(self.tables, counts) if self.choices else np.empty(0, dtype=np.int64)
        for choice in self.choices:
            yield found[list(choice.possible)], choice.place


def _with_none(found: Int64s) -> Int64s:
    return np.append(found, 0)


def compensated_tree(spec: SynthesisSpec, tables: Sequence[CodedRecords]) -> CompensatedTree:
    """Of `synthesize` along a tree: what a run of the first table is likely to publish."""
    first, random, budget = tables[0], seeded(0), spec.said.budget
    sizes, rows, number = [size(domain) for domain in spec.domains], spec.said.rows, None
    part = Fraction(0)
    if not rows:
        part = budget.amount * ROWS_SHARE
        law = budget.law(part)
        number = (first.weights.size + int(some_noise(law, 1, random)[0]), law)
        rows = max(1, number[0])
    plan = tree_plan(budget, sizes, rows, counted_rows=part, named_pairs=len(spec.pairs))
    laws = [budget.law(each) for each in plan.fields]
    fields = tuple(
        NoisyField(first.field(place) + some_noise(law, sizes[place], random), law) for place, law in enumerate(laws)
    )
    finest, expected = finest_bins(fields, public_total(fields, () if number is None else (number,)))
    possible, choices, chosen = list[Comparison](), list[_Choice](), list[Comparison]()
    if plan.most_pairs:
        deviation = sqrt(variance(budget.law(plan.tables / plan.most_pairs)))
        possible = chosen = possible_tables(expected, deviation, spec.pairs)
        counts = first.pairs(finest, spec.pairs)
        if not spec.pairs:
            choices, chosen = _choices(possible, scores(possible, counts), plan.most_pairs)
    pairs = []
    for one, share in zip(chosen, shares(plan.tables, [one.table.cells for one in chosen]), strict=True):
        exact, law = table_counts(one.table, counts).ravel(), budget.law(share)
        pairs.append((one.table, law, exact + some_noise(law, exact.size, random)))
    return CompensatedTree(
        spec, number, fields, finest, tuple(possible), plan.choice_epsilon, tuple(choices), tuple(pairs)
    )


def _choices(tables: Sequence[Comparison], found: Int64s, most: int) -> tuple[list[_Choice], list[Comparison]]:
    """The best of the tables, one after the other, that form no circle; none where no score is above 0."""
    roots: dict[int, int] = {}
    choices: list[_Choice] = []
    chosen: list[Comparison] = []
    while len(chosen) < most:
        ends = [tuple(roots.get(field, field) for field in one.table.pair) for one in tables]
        possible = tuple(place for place, (one, other) in enumerate(ends) if one != other)
        best = int(_with_none(found[list(possible)]).argmax())
        choices.append(_Choice(possible, best))
        if best == len(possible):
            break
        chosen.append(tables[possible[best]])
        kept, joined = ends[possible[best]]
        fields = {field for one in tables for field in one.table.pair}
        roots |= {field: kept for field in fields if roots.get(field, field) == joined}
    return choices, chosen
