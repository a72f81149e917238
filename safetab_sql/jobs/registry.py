"""A release as a record for a public registry of deployments of differential privacy.

OpenDP's registry defines the fields (opendp/deployments-registry-data, in its form of 2026). What the
manifest knows is filled in. What only the publisher knows is left empty, and `open_fields` names it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.ledger_statement import distribution
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.accounting.written import decimal_text, members_of
from safetab_sql.jobs.describe import Description
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.published.file_notes import manifest_core_digest
from safetab_sql.release.facts import ReleaseFacts

Record = Mapping[str, Any]

_VARIANTS = {"zcdp": "Zero-concentrated DP", "puredp": "Pure DP"}
_STAGES = "A noisy total of each population group picks its table, whose counts get fresh noise."
_NO_FLOATS = (
    "Budgets are exact rational numbers. Noise is of whole numbers, and is drawn exactly: by inversion of its "
    "distribution function, and by rejection where that is too wide for a table, from random bits of the operating "
    "system, without floating-point numbers between a budget and a noisy count. Variances and margins of error are "
    "floating-point numbers, computed from the laws alone."
)
_NOT_SYSTEM = (
    "NOT RELEASABLE: the noise did not come from the random bits of the operating system, or totals of no release were "
    "used."
)
_PLATFORM = "Nothing protects against somebody who observes the memory, the disk or the running time of the machine."


def registry_record(release: Description) -> Record:
    """The record of a release. Texts that the manifest does not hold are empty."""
    facts, about = release.facts, release.facts.about
    title = about.title or ""
    return {
        "url_slug": _slug(f"{title} {about.publisher or ''} {facts.day[:4]}"),
        "deployment": {
            "basic": {
                "name": title,
                "data_curators": [{"data_curator_name": about.publisher or "", "data_curator_type": ""}],
                "description": about.note or "",
                "intended_use": "",
                "data_product_type": "Summary statistics",
                "data_product_region": "",
                "data_product_sector": "",
                "publication_date": facts.day,
            },
            "dp_variant": {
                "variant_name": _VARIANTS[facts.definition],
                "data_domain": "",
                "unprotected_quantities": _unprotected(facts),
            },
            "privacy_loss": _privacy_loss(facts),
            "deployment_model": {
                "model_name": "Central",
                "trust_assumptions": "The curator sees the records, and is trusted to run the software as it is.",
                "actors": "",
                "release_type": "One release",
                "release_type_details": "One run. Every other run on the same records adds its loss to this one.",
                "data_source_type": "Static",
                "access_type": "Non-interactive",
            },
            "implementation": _implementation(facts),
            "administrative": {"evidence_sources": {}, "status": "Draft", "registry_authors": [""], "tier": 3},
        },
    }


def open_fields(record: Any, place: str = "") -> Iterator[str]:
    """The places of a record that are empty: what only the publisher knows."""
    inside = record.items() if isinstance(record, Mapping) else enumerate(record) if isinstance(record, list) else ()
    for key, value in inside:
        yield from [f"{place}{key}"] if value in ("", {}) else open_fields(value, f"{place}{key}/")


def yaml_text(value: Any, indent: str = "") -> str:
    """A record as YAML: every text in quotes as in JSON, or, where it has several lines, as a block."""
    if isinstance(value, Mapping) and value:
        return "".join(f"{indent}{key}:{_below(each, indent)}" for key, each in value.items())
    if isinstance(value, list):
        return "".join(f"{indent}-{_below(each, indent)}" for each in value)
    return f"{json.dumps(value, ensure_ascii=False)}\n"


def _below(value: Any, indent: str) -> str:
    if isinstance(value, str) and "\n" in value:
        return " |\n" + "".join(f"{indent}  {line}\n" for line in value.splitlines())
    is_nested = isinstance(value, Mapping | list) and bool(value)
    return f"\n{yaml_text(value, f'{indent}  ')}" if is_nested else f" {yaml_text(value)}"


def _slug(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _privacy_loss(facts: ReleaseFacts) -> dict[str, object]:
    ledger, unit = facts.run.ledger.loss, facts.parameters.unit
    of = f"{unit.protected}{' in one part of the geography' if unit.person is None else ''}"
    name = ledger.budget_unit
    totals = [f"{part}: {name} {decimal_text(total)}" for part, total in ledger.totals.items() if total is not None]
    bounds = [
        f"{part}: epsilon at most {rounded_up(row.epsilon_upper_bound)} at delta {decimal_text(row.delta)}, by "
        f"{row.rule}"
        for part, rows in ledger.approximate_dp.items()
        if part in (ONE_RECORD, ONE_PERSON, "sum")
        for row in rows or ()
        if row.epsilon_upper_bound is not None
    ]
    return {
        "privacy_unit": f"{unit.holder[:1].upper()}{unit.holder[1:]}-level",
        "privacy_unit_details": " ".join(
            f"{text[:1].upper()}{text[1:]}." for text in (f"adjacent are {ledger.neighbours}", ledger.person_rule)
        ),
        "privacy_parameters": {name: float(decimal_text(ledger.of_record))},
        "privacy_parameters_details": _lines([f"The parameter bounds the loss of {of}.", *totals, *bounds]),
    }


def _unprotected(facts: ReleaseFacts) -> str:
    texts = [
        "No count of the records is published without noise.",
        f"Public by decision: the parameters, and {', '.join(facts.run.public_inputs)}.",
    ]
    if "totals" in facts.run.public_inputs:
        texts.append("Published totals of an earlier release pick the tables; its loss is not in this record.")
    return _lines(texts)


def _implementation(facts: ReleaseFacts) -> dict[str, str]:
    published, levels = facts.manifest.published, facts.levels
    digest = manifest_core_digest(members_of(facts.manifest))
    software = ", ".join(f"{name} {version}" for name, version in published.made.software.items())
    laws = sorted({distribution(call.law) for level in levels for call in level.calls.all})
    margins = [
        f"{level.name}: " + ", ".join(f"{call.statistic} ± {margin_of_error(call.law)}" for call in level.calls.all)
        for level in levels
    ]
    return {
        "preprocessing_and_hyperparameter_tuning": "",
        "mechanisms": _lines(
            [
                f"Noise: {', '.join(laws)}, of sensitivity 1 for each count (SafeTab).",
                *([_STAGES] if any(level.calls.stage_1 for level in levels) else []),
                _NO_FLOATS if published.releasable else _NOT_SYSTEM,
                _PLATFORM,
                f"Software: {software}.",
            ]
        ),
        "composition": _lines([facts.run.ledger.loss.composition, *sorted({level.stability_rule for level in levels})]),
        "post_processing": _lines(_post_processing(facts)),
        "justification": "",
        "utility": _lines(["95 % margins of error of one noisy count, by level and call:", *margins]),
        "additional_information": f"manifest_sha256 of its Parquet files: {digest}",
    }


def _post_processing(facts: ReleaseFacts) -> list[str]:
    limits = {level.name: level.suppression_threshold for level in facts.levels}
    left_out = {name: most for name, most in limits.items() if most is not None}
    shown = ", ".join(f"{name} {most}" for name, most in left_out.items())
    return [
        f"Noisy totals up to these are not published: {shown}." if left_out else "No total is left out.",
        *([] if not facts.is_clipped else ["Counts below 0 are published as 0."]),
        "Sums of published cells, and 95 % intervals.",
        *(["Least squares made the tables consistent."] if facts.reconciled is not None else []),
    ]


def _lines(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "\n".join(f"- {text}" for text in texts)
