"""The manifest of a bottom-up release: its spec, the law of its noise, its privacy loss; nothing about records."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.accounting.conversions import exact_json, secrecy_of_the_sample
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec
from safetab_sql.histograms.public.domains import Domain, Weight, size
from safetab_sql.histograms.public.ledger import HistogramLedger, histogram_statement
from safetab_sql.histograms.published.calibration import LeftOut
from safetab_sql.histograms.published.manifest_models import (
    BottomUpRun,
    Calibration,
    MarginFile,
    Secrecy,
    TotalLeftOut,
)
from safetab_sql.published.manifest import source_digests

METHOD = "bottom-up two-sided geometric histogram"
NOT_PRIVATE = "not formally differentially private with respect to the invariants"
HOLDS_IF = (
    "VARIANCE and MOE95 cover noise alone: where counts were calibrated, they hold if the public totals are true of "
    "the data. A total farther from the noisy sum of its cells than noise can explain was left out"
)
CALIBRATION = (
    "least squares: what is missing to a total is spread evenly over its cells, in whole numbers; cells without a "
    "total stay as they are; VARIANCE and MOE95 are of what that leaves of the noise"
)
SECRECY = (
    "neighbours are populations that differ by one record, and every record is in the secret sample with the sampling "
    "rate as its chance, independently of all others; a sample of fixed size is none: there one record takes the place "
    "of another. Whoever is known to be in the sample is protected by the ledger's epsilon alone; releases from one "
    "sample compose before they are amplified, so a ledger file enters epsilon"
)


def bottom_up_manifest(
    spec: BottomUpSpec, entries: HistogramLedger, left_out: Sequence[LeftOut] | None, *, delta: Fraction
) -> BottomUpRun:
    """The manifest. left_out: totals that counts were not calibrated to, where any were given. delta: of the ledger."""
    references = {domain.reference.path: domain.reference for domain in spec.domains if domain.reference is not None}
    return BottomUpRun(
        command="bottom-up run",
        method=METHOD,
        about=spec.about,
        parameters=spec_json(spec),
        public_inputs={
            "spec": source_digests(spec.file),
            "references": tuple(one for path in sorted(references) for one in source_digests(references[path])),
            "invariants": tuple(one for invariant in spec.invariants for one in source_digests(invariant.file)),
        },
        margins=tuple(MarginFile(f"margins/{each.name}.parquet", each.rows) for each in spec.margins),
        ledger=histogram_statement(entries, delta=delta),
        secrecy_of_the_sample=None if spec.sampling_rate is None else _secrecy(entries.epsilon, spec.sampling_rate),
        calibration=Calibration(NOT_PRIVATE, CALIBRATION, HOLDS_IF) if spec.invariants else None,
        totals_left_out=None if left_out is None else tuple(_left_out(each, spec.unit) for each in left_out),
    )


def _secrecy(epsilon: Fraction, rate: Fraction) -> Secrecy:
    return Secrecy(rate, secrecy_of_the_sample(epsilon, rate), "log(1 + sampling_rate (e^epsilon - 1))", SECRECY)


def _left_out(total: LeftOut, unit: Fraction) -> TotalLeftOut:
    """A total that counts were not calibrated to, with the noisy sum that it is too far from."""
    numbers = (units if unit == 1 else float(units * unit) for units in (total.total, total.noisy_sum))
    return TotalLeftOut(total.name, *numbers)


def spec_json(spec: BottomUpSpec) -> dict[str, object]:
    """The spec, with every rational exact; for long lists of values, only their number."""
    return {
        "epsilon": exact_json(spec.epsilon),
        "weight": None if spec.weight is None else _weight_json(spec.weight),
        "sampling_rate": None if spec.sampling_rate is None else exact_json(spec.sampling_rate),
        "publish_cells": spec.publish_cells,
        "domains": domains_json(spec.domains),
        "margins": {each.name: list(each.columns) for each in spec.margins},
        "invariants": [
            {"columns": list(each.columns), "totals": each.file.path.name, "total_column": each.total_column}
            for each in spec.invariants
        ],
    }


def _weight_json(weight: Weight) -> dict[str, object]:
    """The column of weights and its largest value; the unit where it is not 1."""
    if weight.unit == 1:
        return {"column": weight.column, "maximum": weight.maximum}
    maximum = exact_json(weight.maximum * weight.unit)
    return {"column": weight.column, "maximum": maximum, "unit": exact_json(weight.unit)}


def domains_json(domains: Sequence[Domain]) -> list[dict[str, object]]:
    """The domains, with the number of values of each in place of the values."""
    return [
        {
            "name": domain.name,
            "columns": list(domain.columns),
            "size": size(domain),
            "null": domain.has_null,
            "other": None if domain.other is None else list(domain.other),
            "reference": None if domain.reference is None else domain.reference.path.name,
        }
        for domain in domains
    ]
