"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import sha256_of
from safetab_sql.public.about import About
from safetab_sql.published.file_notes import file_differences, named_files
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.release import read_manifest
from safetab_sql.published.release_facts import described, release_day, taken_apart, understood


@dataclass(frozen=True, slots=True)
class Description:
    """A release. manifest: of its run, also where it was reconciled. files: SHA-256 by place; None if it holds none.

    run: the run of the ledger that made the manifest; None where no ledger was named.
    """

    manifest: Mapping[str, Any]
    about: About
    date: str
    files: Mapping[str, str] | None
    is_reconciled: bool
    run: str | None


def describe(release: str | Path, *, ledger: str | Path | None = None) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    ledger: the custodian's, in which the digest of the manifest is looked for. Raises: InputError where the folder
    holds no release, or a file that is not the one the manifest names, or where the ledger does not hold the manifest.
    """
    folder = Path(release)
    where = folder / MANIFEST
    manifest = read_manifest(where)
    of_run, reconciled = taken_apart(manifest, where)
    with understood(where):
        about, day = described(of_run, where), release_day(of_run, where)
        named = named_files(manifest)
    if named is not None:
        refuse(file_differences(folder, named))
    run = None if ledger is None else _run_of(ledger, where)
    return Description(of_run, about, day, named, reconciled is not None, run)


def _run_of(ledger: str | Path, manifest: Path) -> str:
    """The run of a ledger that made a manifest."""
    sha256 = sha256_of(manifest)
    found = next((each for each in read_charges(ledger) if each.manifest_sha256 == sha256), None)
    if found is None:
        what = f"is the manifest of no run that {ledger} holds as released"
        fix = "take the release as it was made, and the ledger of its custodian: a word of the manifest was changed, or"
        raise InputError([Problem(str(manifest), what, f"{fix} this is another ledger")])
    return found.run
