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
from safetab_sql.kit.templates import filled, printed
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.published.file_notes import file_differences, manifest_core_digest
from safetab_sql.published.manifest import MANIFEST, SIGNATURE
from safetab_sql.release.facts import ReleaseFacts, release_facts
from safetab_sql.release.folder import read_manifest
from safetab_sql.release.signature import signature_problems
from safetab_sql.settings.about import About
from safetab_sql.settings.sums import Sum


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


def description_text(found: Description) -> str:
    """A release for people to read, one fact a line."""
    ledger, published = found.facts.run.ledger.loss, found.facts.manifest.published
    values = {"found": found, "ledger": ledger, "published": published, "sums": _sums(found.facts)}
    of = {"person": ledger.totals[ONE_PERSON], "record": ledger.totals[ONE_RECORD]}
    return printed(__file__, "describe", {**values, **of, "decimal": decimal_text})


# A release as a record for a public registry of deployments of differential privacy. What only the publisher knows is
# left empty, and `open_fields` names it.

Record = Mapping[str, Any]


def registry_record(release: Description) -> Record:
    """The record of a release. Texts that the manifest does not hold are empty."""
    facts, about, levels = release.facts, release.facts.about, release.facts.levels
    slug = f"{about.title or ''} {about.publisher or ''} {facts.day[:4]}".lower()
    limits = {level.name: level.suppression_threshold for level in levels}
    values = {
        **{"facts": facts, "about": about, "unit": facts.parameters.unit, "sums": _sums(facts)},
        **{"ledger": facts.run.ledger.loss, "published": facts.manifest.published},
        **{"decimal": decimal_text, "number": lambda each: float(decimal_text(each)), "rounded_up": rounded_up},
        "slug": "-".join(re.findall(r"[a-z0-9]+", slug)),
        "laws": sorted({distribution(call.law) for level in levels for call in level.calls.all}),
        "left_out": [f"{name} {most}" for name, most in limits.items() if most is not None],
        "margins": [
            f"{level.name}: " + ", ".join(f"{call.statistic} ± {margin_of_error(call.law)}" for call in level.calls.all)
            for level in levels
        ],
        "digest": manifest_core_digest(members_of(facts.manifest)),
    }
    return tomllib.loads(filled(__file__, "registry.toml", values))


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


def _sums(facts: ReleaseFacts) -> list[Sum]:
    return [ladder.sum for ladder in facts.parameters.ladders if ladder.sum is not None]
