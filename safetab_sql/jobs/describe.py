"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import sha256_of
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.about import About, about_json
from safetab_sql.published.file_notes import file_differences, named_files
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.release import read_manifest
from safetab_sql.published.release_facts import described, release_day, taken_apart, understood


_NOT_RELEASABLE = "no: other random bits than the system's, or totals that no release vouches for"


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


def description_json(found: Description) -> dict[str, object]:
    """A release for programs, in the words of its manifest. files: SHA-256 by place; null where it names none."""
    ledger = found.manifest["ledger"]
    return {
        **about_json(found.about),
        "date": found.date,
        "releasable": found.manifest["releasable"],
        "accounted": found.manifest["accounted"],
        "run": found.run,
        "reconciled": found.is_reconciled,
        **{name: ledger[name] for name in ("privacy_definition", "neighbours", "person_rule", "totals")},
        "levels": [level["level"] for level in ledger["levels"]],
        "files": found.files,
    }


def _accounted(found: Description) -> str:
    if not found.manifest["accounted"]:
        return "no: in no ledger"
    if found.run is not None:
        return "yes, in a ledger of its custodian"
    return "the manifest says that it stands in a ledger: check it with describe --ledger"


def description_text(found: Description) -> str:
    """A release for people to read, one fact a line."""
    ledger, about = found.manifest["ledger"], found.about
    said = {"title": about.title, "publisher": about.publisher, "contact": about.contact, "note": about.note}
    loss = f"{ledger['budget_unit']} {ledger['totals'][ONE_RECORD]['decimal']}: {ledger['neighbours']}"
    person = ledger["totals"][ONE_PERSON]
    of_person = "unknown" if person is None else f"{ledger['budget_unit']} {person['decimal']}"
    files = "the manifest names none" if found.files is None else f"{len(found.files)}, all as the manifest says"
    rows = [
        *((name, text) for name, text in said.items() if text),
        *([("records", "made up")] if about.is_simulated else []),
        ("day of the run", found.date),
        ("releasable", "yes" if found.manifest["releasable"] else _NOT_RELEASABLE),
        ("accounted", _accounted(found)),
        *([] if found.run is None else [("in this ledger", f"yes, as run {found.run}")]),
        ("reconciled", "yes" if found.is_reconciled else "no"),
        ("loss of a person", f"{of_person}: {ledger['person_rule']}"),
        ("loss of a record", loss),
        ("levels", ", ".join(level["level"] for level in ledger["levels"])),
        ("files", files),
    ]
    return aligned(rows)
