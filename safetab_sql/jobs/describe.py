"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.accounting.written import decimal_text, members_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.words import printed
from safetab_sql.published.file_notes import file_differences, text_digests
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.release.folder import ReleaseFacts, read_manifest, release_facts


@dataclass(frozen=True, slots=True)
class Description:
    """A release, or what was made of one.

    run: of the ledger that made the manifest; None where no ledger was named. files: SHA-256 of each, by place.
    """

    facts: ReleaseFacts
    run: str | None
    files: Mapping[str, str]


def describe(release: str | Path, *, ledger: str | Path | None = None) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    ledger: the custodian's, in which the digest of the manifest is looked for. Raises: InputError where the folder
    holds no release, or a file that is not the one the manifest names, or where the ledger does not hold the manifest.
    """
    folder, where = Path(release), Path(release) / MANIFEST
    facts = release_facts(read_manifest(where), where)
    refuse(file_differences(folder, facts.files))
    files = {file.file: file.sha256 for file in facts.files}
    if ledger is None:
        return Description(facts, None, files)
    digests = text_digests(where)  # of its words, however its lines end
    found = next((each.run for each in read_ledger(ledger).charges if each.manifest_sha256 in digests), None)
    if found is None:
        what = f"is the manifest of no run that {ledger} holds as released"
        fix = "take the release as it was made, and the ledger of its custodian: a word of the manifest was changed, or"
        raise InputError([Problem(str(where), what, f"{fix} this is another ledger")])
    return Description(facts, found, files)


def description_json(found: Description) -> dict[str, object]:
    """A release for programs, in the words of its manifest. files: SHA-256 by place."""
    facts = found.facts
    ledger, published = members_of(facts.run.ledger.loss), facts.manifest.published
    return {
        **asdict(facts.about),
        "date": facts.day,
        "releasable": published.releasable,
        "accounted": published.accounted,
        "run": found.run,
        "reconciled": facts.reconciled is not None,
        "quoted": facts.quoted,
        **{name: ledger[name] for name in ("privacy_definition", "neighbours", "person_rule", "totals")},
        "levels": [level.name for level in facts.levels],
        "files": found.files,
    }


def description_text(found: Description) -> str:
    """A release for people to read, one fact a line."""
    ledger, published = found.facts.run.ledger.loss, found.facts.manifest.published
    sums = [ladder.sum for ladder in found.facts.parameters.ladders if ladder.sum is not None]
    values = {"found": found, "ledger": ledger, "published": published, "sums": sums}
    of = {"person": ledger.totals[ONE_PERSON], "record": ledger.totals[ONE_RECORD]}
    return printed(__file__, "describe", {**values, **of, "decimal": decimal_text})
