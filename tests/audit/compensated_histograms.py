"""The noise of `bottom-up` and `synthesize` that publishes the same noisy counts of several tables of records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng

from safetab_sql.histograms.confidential.counts import coded_table, score
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec
from safetab_sql.histograms.public.domains import Domain, Weight, cell_count, decoded, strides
from safetab_sql.histograms.public.spending import HistogramCall
from safetab_sql.histograms.public.synthesis_spec import (
    ROWS_SHARE,
    BinnedTable,
    SynthesisSpec,
    TreePlan,
    shares,
    tree_plan,
)
from safetab_sql.histograms.published import tree
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import Law, variance
from safetab_sql.settings.unit import Unit
from tests.audit.compensation import (
    Choice,
    Counts,
    Draws,
    Noise,
    Sampled,
    Step,
    counts_at,
    is_likely,
    some_noise,
    union,
    with_lifted,
)

_STRETCH = 2**21  # cells
_MOST_CELLS = 2**25  # of a histogram whose every cell is drawn
Codes = Sequence[Int64s]  # of each field, the code of each record: int64[records] each
CellOf = Callable[[Codes], Int64s]  # the cell of each record in one histogram: int64[records]


@dataclass(frozen=True, slots=True)
class CodedRecords:
    """The counted records: the codes of each, in the order of the domains, and its weight. int64[records] each."""

    codes: tuple[Int64s, ...]
    weights: Int64s

    def counts(self, cell_of: CellOf) -> Counts:
        cells, owners = np.unique(cell_of(self.codes), return_inverse=True)
        counts = np.zeros(cells.size, dtype=np.int64)
        np.add.at(counts, owners.ravel(), self.weights)
        return cells, counts


def coded_records(data: str | Path, domains: tuple[Domain, ...], unit: Unit, weight: Weight | None) -> CodedRecords:
    """The records of `data` as codes. Raises: InputError with every problem of the records."""
    names = [f"code_{place}" for place, _ in enumerate(domains, start=1)]
    with coded_table(data, domains, Resources(threads=1), weight=weight, unit=unit) as table:
        rows = table.database.table("counted_codes", columns=[*names, "weight"])
    *codes, weights = (rows[name].to_numpy().astype(np.int64) for name in [*names, "weight"])
    return CodedRecords(tuple(codes), weights)


def cells_of(places: Sequence[int], steps: Sequence[int], codes: Codes) -> Int64s:
    """The cell of each record in the histogram over the fields at some places, with the strides of their codes."""
    found = np.zeros_like(codes[0])
    for place, step in zip(places, steps, strict=True):
        found += codes[place] * step
    return found


def _joined(table: BinnedTable, finest: Sequence[Int64s], codes: Codes) -> Int64s:
    """The cell of each record in a table of fields. finest: of each field, the finest bin of each code."""
    found = np.zeros_like(codes[0])
    for place, bins, number in zip(table.fields, table.bins, table.shape, strict=True):
        found = found * number + bins[finest[place][codes[place]]]
    return found


def made_up_records(domains: Sequence[Domain], unit: Unit, weight: Weight | None, people: int, seed: int) -> pa.Table:
    """Made-up records with permitted values, each as likely as another."""
    random, columns = default_rng(seed), dict[str, pa.Array]()
    for domain in domains:
        codes = random.integers(0, domain.listed_size, people)
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


def compensated_cells(spec: BottomUpSpec, tables: Sequence[CodedRecords]) -> Noise:
    """Of `bottom-up`."""
    return Noise(tuple(_histogram(spec.domains, spec.domains, spec.call, None, tables)))


def compensated_groups(spec: SynthesisSpec, tables: Sequence[CodedRecords]) -> Noise:
    """Of `synthesize` with groups of fields."""
    steps = list[Step]()
    for group in spec.groups:
        above = group.call.least_kept(spec.said.cut) - 1
        steps += _histogram(spec.domains, group.domains, group.call, above, tables)
    return Noise(tuple(steps))


def _histogram(
    domains: tuple[Domain, ...],
    own: Sequence[Domain],
    call: HistogramCall,
    above: int | None,
    tables: Sequence[CodedRecords],
) -> Iterator[Step]:
    """The noise on the histogram over some domains, in its order. above: as of `exceeding_bits`."""
    cells, random = cell_count(own), default_rng(0)
    tail = tail_bounds(call.law, above or 0, 64)[1] * (2 if above is None else 1)
    is_sparse = tail * 32 < 1 << 64
    if not is_sparse and cells > _MOST_CELLS:
        what = f"{cells:,} cells are too many to be replayed, each with its noise"
        raise InputError([Problem("audit replay", what, "try it with fewer values, or with a larger budget")])
    of = partial(cells_of, [domains.index(domain) for domain in own], strides(own))
    known = [table.counts(of) for table in tables]
    stretch = max(_STRETCH, (_STRETCH << 64) // tail) if is_sparse else _STRETCH
    ids = lifted = union(known)
    if is_sparse:
        ids, lifted = with_lifted(ids, 0, cells, random)
    for first in range(0, cells, stretch):
        end = min(first + stretch, cells)
        here = ids[slice(*np.searchsorted(ids, [first, end]))] if is_sparse else np.arange(first, end)
        noisy = counts_at(known[0], here) + some_noise(call.law, here.size, random)
        if is_sparse:
            is_lifted = np.isin(here, lifted)
            few = (above or 0) + 1 + np.arange(np.count_nonzero(is_lifted))
            noisy[is_lifted] = few if is_likely(call.law, above) else 0
            kept = noisy != 0 if above is None else noisy > above
            yield Sampled(call.name, call.law, of, above, first, end, here[kept], noisy[kept])
        yield Draws(call.name, call.law, of, here, noisy, True if is_sparse else None)


def compensated_tree(spec: SynthesisSpec, tables: Sequence[CodedRecords]) -> Noise:
    """Of `synthesize` along a tree: what a run of the first table is likely to publish."""
    first, random, budget = tables[0], default_rng(0), spec.budget
    sizes, rows, part, number = [domain.size for domain in spec.domains], spec.said.rows, Fraction(0), list[Draws]()
    if not rows:
        part = budget.amount * ROWS_SHARE
        number = [_drawn("number of records", budget.law(part), partial(cells_of, (), ()), 1, first, random)]
        rows = max(1, int(number[0].noisy[0]))
    plan = tree_plan(budget, sizes, rows, counted_rows=part)
    counted = [
        _drawn(domain.name, budget.law(share), partial(cells_of, (place,), (1,)), sizes[place], first, random)
        for place, (domain, share) in enumerate(zip(spec.domains, plan.fields, strict=True))
    ]
    steps: list[Step] = [*number, *counted]
    if plan.pairs.most:
        fields, records = (tuple(tree.NoisyField(each.noisy, each.law) for each in of) for of in (counted, number))
        finest, expected = tree.finest_bins(fields, records)
        deviation = sqrt(variance(budget.law(plan.pairs.tables / plan.pairs.most)))
        chosen = tree.possible_tables(expected, deviation)
        compared = [tree.compared_counts(one, tree.margins_of_pair(one, expected)) for one in chosen]
        against = [Against(one, of, tree.cost_of(one, deviation)) for one, of in zip(chosen, compared, strict=True)]
        choices, chosen = _choices(against, finest, plan, first)
        steps += choices
        noisy = list[tree.NoisyTable]()
        for one, share in zip(chosen, shares(plan.pairs.tables, [each.cells for each in chosen]), strict=True):
            drawn, made = _drawn_table(spec, one, budget.law(share), finest, (first, random))
            steps.append(drawn)
            noisy.append(made)
        if plan.triples.most:
            known = tree.estimated_pairs(tree.NoisyTree(fields, records, finest, tuple(noisy)))
            steps += _triples(spec, plan, known, (first, random))
    return Noise(tuple(steps))


def _triples(
    spec: SynthesisSpec, plan: TreePlan, known: tree.Estimates, drawing: tuple[CodedRecords, Generator]
) -> Iterator[Step]:
    """The best triple and its noisy table, one after the other; none where no score is above 0."""
    law = plan.budget.law(plan.triples.tables / plan.triples.most)
    deviation = sqrt(variance(law))
    tables = tree.possible_triples(known, deviation)
    for turn in range(1, 1 + plan.triples.most):
        possible = [table for table in tables if known.is_possible(table)]
        compared = [tree.compared_counts(table, known.margins(table)) for table in possible]
        costs = [tree.cost_of(table, deviation) for table in possible]
        scored = partial(_scores, list(map(Against, possible, compared, costs)), known.bins)
        best = int(np.append(scored(drawing[0]), 0).argmax())
        is_pure = plan.budget.definition == "puredp"
        yield Choice(f"choice {turn} of triples", plan.triples.choice_epsilon, is_pure, scored, best)
        if best == len(possible):
            return
        drawn, made = _drawn_table(spec, possible[best], law, known.bins, drawing)
        known = known.with_triple(made)
        yield drawn


def _drawn_table(
    spec: SynthesisSpec, table: BinnedTable, law: Law, finest: Sequence[Int64s], drawing: tuple[CodedRecords, Generator]
) -> tuple[Draws, tree.NoisyTable]:
    name = "+".join(spec.domains[place].name for place in table.fields)
    drawn = _drawn(name, law, partial(_joined, table, finest), table.cells, *drawing)
    return drawn, tree.NoisyTable(drawn.noisy.reshape(table.shape), law, table)


def _drawn(name: str, law: Law, of: CellOf, cells: int, first: CodedRecords, random: Generator) -> Draws:
    ids = np.arange(cells, dtype=np.int64)
    return Draws(name, law, of, ids, counts_at(first.counts(of), ids) + some_noise(law, cells, random))


class Against(NamedTuple):
    """A table that may be chosen, the counts that its own are compared with, and what noise takes from its score."""

    table: BinnedTable
    compared: Int64s
    cost: int


def _scores(tables: Sequence[Against], finest: Sequence[Int64s], records: CodedRecords) -> Int64s:
    found = []
    for table, compared, cost in tables:
        cells = counts_at(records.counts(partial(_joined, table, finest)), np.arange(table.cells))
        found.append(score(cells.reshape(table.shape), compared, cost))
    return np.array(found, dtype=np.int64)


def _choices(
    tables: Sequence[Against], finest: Sequence[Int64s], plan: TreePlan, first: CodedRecords
) -> tuple[list[Choice], list[BinnedTable]]:
    """The best of the tables of pairs, one after the other, that form no circle; none where no score is above 0."""
    roots, choices, chosen = list(range(len(plan.fields))), list[Choice](), list[BinnedTable]()
    is_pure = plan.budget.definition == "puredp"
    while len(chosen) < plan.pairs.most:
        ends = [(roots[one.table.fields[0]], roots[one.table.fields[1]]) for one in tables]
        possible = [place for place, (one, other) in enumerate(ends) if one != other]
        scored = partial(_scores, [tables[place] for place in possible], finest)
        best = int(np.append(scored(first), 0).argmax())
        choices.append(Choice(f"choice {len(choices) + 1} of pairs", plan.pairs.choice_epsilon, is_pure, scored, best))
        if best == len(possible):
            break
        chosen.append(tables[possible[best]].table)
        kept, joined = ends[possible[best]]
        roots = [kept if root == joined else root for root in roots]
    return choices, chosen
