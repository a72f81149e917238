"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.ledger import distribution
from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.accounting.written import decimal_text, members_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import sha256_of
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.published.file_notes import file_differences, manifest_core_digest
from safetab_sql.published.manifest import MANIFEST, SIGNATURE
from safetab_sql.release.facts import ReleaseFacts, release_facts
from safetab_sql.release.folder import read_manifest
from safetab_sql.release.signature import signature_problems
from safetab_sql.settings.about import About
from safetab_sql.settings.sums import Sum

_NOT_RELEASABLE = "no: other random bits than the system's, or totals that no release vouches for"


@dataclass(frozen=True, slots=True)
class Description:
    """A release, or what was made of one.

    run: of the ledger that made the manifest; None where no ledger was named. signed: whether a signature lies beside
    the manifest. verified: the file with the public key that made it; None where no file was named.
    """

    facts: ReleaseFacts
    run: str | None
    signed: bool = False
    verified: Path | None = None

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What the manifest of the run holds, also where its counts were reconciled."""
        return members_of(self.facts.manifest)

    @property
    def about(self) -> About:
        """Title, publisher, contact and note."""
        return self.facts.about

    @property
    def date(self) -> str:
        """The day of the run."""
        return self.facts.day

    @property
    def files(self) -> Mapping[str, str]:
        """SHA-256 of every file of the folder, by place."""
        return {file.file: file.sha256 for file in self.facts.files}

    @property
    def is_reconciled(self) -> bool:
        """Whether its counts were reconciled."""
        return self.facts.reconciled is not None


def describe(release: str | Path, *, ledger: str | Path | None = None, verify: str | Path | None = None) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    ledger: the custodian's, in which the digest of the manifest is looked for. verify: a file of public keys, one of
    which is to have signed the manifest. Raises: InputError where the folder holds no release, or a file that is not
    the one the manifest names, or where the ledger does not hold the manifest, or no such key signed it.
    """
    folder = Path(release)
    where = folder / MANIFEST
    facts = release_facts(read_manifest(where), where)
    keys = None if verify is None else Path(verify)
    unsigned = [] if keys is None else signature_problems(folder, keys, "--verify")
    refuse([*file_differences(folder, facts.files), *unsigned])
    run = None if ledger is None else _run_of(ledger, where)
    return Description(facts, run, (folder / SIGNATURE).is_file(), keys)


def _run_of(ledger: str | Path, manifest: Path) -> str:
    sha256 = sha256_of(manifest)
    found = next((each for each in read_charges(ledger) if each.manifest_sha256 == sha256), None)
    if found is None:
        what = f"is the manifest of no run that {ledger} holds as released"
        fix = "take the release as it was made, and the ledger of its custodian: a word of the manifest was changed, or"
        raise InputError([Problem(str(manifest), what, f"{fix} this is another ledger")])
    return found.run


def description_json(found: Description) -> dict[str, object]:
    """A release for programs, in the words of its manifest. files: SHA-256 by place."""
    facts = found.facts
    ledger, published = members_of(facts.run.ledger.loss), facts.manifest.published
    return {
        **asdict(found.about),
        "date": found.date,
        "releasable": published.releasable,
        "accounted": published.accounted,
        "run": found.run,
        "reconciled": found.is_reconciled,
        "signed": found.signed,
        "verified": found.verified is not None,
        **{name: ledger[name] for name in ("privacy_definition", "neighbours", "person_rule", "totals")},
        "levels": [level.name for level in facts.levels],
        "files": found.files,
    }


def _signed(found: Description) -> str:
    if found.verified is not None:
        return f"yes, by the owner of a key in {found.verified}"
    return "yes, by a key that was not checked: see describe --verify" if found.signed else "no"


def _accounted(found: Description) -> str:
    if not found.facts.manifest.published.accounted:
        return "no: in no ledger"
    if found.run is not None:
        return "yes, in a ledger of its custodian"
    return "the manifest says that it stands in a ledger: check it with describe --ledger"


def description_text(found: Description) -> str:
    """A release for people to read, one fact a line."""
    facts, about, ledger = found.facts, found.about, found.facts.run.ledger.loss
    said = {"title": about.title, "publisher": about.publisher, "contact": about.contact, "note": about.note}
    person, record = ledger.totals[ONE_PERSON], ledger.totals[ONE_RECORD]
    name = "compared" if record is None else "loss of a record"
    of_person = "unknown" if person is None else f"{ledger.budget_unit} {decimal_text(person)}"
    rows = [
        *((name, text) for name, text in said.items() if text),
        *([("records", "made up")] if about.is_simulated else []),
        ("day of the run", found.date),
        ("releasable", "yes" if facts.manifest.published.releasable else _NOT_RELEASABLE),
        ("accounted", _accounted(found)),
        *([] if found.run is None else [("in this ledger", f"yes, as run {found.run}")]),
        ("signed", _signed(found)),
        ("reconciled", "yes" if found.is_reconciled else "no"),
        ("loss of a person", f"{of_person}: {ledger.person_rule}"),
        (name, f"{ledger.budget_unit} {decimal_text(ledger.of_record)}: {ledger.neighbours}"),
        ("levels", ", ".join(level.name for level in facts.levels)),
        *(("added up", sums.words) for sums in _sums(facts)),
        ("files", f"{len(facts.files)}, all as the manifest says"),
    ]
    return aligned(rows)


# A release as a record for a public registry of deployments of differential privacy. What only the publisher knows is
# left empty, and `open_fields` names it.

Record = Mapping[str, Any]

_RECORD = Path(__file__).parent / "templates" / "registry.toml"
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
    title, publisher = about.title or "", about.publisher or ""
    record = tomllib.loads(_RECORD.read_text(encoding="utf-8"))
    record["url_slug"] = "-".join(re.findall(r"[a-z0-9]+", f"{title} {publisher} {facts.day[:4]}".lower()))
    basic = {"name": title, "description": about.note or "", "publication_date": facts.day}
    for section, known in {
        "basic": basic,
        "dp_variant": {"variant_name": _VARIANTS[facts.definition], "unprotected_quantities": _unprotected(facts)},
        "privacy_loss": _privacy_loss(facts),
        "implementation": _implementation(facts),
    }.items():
        record["deployment"][section] |= known
    record["deployment"]["basic"]["data_curators"][0]["data_curator_name"] = publisher
    return record


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
        "mechanisms": _lines(
            [
                f"Noise: {', '.join(laws)}, of sensitivity 1 for each count (SafeTab).",
                *(f"Of sensitivity {sums.clamp[1]} for each {sums.words}." for sums in _sums(facts)),
                *([_STAGES] if any(level.calls.stage_1 for level in levels) else []),
                _NO_FLOATS if published.releasable else _NOT_SYSTEM,
                _PLATFORM,
                f"Software: {software}.",
            ]
        ),
        "composition": _lines([facts.run.ledger.loss.composition, *sorted({level.stability_rule for level in levels})]),
        "post_processing": _lines(_post_processing(facts)),
        "utility": _lines(["95 % margins of error of one noisy count, by level and call:", *margins]),
        "additional_information": f"manifest_sha256 of its Parquet files: {digest}",
    }


def _sums(facts: ReleaseFacts) -> list[Sum]:
    return [ladder.sum for ladder in facts.parameters.ladders if ladder.sum is not None]


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
