"""Synthetic data along a tree of pairs and triples of fields, or from groups of fields, top to bottom.

Like algorithm.py it passes exact counts to the mechanisms and noisy counts to the publisher; it holds only that order.
Source: histograms.md sections 4 and 7; for groups Gardner 2019.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.conversions import members_of
from safetab_sql.accounting.ledger_file import Bits, LedgerFile
from safetab_sql.accounting.statement import noise_of
from safetab_sql.histograms.confidential.counts import (
    CodedTable,
    coded_table,
    count_cells,
    count_tables,
    score,
    table_counts,
)
from safetab_sql.histograms.mechanisms.cells import noisy_cells
from safetab_sql.histograms.public import spending
from safetab_sql.histograms.public.domains import Domain, columns_of
from safetab_sql.histograms.public.synthesis_spec import (
    ROWS_SHARE,
    BinnedTable,
    SynthesisSpec,
    TreePlan,
    load_synthesis_spec,
    shares,
    tree_plan,
)
from safetab_sql.histograms.published import manifests, sampling, tree
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.laws.noise import variance
from safetab_sql.mechanisms.bits import BitSource, generator, system_bits
from safetab_sql.mechanisms.draw import add_noise, exponential_choice
from safetab_sql.public.columns import known_types
from safetab_sql.public.gate import records_at
from safetab_sql.public.sources import Source, Told, hive_types, stored_types
from safetab_sql.published.file_notes import histogram_notes
from safetab_sql.published.manifest import MANIFEST, Made
from safetab_sql.published.new_release import NewRelease, new_release

CONTENTS = ("synthetic.parquet", "synthetic.csv", "histograms", "tables", MANIFEST)
RowsFormat = Literal["parquet", "csv"]


@dataclass(frozen=True, slots=True)
class SynthesisInputs:
    """The inputs that the user names.

    spec: the TOML file. data: a Parquet file, a glob or a folder, with one record in each row. seed: only for drawing
    rows, which comes after all noise. epsilon: a decimal, in place of the spec's budget.
    """

    spec: str | Path
    data: str | Path
    seed: int = 0
    epsilon: str | None = None


def synthesize(
    inputs: SynthesisInputs,
    out: str | Path,
    *,
    format: RowsFormat = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: Bits = system_bits,
) -> Made:
    """Folder `out` with synthetic.parquet, histograms/ and manifest.json, or nothing at all; along a tree also tables/.

    format: "csv" writes synthetic.csv in its place, with commas. ledger_file, bits: as of `run`. Raises: InputError
    with every problem of the input, or if the ledger's limit forbids the run; then nothing is written.
    """
    spec = load_synthesis_spec(Path(inputs.spec), inputs.epsilon, records_at(inputs.data))
    with (
        new_release(out, CONTENTS, ledger_file, resources, generator(bits), overwrite=overwrite) as release,
        coded_table(
            inputs.data, spec.domains, resources, progress, unit=spec.said.unit, problems=release.problems
        ) as table,
    ):
        schema = _checked_schema(spec.domains, table.source, str(inputs.spec))
        release.declare(manifests.synthesis_parameters(spec, inputs.seed), spec.budget)
        drawn = (_from_groups if spec.groups else _along_tree)(release, table, spec, inputs.seed)
        manifest = members_of(drawn.manifest)
        notes = histogram_notes(release.stamped(manifest), release.day)
        with release.published(manifest) as folder:
            sampling.write_rows(folder / f"synthetic.{format}", drawn.rows, schema, notes)
            for name, files in drawn.counts.items():
                sampling.write_counts(folder / name, files, notes)
        return release.made


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What is published. rows: columns of rows, block by block; they are drawn when read. counts: files, by folder."""

    manifest: manifests.SynthesizeRun
    rows: Iterator[sampling.Columns]
    counts: Mapping[str, Iterable[sampling.CountFile]]


def _checked_schema(domains: Sequence[Domain], source: Source, where: str) -> pa.Schema:
    """The columns of the release, with the stored types of the input; text files hold text.

    No type depends on the records: every file must store a column with the same type. A column in the names of Hive
    folders, whose type is guessed from the folders that exist, gets the type of its domain; so does a column that every
    file stores with type null. Raises: InputError with every column that differs between files, or whose type cannot
    hold its domain.
    """
    text: Mapping[str, pa.DataType] = defaultdict(pa.string)
    files = [text] if source.is_text else stored_types(source, source.files)
    folders = hive_types(source.files) if source.is_parquet else {}
    names = [name for name in columns_of(domains) if name not in folders]
    kinds = {name: known_types([types[name] for types in files]) for name in names}
    fix = "store it alike in every file: the synthetic rows have its type"
    differing = {name: ", ".join(sorted(map(str, types))) for name, types in kinds.items() if len(types) > 1}
    refuse([Problem(f"{source.given} [{name}]", f"stored as {types}", fix) for name, types in differing.items()])
    stored = {name: one for name, (one,) in kinds.items() if not (isinstance(one, Told) or pa.types.is_null(one))}
    return sampling.synthetic_schema(domains, stored, where)


def _from_groups(release: NewRelease, table: CodedTable, spec: SynthesisSpec, seed: int) -> _Drawn:
    """Noisy histograms of groups of fields, and rows drawn from them. Source: histograms.md section 4."""
    table.stage("counting the groups of fields")
    exact = [count_cells(table, group.domains) for group in spec.groups]
    table.stage("adding noise")
    bits = release.charge()
    histograms = []
    for group, cells in zip(spec.groups, exact, strict=True):
        call, cut = group.call, group.call.least_kept(spec.said.cut)
        parts = noisy_cells(cells, call.cells, call.law, bits, above=cut - 1)
        kept = map(np.concatenate, zip(*parts, strict=True))
        histograms.append(sampling.NoisyHistogram(group.domains, call.cells, call.law, cut, *kept))
    table.stage("drawing rows")
    table.database.close()  # nothing that follows may see an exact count
    rows = spec.said.rows or sampling.default_rows([int(histogram.noisy_counts.sum()) for histogram in histograms])
    return _Drawn(
        manifests.groups_manifest(spec, seed, rows, histograms),
        sampling.rows_of_groups(histograms, rows, seed=seed),
        {"histograms": map(sampling.kept_bins, histograms)},
    )


def _along_tree(release: NewRelease, table: CodedTable, spec: SynthesisSpec, seed: int) -> _Drawn:
    """Noisy fields, pairs and triples, and rows drawn along a tree of them. Source: histograms.md section 7."""
    table.stage("counting the fields")
    exact = []
    for domain in spec.domains:
        cells = count_cells(table, (domain,))
        exact.append(np.zeros(domain.size, dtype=np.int64))
        exact[-1][cells.cell_ids] = cells.exact_counts
    table.stage("adding noise")
    bits = release.charge()
    plan, fields, counted = _noisy_fields(spec, exact, bits)
    bins, finest = tree.finest_bins(fields, counted)
    pairs = _noisy_pairs(table, spec, plan, (bins, finest), bits) if plan.pairs.most else []
    known = tree.estimated_pairs(tree.NoisyTree(fields, counted, bins, tuple(pairs)))
    known, triples = _noisy_triples(table, plan, known, bits) if plan.triples.most else (known, [])
    table.stage("drawing rows")
    table.database.close()  # as with groups
    noisy = tree.NoisyTree(fields, counted, bins, (*pairs, *triples))
    rows = spec.said.rows or max(0, round(tree.record_total((*fields, *counted))))
    stated = spending.histogram_statement(spec.budget, _noises(spec, plan, noisy), plan.choices)
    histograms, tables = map(sampling.field_counts, spec.domains, fields), sampling.tree_counts(spec.domains, noisy)
    return _Drawn(
        manifests.tree_manifest(spec, seed, stated, rows, plan, noisy),
        sampling.rows_along_tree(spec.domains, sampling.branches(known), rows, seed=seed),
        {"histograms": histograms, "tables": tables},
    )


def chosen_tables(tables: Sequence[BinnedTable], found: Int64s, plan: TreePlan, bits: BitSource) -> list[BinnedTable]:
    """Tables of pairs that form no circle, each drawn by the exponential mechanism from those that remain possible.

    found: the exact score of each table. At most plan.pairs.most are drawn; no table has the score 0, and ends it.
    """
    trees = list(range(len(plan.fields)))  # of each field
    chosen: list[BinnedTable] = []
    while len(chosen) < plan.pairs.most:
        ends = [[trees[field] for field in each.fields] for each in tables]
        possible = np.array([place for place, (one, other) in enumerate(ends) if one != other], dtype=np.int64)
        place = exponential_choice(np.append(found[possible], 0), plan.pairs.choice_epsilon, bits)
        if place == possible.size:
            break
        chosen.append(tables[possible[place]])
        one, other = ends[possible[place]]
        trees = [one if joined == other else joined for joined in trees]
    return chosen


def _noisy_fields(
    spec: SynthesisSpec, exact: Sequence[Int64s], bits: BitSource
) -> tuple[TreePlan, tuple[tree.NoisyField, ...], tuple[tree.NoisyField, ...]]:
    """The plan, the noisy histograms of the fields, and the noisy number of records, if the plan had to know it."""
    budget, sizes, rows, part = spec.budget, [counts.size for counts in exact], spec.said.rows, Fraction(0)
    counted: tuple[tree.NoisyField, ...] = ()
    if not rows:
        part = budget.amount * ROWS_SHARE
        law = budget.law(part)
        counted = (tree.NoisyField(add_noise(exact[0].sum(keepdims=True), law, bits), law),)
        rows = max(1, int(counted[0].noisy_counts[0]))
    plan = tree_plan(budget, sizes, rows, counted_rows=part)
    laws = [budget.law(part) for part in plan.fields]
    fields = [tree.NoisyField(add_noise(counts, law, bits), law) for counts, law in zip(exact, laws, strict=True)]
    return plan, tuple(fields), counted


def _noisy_pairs(
    table: CodedTable,
    spec: SynthesisSpec,
    plan: TreePlan,
    published: tuple[Sequence[Int64s], Sequence[Floats]],
    bits: BitSource,
) -> list[tree.NoisyTable]:
    """The noisy tables of the pairs that are chosen. published: what `finest_bins` makes of the noisy fields."""
    bins, finest = published
    deviation = sqrt(variance(spec.budget.law(plan.pairs.tables / plan.pairs.most)))
    tables, every = tree.possible_tables(finest, deviation), [np.arange(expected.size) for expected in finest]
    pairs = [BinnedTable((one, other), (every[one], every[other])) for one, other in combinations(range(len(every)), 2)]
    table.stage("counting pairs of fields")
    counts = {one.fields: cells for one, cells in zip(pairs, count_tables(table, bins, pairs), strict=True)}
    table.stage("choosing pairs of fields")
    found = []
    for one in tables:
        compared = tree.compared_counts(one, tree.margins_of_pair(one, finest))
        found.append(score(table_counts(one, counts[one.fields]), compared, tree.cost_of(one, deviation)))
    tables = chosen_tables(tables, np.array(found, dtype=np.int64), plan, bits)
    noisy = []
    for one, part in zip(tables, shares(plan.pairs.tables, [one.cells for one in tables]), strict=True):
        law = spec.budget.law(part)
        noisy.append(tree.NoisyTable(add_noise(table_counts(one, counts[one.fields]), law, bits), law, one))
    return noisy


def _noisy_triples(
    table: CodedTable, plan: TreePlan, known: tree.Estimates, bits: BitSource
) -> tuple[tree.Estimates, list[tree.NoisyTable]]:
    """What is known with triples, and their noisy tables, each of which is drawn before the next one is chosen.

    Each is drawn by the exponential mechanism from the triples that join pairs which no triples join yet; no triple has
    the score 0, and ends it.
    """
    law = plan.budget.law(plan.triples.tables / plan.triples.most)
    deviation = sqrt(variance(law))
    tables = tree.possible_triples(known, deviation)
    table.stage("counting triples of fields")
    counts = count_tables(table, known.bins, tables)
    table.stage("choosing triples of fields")
    found, noisy = dict[int, int](), list[tree.NoisyTable]()
    while len(noisy) < plan.triples.most:
        possible = [place for place, one in enumerate(tables) if known.is_possible(one)]
        for place in [place for place in possible if place not in found]:
            compared = tree.compared_counts(tables[place], known.margins(tables[place]))
            found[place] = score(counts[place], compared, tree.cost_of(tables[place], deviation))
        of_possible = np.array([*(found[place] for place in possible), 0], dtype=np.int64)
        drawn = exponential_choice(of_possible, plan.triples.choice_epsilon, bits)
        if drawn == len(possible):
            break
        place = possible[drawn]
        noisy.append(tree.NoisyTable(add_noise(counts[place], law, bits), law, tables[place]))
        known = known.with_triple(noisy[-1])
    return known, noisy


def _noises(spec: SynthesisSpec, plan: TreePlan, noisy: tree.NoisyTree) -> list[spending.HistogramNoise]:
    """The noise of everything that got some, as the ledger lists it."""
    fields, most = [domain.name for domain in spec.domains], spec.said.unit.most_change
    tables = ["+".join(fields[place] for place in one.table.fields) for one in noisy.tables]
    names = [*["number of records" for _ in noisy.counted], *fields, *tables]
    pairs = [one.table.cells for one in noisy.tables if len(one.table.fields) == 2]
    triples = [plan.triples.tables / max(1, plan.triples.most)] * (len(noisy.tables) - len(pairs))
    parts = [*[plan.counted_rows for _ in noisy.counted], *plan.fields, *shares(plan.pairs.tables, pairs), *triples]
    return [
        spending.HistogramNoise(name, one.noisy_counts.size, noise_of(one.law, part, most))
        for name, one, part in zip(names, (*noisy.counted, *noisy.fields, *noisy.tables), parts, strict=True)
    ]
