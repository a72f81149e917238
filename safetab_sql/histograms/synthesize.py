"""Synthetic data, along a tree of pairs of fields (tree.py) or, here, from groups of fields, top to bottom.

Groups: count each group of fields, add noise, drop bins below the cut, draw rows. Like algorithm.py it passes exact
counts to the mechanisms and noisy counts to the publisher; it holds only that order.
Source: histograms.md section 4; Gardner 2019, who drew Laplace noise; this method draws its integer counterpart, the
two-sided geometric law, exactly.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.ledger import DELTA
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.accounting.right_to_draw import Bits
from safetab_sql.accounting.written import members_of
from safetab_sql.histograms.confidential.counts import CodedTable, ExactCells, coded_table, count_cells
from safetab_sql.histograms.mechanisms.cells import cells_above
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.ledger import HistogramCall, HistogramLedger, histogram_statement
from safetab_sql.histograms.public.records import Records
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec, load_synthesis_spec
from safetab_sql.histograms.public.tree_ledger import TreeSpending
from safetab_sql.histograms.published.sampling import default_rows
from safetab_sql.histograms.published.synthesis_manifest import CUT, group_files, spec_json, synthesis_manifest
from safetab_sql.histograms.published.synthetic import (
    NoisyHistogram,
    synthetic_schema,
    type_problems,
    value_types,
    write_histograms,
    write_rows,
)
from safetab_sql.histograms.tree import TreeRun, publish_along_tree
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.logarithm import least_multiple_of_log10
from safetab_sql.mechanisms.bits import BitSource, generator, system_bits
from safetab_sql.public.columns import known_types
from safetab_sql.public.sources import Source, partition_columns, stored_types
from safetab_sql.published.file_notes import histogram_notes
from safetab_sql.published.manifest import Made
from safetab_sql.published.new_release import NewRelease, new_release
from safetab_sql.settings.unit import RECORDS, Unit

CONTENTS = ("synthetic.parquet", "synthetic.csv", "histograms", "pairs", "manifest.json")
RowsFormat = Literal["parquet", "csv"]
_MOST_KEPT_BINS = 10**8  # empty bins of a group expected to pass the cut; with more, memory would run out


@dataclass(frozen=True, slots=True)
class SynthesisInputs:
    """The inputs that the user names.

    spec: the TOML file. data: a Parquet file, a glob or a folder, with one record in each row; None for the spec's
    private_data. seed: only for drawing rows, which comes after all noise. person_id: the column that holds the id of
    each person, if repeated ids are to be refused. epsilon: a decimal, in place of the spec's budget.
    """

    spec: str | Path
    data: str | Path | None = None
    seed: int = 0
    person_id: str | None = None
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
    """Folder `out` with synthetic.parquet, histograms/ and manifest.json, or nothing at all; along a tree also pairs/.

    format: "csv" writes synthetic.csv in its place, with commas. ledger_file, bits: as of `run`.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    """
    spec = load_synthesis_spec(Path(inputs.spec), inputs.epsilon, data=inputs.data, resources=resources)
    where = str(inputs.spec)
    plan = _group_plan(spec)
    problems = kept_bins_problems(plan, where) if spec.groups else []
    records = Records(_records(inputs.data, spec, where), inputs.person_id)
    with (
        new_release(out, CONTENTS, ledger_file, resources, generator(bits), overwrite=overwrite) as release,
        coded_table(records, spec.domains, resources, progress, problems=[*release.problems, *problems]) as table,
    ):
        schema = _checked_schema(spec.domains, table.source, where)
        run = TreeRun(spec, schema, inputs.seed, f"synthetic.{format}")
        if spec.groups:
            release.declare(spec_json(spec, inputs.seed), plan.ledger)
            _publish_groups(release, table, run, plan)
        else:
            release.declare(spec_json(spec, inputs.seed), TreeSpending(spec.budget, spec.records))
            publish_along_tree(release, table, run)
        return release.made


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The calls of the method of groups, and the least count that is kept of each. unit: what a record is."""

    calls: tuple[HistogramCall, ...]
    cuts: tuple[int, ...]
    unit: Unit = RECORDS

    @property
    def ledger(self) -> HistogramLedger:
        """What the calls spend."""
        return HistogramLedger(self.calls, unit=self.unit)


def _group_plan(spec: SynthesisSpec) -> GroupPlan:
    calls = tuple(HistogramCall(group.name, group.bins, group.epsilon) for group in spec.groups)
    return GroupPlan(calls, tuple(least_kept(spec.cut, call) for call in calls), spec.records)


def _publish_groups(release: NewRelease, table: CodedTable, run: TreeRun, plan: GroupPlan) -> None:
    """Complete the declared release with rows drawn from groups of fields. Source: histograms.md section 4."""
    spec = run.spec
    table.stage("counting the groups of fields")
    exact = [count_cells(table, group.domains) for group in spec.groups]
    table.stage("adding noise")
    bits = release.charge()
    histograms = [
        noisy_histogram(group.domains, call, cut, cells, bits)
        for group, call, cut, cells in zip(spec.groups, plan.calls, plan.cuts, exact, strict=True)
    ]
    table.stage("drawing rows")
    table.database.close()  # its memory is needed, and nothing below may see an exact count
    rows = spec.rows or default_rows([int(histogram.noisy_counts.sum()) for histogram in histograms])
    ledger = histogram_statement(plan.ledger, delta=DELTA)
    said = synthesis_manifest(spec, run.seed, ledger, rows)
    manifest = members_of(replace(said, cut=CUT, groups=group_files(histograms)))
    notes = histogram_notes(release.stamped(manifest), release.day)
    with release.published(manifest) as folder:
        write_rows(folder / run.rows_file, histograms, rows, run.schema, notes, seed=run.seed)
        write_histograms(folder / "histograms", histograms, notes)


def least_kept(cut: Fraction, call: HistogramCall) -> int:
    """The least noisy count that is kept: at least cut * scale * log10(bins), with scale 1 / epsilon, and at least 1.

    Exact: no float stands between the budget and the table. A count of 0 draws no row, kept or not.
    Source: histograms.md section 4.3.
    """
    return max(1, least_multiple_of_log10(cut / call.epsilon, call.cells))


def kept_bins_problems(plan: GroupPlan, where: str) -> list[Problem]:
    """The problems of groups with too many empty bins above the cut to hold in memory."""
    problems = []
    for call, cut in zip(plan.calls, plan.cuts, strict=True):
        expected = tail_bounds(call.law, cut - 1, 64)[1] * call.cells >> 64
        if expected > _MOST_KEPT_BINS:
            what = f"noise would lift about {expected:,} of the {call.cells:,} bins of {call.name} above the cut"
            problems.append(Problem(where, what, "raise cut, or take a field out of the group"))
    return problems


def noisy_histogram(
    domains: tuple[Domain, ...], call: HistogramCall, cut: int, exact: ExactCells, bits: BitSource
) -> NoisyHistogram:
    """The histogram of one group after noise and cut."""
    parts = list(cells_above((exact.cell_ids, exact.exact_counts), call.cells, call.law, cut - 1, bits))
    return NoisyHistogram(
        domains=domains,
        bins=call.cells,
        law=call.law,
        least_kept=cut,
        cell_ids=np.concatenate([part.cell_ids for part in parts]),
        noisy_counts=np.concatenate([part.noisy_counts for part in parts]),
    )


def _checked_schema(domains: Sequence[Domain], source: Source, where: str) -> pa.Schema:
    """The columns of the release, with the stored types of the input; text files hold text.

    No type depends on the records: every file must store a column with the same type. A column in the names of Hive
    folders, whose type is guessed from the folders that exist, gets the type of its domain; so does a column that every
    file stores with type null. Raises: InputError with every column that differs between files, or whose type cannot
    hold its domain.
    """
    text: Mapping[str, pa.DataType] = defaultdict(pa.string)
    files = [text] if source.is_text else stored_types(source, source.files)
    by_domain = value_types(domains)
    folders = frozenset[str]() if not source.is_parquet else partition_columns(source.files)
    kinds = {name: known_types([types[name] for types in files]) for name in by_domain if name not in folders}
    fix = "store it alike in every file: the synthetic rows have its type"
    differing = {name: ", ".join(sorted(map(str, types))) for name, types in kinds.items() if len(types) > 1}
    refuse([Problem(f"{source.given} [{name}]", f"stored as {types}", fix) for name, types in differing.items()])
    stored = by_domain | {name: one for name, (one,) in kinds.items() if not pa.types.is_null(one)}
    refuse(type_problems(domains, stored, where))
    return synthetic_schema(domains, stored)


def _records(data: str | Path | None, spec: SynthesisSpec, where: str) -> str | Path:
    """The data that the user named, or else the file in the spec. Raises: InputError if neither is given."""
    found = data or spec.private_data
    if found is None:
        raise InputError([Problem("--data", f"is missing, and {where} has no private_data", "name the Parquet file")])
    return found
