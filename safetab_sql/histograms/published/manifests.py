"""The manifests of `bottom-up run` and `synthesize run`: models, which make the JSON Schemas, and what fills them.

That is the specification, the laws of the noise and the privacy loss; nothing about records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from safetab_sql.accounting.conversions import Exact, exact_json, secrecy_of_the_sample
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.spending import NOT_PRIVATE, StatedHistograms, histogram_statement
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec, TreePlan
from safetab_sql.histograms.published.calibration import NoisyCells, TotalLeftOut
from safetab_sql.histograms.published.sampling import NoisyHistogram
from safetab_sql.histograms.published.tree import NoisyTree
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.words import said, words
from safetab_sql.published.manifest import Digests, Published, source_digests
from safetab_sql.settings.about import About
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.tables import INLINE, table

_BOTTOM_UP = "bottom-up two-sided geometric histogram"


def _says(name: str) -> str:
    """What manifests say of a method, in the words of words.toml."""
    return said(words(Path(__file__).parent / "words.toml")[name], {})


@table
class MarginFile:
    """The file of a margin."""

    file: str
    rows: int


@table
class Secrecy:
    """The loss of records that are a secret sample."""

    sampling_rate: Exact
    epsilon_upper_bound: float
    rule: str
    caveat: str


@table
class Calibration:
    """What was done to the counts to agree with public totals."""

    guarantee: str
    rule: str
    holds_if: str


@table
class BottomUpRun:
    """What a histogram says of itself. parameters: its specification."""

    command: Literal["bottom-up run"]
    method: str
    about: About
    parameters: Mapping[str, Any]
    public_inputs: Mapping[Literal["spec", "references", "invariants"], Digests]
    margins: tuple[MarginFile, ...]
    ledger: StatedHistograms
    secrecy_of_the_sample: Secrecy | None = None
    calibration: Calibration | None = None
    totals_left_out: tuple[TotalLeftOut, ...] | None = None
    withheld: str | None = None


@table
class BottomUpManifest:
    """The manifest of `bottom-up run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[BottomUpRun, INLINE]


@table
class GroupFile:
    """The histogram of a group of fields. Counts below least_kept became 0; noisy_total is of the rest."""

    file: str
    fields: tuple[str, ...]
    bins: int
    least_kept: int
    kept_bins: int
    noisy_total: int


@table
class FieldFile:
    """The histogram of a field."""

    file: str
    field: str
    values: int


@table
class TableFile:
    """The table of a pair or of a triple of fields. bins: of each field."""

    file: str
    fields: tuple[str, ...]
    bins: tuple[int, ...]


@table
class SynthesizeRun:
    """What synthetic rows say of themselves. parameters: their specification.

    cut, groups: of rows drawn from groups of fields; what follows, of rows drawn along a tree. rows_planned: that the
    budget was divided for.
    """

    command: Literal["synthesize run"]
    method: str
    about: About
    noise: str
    sampling: str
    price: str
    parameters: Mapping[str, Any]
    public_inputs: Mapping[Literal["spec", "named_in_it"], Digests]
    ledger: StatedHistograms
    rows: int
    cut: str | None = None
    groups: tuple[GroupFile, ...] | None = None
    pairs: str | None = None
    triples: str | None = None
    estimates: str | None = None
    rows_planned: int | None = None
    fields: tuple[FieldFile, ...] | None = None
    tables: tuple[TableFile, ...] | None = None


@table
class SynthesisManifest:
    """The manifest of `synthesize run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[SynthesizeRun, INLINE]


def bottom_up_manifest(spec: BottomUpSpec, noisy: NoisyCells, rows: Sequence[Int64s]) -> BottomUpRun:
    """The manifest of a histogram. rows: of each margin, that are published."""
    references, rate = sorted(spec.references, key=lambda one: one.path), spec.said.sampling_rate
    return BottomUpRun(
        command="bottom-up run",
        method=_BOTTOM_UP,
        about=spec.said.about,
        parameters=bottom_up_parameters(spec),
        public_inputs={
            "spec": source_digests(spec.file),
            "references": tuple(one for each in references for one in source_digests(each)),
            "invariants": tuple(one for invariant in spec.invariants for one in source_digests(invariant.file)),
        },
        margins=tuple(
            MarginFile(f"margins/{each.name}.parquet", own.size) for each, own in zip(spec.margins, rows, strict=True)
        ),
        ledger=histogram_statement(spec.budget),
        secrecy_of_the_sample=None
        if rate is None
        else Secrecy(rate, secrecy_of_the_sample(spec.said.epsilon, rate), _says("amplified"), _says("secrecy")),
        calibration=Calibration(NOT_PRIVATE, _says("calibration"), _says("holds_if")) if spec.invariants else None,
        totals_left_out=noisy.left_out,
        withheld=None if noisy.is_withheld is None else _says("withheld"),
    )


def bottom_up_parameters(spec: BottomUpSpec) -> dict[str, object]:
    """The spec, with every rational exact; for long lists of values, only their number."""
    weight: dict[str, object] | None = None
    if spec.weight is not None:
        weight = {"column": spec.weight.column, "maximum": spec.weight.maximum}
        if (unit := spec.weight.unit) != 1:
            weight |= {"maximum": exact_json(spec.weight.maximum * unit), "unit": exact_json(unit)}
    return {
        "epsilon": exact_json(spec.said.epsilon),
        "weight": weight,
        "sampling_rate": None if spec.said.sampling_rate is None else exact_json(spec.said.sampling_rate),
        "publish_cells": spec.said.publish_cells,
        "domains": domains_json(spec.domains),
        "margins": {each.name: list(each.columns) for each in spec.margins},
        "invariants": [
            {"columns": list(each.columns), "totals": each.file.path.name, "total_column": each.total_column}
            for each in spec.invariants
        ],
        **({} if spec.said.unit.person is None else {"unit": asdict(spec.said.unit)}),
    }


def domains_json(domains: Sequence[Domain]) -> list[dict[str, object]]:
    """The domains, with the number of values of each in place of the values."""
    return [
        {
            "name": domain.name,
            "columns": list(domain.columns),
            "size": domain.size,
            "null": domain.null,
            "other": None if domain.other is None else list(domain.other),
            "reference": None if domain.reference is None else Path(domain.reference).name,
        }
        for domain in domains
    ]


def groups_manifest(spec: SynthesisSpec, seed: int, rows: int, histograms: Sequence[NoisyHistogram]) -> SynthesizeRun:
    """The manifest of rows drawn from groups of fields: of each, its file, its cut, and the total after the cut."""
    files = tuple(
        GroupFile(
            file=f"histograms/{number}.parquet",
            fields=tuple(domain.name for domain in histogram.domains),
            bins=histogram.bins,
            least_kept=histogram.least_kept,
            kept_bins=int(histogram.cell_ids.size),
            noisy_total=int(histogram.noisy_counts.sum()),
        )
        for number, histogram in enumerate(histograms, start=1)
    )
    said = _of_synthesis("groups", spec, seed, histogram_statement(spec.budget), rows)
    return replace(said, noise=_says("departure"), cut=_says("cut"), groups=files)


def tree_manifest(
    spec: SynthesisSpec, seed: int, ledger: StatedHistograms, rows: int, plan: TreePlan, noisy: NoisyTree
) -> SynthesizeRun:
    """The manifest of rows drawn along a tree, with the file of each field and each table."""
    fields = tuple(
        FieldFile(f"histograms/{number}.parquet", domain.name, field.noisy_counts.size)
        for number, (domain, field) in enumerate(zip(spec.domains, noisy.fields, strict=True), start=1)
    )
    tables = tuple(
        TableFile(
            f"tables/{number}.parquet", tuple(spec.domains[place].name for place in one.table.fields), one.table.shape
        )
        for number, one in enumerate(noisy.tables, start=1)
    )
    return replace(
        _of_synthesis("tree", spec, seed, ledger, rows),
        estimates=_says("estimates"),
        pairs=_says("chosen_pairs"),
        triples=_says("chosen_triples") if plan.triples.most else None,
        rows_planned=plan.rows,
        fields=fields,
        tables=tables,
    )


def _of_synthesis(kind: str, spec: SynthesisSpec, seed: int, ledger: StatedHistograms, rows: int) -> SynthesizeRun:
    """What both kinds of synthetic rows fill alike: of groups, or of a tree."""
    return SynthesizeRun(
        command="synthesize run",
        method=_says(f"of_{kind}"),
        about=spec.said.about,
        noise="two-sided geometric" if spec.budget.definition == "puredp" else "discrete Gaussian",
        sampling=_says(f"sampling_of_{kind}"),
        price=_says(f"price_of_{kind}"),
        parameters=synthesis_parameters(spec, seed),
        public_inputs={
            "spec": source_digests(spec.file),
            "named_in_it": tuple(one for each in spec.references for one in source_digests(each)),
        },
        ledger=ledger,
        rows=rows,
    )


def synthesis_parameters(spec: SynthesisSpec, seed: int) -> dict[str, object]:
    """The spec and the seed, with every rational exact; nothing about the private file, not even its name."""
    shared: dict[str, object] = {
        UNITS[spec.budget.definition]: exact_json(spec.budget.amount),
        "rows": spec.said.rows,
        "seed": seed,
        "domains": domains_json(spec.domains),
        **({} if spec.said.unit.person is None else {"unit": asdict(spec.said.unit)}),
    }
    if not spec.groups:
        return shared
    groups = [
        {"fields": [domain.name for domain in group.domains], "epsilon": exact_json(group.call.epsilon)}
        for group in spec.groups
    ]
    return shared | {"cut": exact_json(spec.said.cut), "groups": groups}
