"""What a manifest says of a release: title, publisher, contact and note, and what `reconcile` made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.about import About
from safetab_sql.published.release import RELEASE_FIX, release_day

_WORDS = ("title", "publisher", "contact", "note")


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What `reconcile` did to a release. divisions: region type -> the one that it divides, and adds up to.

    is_whole: whether its counts are whole numbers. date: YYYY-MM-DD.
    """

    divisions: Mapping[str, str]
    is_whole: bool
    date: str


def described(manifest: Any) -> About:
    """What a manifest says; nothing, of those that are older than that. Raises: InputError where it is ill-formed."""
    said = manifest.get("about") or {}
    if not isinstance(said, Mapping) or any(not isinstance(said.get(name), str | None) for name in _WORDS):
        what = f"[about] holds something else than texts: {', '.join(_WORDS)}"
        raise InputError([Problem("manifest.json", what, RELEASE_FIX)])
    words = {name: (said.get(name) or "").strip() or None for name in _WORDS}
    return About(**words, is_simulated=bool(said.get("is_simulated", False)))


def taken_apart(manifest: Any) -> tuple[Any, Reconciliation | None]:
    """The manifest of the release, and what was done to it where this is the manifest of a reconciled folder.

    Raises: InputError where it begins like one and is none.
    """
    if not isinstance(manifest, Mapping) or "reconciled" not in manifest or "format" in manifest:
        return manifest, None
    try:
        done = manifest["reconciled"]
        divisions = {str(inner): str(outer) for inner, outer in done["divisions"].items()}
        return manifest["release"], Reconciliation(divisions, bool(done["integers"]), release_day(manifest))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"not the manifest of a reconciled folder: {type(error).__name__} {error}"
        fix = "name a folder that `safetab-sql reconcile` made, as it made it"
        raise InputError([Problem("manifest.json", what, fix)]) from error
