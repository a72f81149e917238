"""Synthetic rows along a tree, top to bottom: count fields, add noise, choose pairs, count them, add noise, draw rows.

Like algorithm.py it passes exact counts to the mechanisms and noisy counts to the publisher; it holds only that order.
Source: histograms.md section 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.ledger import DELTA
from safetab_sql.accounting.written import members_of
from safetab_sql.histograms.confidential.counts import CodedTable, count_cells
from safetab_sql.histograms.confidential.pairs import count_pairs, scores, table_counts
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.histograms.public.ledger import TreeCall, tree_statement
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec
from safetab_sql.histograms.public.tree_plan import ROWS_SHARE, TreePlan, shares, tree_plan
from safetab_sql.histograms.published.synthesis_manifest import synthesis_manifest
from safetab_sql.histograms.published.synthetic import write_tree_rows
from safetab_sql.histograms.published.tree_estimates import NoisyTree, estimated_tree, finest_bins, public_total
from safetab_sql.histograms.published.tree_fields import NoisyField
from safetab_sql.histograms.published.tree_files import tree_manifest, write_fields, write_pairs
from safetab_sql.histograms.published.tree_pairs import NoisyPair, PossibleTable, possible_tables
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.choice import exponential_choice
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.published.file_notes import histogram_notes
from safetab_sql.published.new_release import NewRelease


@dataclass(frozen=True, slots=True)
class TreeRun:
    """What a run along a tree is given. schema: of the published rows. seed: for drawing rows, after all noise.

    rows_file: the name of the file of rows, whose ending says its format.
    """

    spec: SynthesisSpec
    schema: pa.Schema
    seed: int
    rows_file: str


def publish_along_tree(release: NewRelease, table: CodedTable, run: TreeRun) -> None:
    """Complete the declared release: synthetic.parquet, histograms/, pairs/ and manifest.json."""
    table.stage("counting the fields")
    exact = [_dense(table, domain) for domain in run.spec.domains]
    table.stage("adding noise")
    bits = release.charge()
    plan, fields, counted = _noisy_fields(run, exact, bits)
    bins, finest = finest_bins(fields, public_total(fields, counted))
    pairs = _noisy_pairs(table, run, plan, (bins, finest), release.charge_tables()) if plan.most_pairs else []
    table.stage("drawing rows")
    table.database.close()  # its memory is needed, and nothing below may see an exact count
    noisy = NoisyTree(fields, counted, bins, tuple(pairs))
    tree = estimated_tree(noisy)
    rows = run.spec.rows or tree.rows
    ledger = tree_statement(plan, _calls(run, plan, noisy), run.spec.records, delta=DELTA)
    said = synthesis_manifest(run.spec, run.seed, ledger, rows)
    manifest = members_of(tree_manifest(said, run.spec, plan, noisy))
    notes = histogram_notes(release.stamped(manifest), release.day)
    with release.published(manifest) as folder:
        write_tree_rows(folder / run.rows_file, run.spec.domains, tree.branches, rows, run.schema, notes, seed=run.seed)
        write_fields(folder / "histograms", run.spec.domains, fields, notes)
        write_pairs(folder / "pairs", run.spec.domains, noisy, notes)


def chosen_tables(
    tables: Sequence[PossibleTable], found: Int64s, plan: TreePlan, bits: BitSource
) -> list[PossibleTable]:
    """Tables of pairs that form no circle, each drawn by the exponential mechanism from those that remain possible.

    found: the exact score of each table. At most plan.most_pairs are drawn; no table has the score 0, and ends it.
    """
    tree = list(range(len(plan.fields)))
    chosen: list[PossibleTable] = []
    while len(chosen) < plan.most_pairs:
        ends = [(tree[table.table.pair[0]], tree[table.table.pair[1]]) for table in tables]
        possible = np.array([place for place, (one, other) in enumerate(ends) if one != other], dtype=np.int64)
        place = exponential_choice(np.append(found[possible], 0), plan.choice_epsilon, bits)
        if place == possible.size:
            break
        chosen.append(tables[possible[place]])
        one, other = ends[possible[place]]
        tree = [one if root == other else root for root in tree]
    return chosen


def _dense(table: CodedTable, domain: Domain) -> Int64s:
    """The exact histogram of one field, empty values included: int64[values]."""
    cells = count_cells(table, (domain,))
    counts = np.zeros(size(domain), dtype=np.int64)
    counts[cells.cell_ids] = cells.exact_counts
    return counts


def _noisy_fields(
    run: TreeRun, exact: Sequence[Int64s], bits: BitSource
) -> tuple[TreePlan, tuple[NoisyField, ...], tuple[tuple[int, Law], ...]]:
    """The plan, the noisy histograms of the fields, and the noisy number of records, if the plan had to know it."""
    budget, sizes = run.spec.budget, [counts.size for counts in exact]
    if run.spec.rows:
        plan = tree_plan(budget, sizes, run.spec.rows, named_pairs=len(run.spec.pairs))
        counted: tuple[tuple[int, Law], ...] = ()
    else:
        part = budget.amount * ROWS_SHARE
        law = budget.law(part)
        number = int(add_noise(exact[0].sum(keepdims=True), law, bits)[0])
        plan = tree_plan(budget, sizes, max(1, number), counted_rows=part, named_pairs=len(run.spec.pairs))
        counted = ((number, law),)
    laws = [budget.law(part) for part in plan.fields]
    fields = [NoisyField(add_noise(counts, law, bits), law) for counts, law in zip(exact, laws, strict=True)]
    return plan, tuple(fields), counted


def _noisy_pairs(
    table: CodedTable,
    run: TreeRun,
    plan: TreePlan,
    published: tuple[Sequence[Int64s], Sequence[Floats]],
    bits: BitSource,
) -> list[NoisyPair]:
    """The noisy tables of the pairs that the spec names, or of those that are chosen.

    published: what `finest_bins` makes of the noisy fields.
    """
    bins, finest = published
    deviation = sqrt(variance(run.spec.budget.law(plan.tables / plan.most_pairs)))
    tables = possible_tables(finest, deviation, run.spec.pairs)
    table.stage("counting pairs of fields")
    counts = count_pairs(table, bins, run.spec.pairs)
    if not run.spec.pairs:
        table.stage("choosing pairs of fields")
        tables = chosen_tables(tables, scores((one.comparison for one in tables), counts), plan, bits)
    parts = shares(plan.tables, [one.table.cells for one in tables])
    noisy = []
    for one, part in zip(tables, parts, strict=True):
        law = run.spec.budget.law(part)
        noisy.append(NoisyPair(one.table, add_noise(table_counts(one.table, counts), law, bits), law))
    return noisy


def _calls(run: TreeRun, plan: TreePlan, noisy: NoisyTree) -> list[TreeCall]:
    """Everything that got noise, as the ledger lists it."""
    names = [domain.name for domain in run.spec.domains]
    calls = [TreeCall("number of records", 1, plan.counted_rows, law) for _, law in noisy.counted]
    calls += [
        TreeCall(name, field.noisy_counts.size, part, field.law)
        for name, field, part in zip(names, noisy.fields, plan.fields, strict=True)
    ]
    parts = shares(plan.tables, [pair.table.cells for pair in noisy.pairs])
    return calls + [
        TreeCall("+".join(names[place] for place in pair.table.pair), pair.table.cells, part, pair.law)
        for pair, part in zip(noisy.pairs, parts, strict=True)
    ]
