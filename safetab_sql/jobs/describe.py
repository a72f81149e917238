"""`describe`: what a release is, from its manifest alone, and whether its files are those that the manifest names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.kit.errors import refuse
from safetab_sql.public.about import About
from safetab_sql.published.file_notes import file_differences, named_files
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.release import read_manifest
from safetab_sql.published.release_facts import described, release_day, taken_apart, understood


@dataclass(frozen=True, slots=True)
class Description:
    """A release. manifest: of its run, also where it was reconciled. files: SHA-256 by place; None if it holds none."""

    manifest: Mapping[str, Any]
    about: About
    date: str
    files: Mapping[str, str] | None
    is_reconciled: bool


def describe(release: str | Path) -> Description:
    """What the release in a folder is. Every file that the manifest names has been compared with its digest.

    Raises: InputError where the folder holds no release, or a file that is not the one the manifest names.
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
    return Description(of_run, about, day, named, reconciled is not None)
