"""The manifest of a bottom-up release: its spec, the law of its noise, its privacy loss; nothing about records."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.accounting.conversions import exact_json, secrecy_of_the_sample
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec
from safetab_sql.histograms.public.domains import Domain, Weight, size
from safetab_sql.histograms.public.ledger import HistogramLedger, histogram_ledger_json
from safetab_sql.histograms.published.calibration import LeftOut
from safetab_sql.public.about import about_json
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


def bottom_up_manifest(spec: BottomUpSpec, entries: HistogramLedger, *, delta: Fraction) -> dict[str, object]:
    """The manifest without `releasable`, the software and the date. delta: of the ledger's conversions."""
    references = {domain.reference.path: domain.reference for domain in spec.domains if domain.reference is not None}
    manifest: dict[str, object] = {
        "method": METHOD,
        "about": about_json(spec.about),
        "parameters": spec_json(spec),
        "public_inputs": {
            "spec": source_digests(spec.file),
            "references": [one for path in sorted(references) for one in source_digests(references[path])],
            "invariants": [one for invariant in spec.invariants for one in source_digests(invariant.file)],
        },
        "margins": [{"file": f"margins/{each.name}.parquet", "rows": each.rows} for each in spec.margins],
        "ledger": histogram_ledger_json(entries, delta=delta),
    }
    if spec.sampling_rate is not None:
        stated = secrecy_of_the_sample(entries.epsilon, spec.sampling_rate)
        manifest["secrecy_of_the_sample"] = {
            "sampling_rate": exact_json(spec.sampling_rate),
            "epsilon_upper_bound": stated.epsilon,
            "rule": "log(1 + sampling_rate (e^epsilon - 1))",
            "caveat": SECRECY,
        }
    if spec.invariants:
        manifest["calibration"] = {"guarantee": NOT_PRIVATE, "rule": CALIBRATION, "holds_if": HOLDS_IF}
    return manifest


def left_out_json(totals: Sequence[LeftOut], unit: Fraction) -> list[dict[str, object]]:
    """The totals that counts were not calibrated to, each with the noisy sum that it is too far from."""

    def number(units: int) -> int | float:
        return units if unit == 1 else float(units * unit)

    return [{"name": one.name, "total": number(one.total), "noisy_sum": number(one.noisy_sum)} for one in totals]


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
