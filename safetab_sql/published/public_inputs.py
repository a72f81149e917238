"""Whether public files are those that a release was made with: its manifest holds their digests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.sources import Source
from safetab_sql.published.manifest import digests
from safetab_sql.published.release import RELEASE_FIX


def public_problems(sources: Mapping[str, Source], manifest: Any, where: Path) -> list[Problem]:
    """Which of the `sources` are not those that the release was made with, by SHA-256.

    sources: by their names in the manifest. where: the file that `manifest` was read from.
    Raises: InputError where the manifest does not say what it was made with.
    """
    problems = []
    for name, source in sources.items():
        names, made_with = _made_with(manifest, name, where)
        if {file["sha256"] for file in digests(source.files)} != made_with:
            what = f"is not the {name} of this release: its digest differs from that in {where}"
            fix = f"name what the release was made with ({', '.join(names)}), unchanged, or leave it out"
            problems.append(Problem(source.given, what, fix))
    return problems


def manifest_digest(folder: Path) -> str:
    """SHA-256 of the manifest of a folder: it tells one release from another. The manifest has to be there."""
    return digests([folder / "manifest.json"])[0]["sha256"]


def _made_with(manifest: Any, name: str, where: Path) -> tuple[list[str], set[str]]:
    """Names and digests of the files of one public input."""
    try:
        files = manifest["public_inputs"][name]
        return [str(file["file"]) for file in files], {str(file["sha256"]) for file in files}
    except (KeyError, TypeError, IndexError) as error:
        what = f"does not hold the digest of the {name} that the release was made with"
        raise InputError([Problem(str(where), what, RELEASE_FIX)]) from error
