"""Whether public files are the files that a release was made with: its manifest holds their digests."""

from collections.abc import Mapping
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.objects import sha256_of
from safetab_sql.public.gate import Public, public_code_lists
from safetab_sql.published.manifest import MANIFEST, source_digests
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.settings.parameters import Parameters


def public_problems(public: Mapping[str, Public], facts: ReleaseFacts) -> list[Problem]:
    """Which of the public inputs, by their names in the manifest, differ in SHA-256 from the files of the release."""
    problems = []
    for name, given in public.items():
        made_with = facts.run.public_inputs.get(name)
        if made_with is None:
            what = f"does not hold the digest of the {name} that the release was made with"
            problems.append(Problem(str(facts.where), what, RELEASE_FIX))
        elif {file.sha256 for file in source_digests(given)} != {file.sha256 for file in made_with}:
            what = f"is not the {name} of this release: its digest differs from that in {facts.where}"
            names = ", ".join(file.file for file in made_with)
            fix = f"name what the release was made with ({names}), unchanged, or leave it out"
            problems.append(Problem(given.given, what, fix))
    return problems


def manifest_digest(folder: Path) -> str:
    """SHA-256 of the manifest of a folder, which identifies the release. The manifest must exist."""
    return sha256_of(folder / MANIFEST)


def code_lists_of_release(code_lists: str | Path | None, parameters: Parameters) -> dict[str, Public]:
    """The code lists that a release was made with, in the folder `code_lists`; none where its questions need none.

    Raises: InputError where a list, or the folder, is missing.
    """
    wanted = parameters.questions.lists
    if not wanted:
        return {}
    if code_lists is None:
        fix = "name the folder of the code lists that the release was made with"
        raise InputError([Problem("--code-lists", "not given", fix)])
    return public_code_lists(code_lists, wanted)
