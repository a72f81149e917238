"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.accounting.written import members_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import sha256_of
from safetab_sql.public.about import About
from safetab_sql.published.file_notes import file_differences
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.release import read_manifest
from safetab_sql.published.release_facts import ReleaseFacts, release_facts


@dataclass(frozen=True, slots=True)
class Description:
    """A release, or what was made of one. run: of the ledger that made the manifest; None where no ledger was named."""

    facts: ReleaseFacts
    run: str | None

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


def describe(release: str | Path, *, ledger: str | Path | None = None) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    ledger: the custodian's, in which the digest of the manifest is looked for. Raises: InputError where the folder
    holds no release, or a file that is not the one the manifest names, or where the ledger does not hold the manifest.
    """
    folder = Path(release)
    where = folder / MANIFEST
    facts = release_facts(read_manifest(where), where)
    refuse(file_differences(folder, facts.files))
    return Description(facts, None if ledger is None else _run_of(ledger, where))


def _run_of(ledger: str | Path, manifest: Path) -> str:
    """The run of a ledger that made a manifest."""
    sha256 = sha256_of(manifest)
    found = next((each for each in read_charges(ledger) if each.manifest_sha256 == sha256), None)
    if found is None:
        what = f"is the manifest of no run that {ledger} holds as released"
        fix = "take the release as it was made, and the ledger of its custodian: a word of the manifest was changed, or"
        raise InputError([Problem(str(manifest), what, f"{fix} this is another ledger")])
    return found.run
