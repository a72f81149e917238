"""The gate: every input that is called public passes here, in every command, before anything of it is published.

An input is refused that is the confidential records of the command, or a copy of them; that says of itself that it was
made from exact counts; or that lies in a release whose manifest it does not fit. What passes is a `Public`. Only this
module makes one, and only the digest of a `Public` can stand in a manifest.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import is_marked, is_marked_json, sha256_of
from safetab_sql.public.sources import TEXT_ENDINGS, Source, find_code_lists, find_source

_MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 2**26  # bytes

# What each public input is for, which says what to name in its place. All others are code lists.
PURPOSES: Mapping[str, str] = {
    "parameters": "parameters say what is tabulated: name the TOML file, or production's config.json",
    "geography": "a geography lists every place, whoever lives there: name the public file of all places",
    "totals": "totals are published counts, noise and all: name a release",
    "region_names": "region names are the public names of regions: name the file that the public has",
    "names": "names are what the public calls codes: name the file that the public has",
    "spec": "a specification says what is counted: name the TOML file",
    "reference": "a reference lists every value that a record may have, whether any has it: name a public list of "
    'codes, or write them: values = ["A", "B"]',
    "invariants": "invariants are totals that the public knows already: name the file in which they were published",
    "shapes": "shapes are the public polygons of regions: name the GeoParquet file that the public has",
    "listed_groups": "the file lists the groups that are tabulated, whoever is in them: name the public list",
    "wanted": "the file lists the statistics that are wanted: write one row a statistic",
}
_CODE_LIST = "a code list holds every code that a record may have, whether any has it: name the public list"
_EXACT_FIX = "name a file that the public may have: exact counts stay with the custodian"
_RELEASE_FIX = "take the release as it was made, whole"

# What no public input of a command may be: all records that its command line or its specification names.
Confidential: TypeAlias = tuple[Source, ...]
NOTHING_CONFIDENTIAL: Confidential = ()  # of a command that reads no record


@dataclass(frozen=True, slots=True)
class Public(Source):
    """A public input that passed the gate."""

    @property
    def path(self) -> Path:
        """Its first file; most have one."""
        return self.files[0]


def records_at(given: str | Path | None) -> Confidential:
    """The records that a command names, if it does. None where they cannot be found: whoever reads them says why."""
    with suppress(InputError):
        return () if given is None else (find_source(given),)
    return ()


def public_source(name: str, given: str | Path, records: Confidential = NOTHING_CONFIDENTIAL) -> Public:
    """A public table as the user names it: see `find_source`. Raises: InputError, also where it may not pass."""
    return passed({name: find_source(given)}, records)[name]


def public_file(name: str, path: str | Path, records: Confidential = NOTHING_CONFIDENTIAL) -> Public:
    """A public file of any format. One that is not there passes: who reads it says so. Raises: as `public_source`."""
    file = Path(path)
    return passed({name: Source(str(path), (file,), is_text=file.suffix.lower() in TEXT_ENDINGS)}, records)[name]


def public_code_lists(
    given: str | Path, lists: Mapping[str, str], records: Confidential = NOTHING_CONFIDENTIAL
) -> dict[str, Public]:
    """Code lists in the folder `given`; lists: their file names by input. Raises: as `public_source`."""
    return passed(find_code_lists(given, lists), records)


def passed(sources: Mapping[str, Source], records: Confidential = NOTHING_CONFIDENTIAL) -> dict[str, Public]:
    """The public inputs of a command, by name. records: of the same command.

    Raises: InputError with every input that may not pass, before anything of it is shown or written.
    """
    refuse([problem for name, source in sources.items() for problem in _problems(name, source, records)])
    return {name: Public(each.given, each.files, each.is_text, each.table) for name, each in sources.items()}


def _problems(name: str, public: Source, records: Confidential) -> Iterator[Problem]:
    for source in records:
        if (what := _what_copy(public, source)) is not None:
            yield Problem(public.given, f"{what}, so it is not public", PURPOSES.get(name, _CODE_LIST))
            return
    for file in public.files:
        where = str(file) if len(public.files) > 1 else public.given
        if public.table is None and is_marked(file):
            yield Problem(where, "says of itself that it was made from exact counts", _EXACT_FIX)
        elif (made := _made_by(file)) is not None:
            yield from filter(None, [_member_problem(where, file, *made)])


def _what_copy(one: Source, other: Source) -> str | None:
    """What `one` has to do with the records `other`, for a sentence; None where nothing is noticed."""
    are_files = one.table is None and other.table is None
    is_shared = any(_is_one_file(*pair) for pair in product(one.files, other.files))
    if is_shared and (are_files or one.table == other.table):
        return f"is a file of the records, {other.given}"
    with suppress(OSError):  # whoever reads the files says what is wrong
        if are_files and _has_same_bytes(one.files, other.files):
            return f"holds the same bytes as a file of the records, {other.given}"
    return None


def _is_one_file(one: Path, other: Path) -> bool:
    """Whether two names, links among them, are of one file."""
    with suppress(OSError):
        return one.samefile(other)
    return False


def _has_same_bytes(ours: Sequence[Path], theirs: Sequence[Path]) -> bool:
    sizes = {file.stat().st_size for file in ours} & {file.stat().st_size for file in theirs} - {0}
    own, other = ({sha256_of(each) for each in files if each.stat().st_size in sizes} for files in (ours, theirs))
    return bool(own & other)


def _member_problem(where: str, file: Path, manifest: Path, said: Mapping[str, Any]) -> Problem | None:
    """Why a file may not pass that lies in a folder with this manifest, which says this."""
    place = file.resolve().relative_to(manifest.parent).as_posix()
    if is_marked_json(said):
        return Problem(where, f"was made from exact counts, as {manifest} says", _EXACT_FIX)
    if "files" in said and place != _MANIFEST:
        digests = {str(each["file"]): str(each["sha256"]) for each in said["files"]}
        if place not in digests:
            return Problem(where, f"lies in a release whose manifest does not name it: {manifest}", _RELEASE_FIX)
        if sha256_of(file) != digests[place]:
            return Problem(where, f"has another SHA-256 than {manifest} says", _RELEASE_FIX)
    return None


def _made_by(file: Path) -> tuple[Path, Mapping[str, Any]] | None:
    """The manifest of the folder that holds the file, or of the one above, where a command made it whole."""
    place = file.resolve()
    for manifest in (place.parent / _MANIFEST, place.parent.parent / _MANIFEST):
        said: Mapping[str, Any] = {}
        with suppress(OSError, ValueError, RecursionError):
            if manifest.is_file() and manifest.stat().st_size <= _LARGEST_MANIFEST:
                found = json.loads(manifest.read_text(encoding="utf-8"))
                said = found if isinstance(found, dict) else {}
        files = said.get("files")
        is_list = isinstance(files, list) and all(
            isinstance(each, dict) and {"file", "sha256"} <= {*each} for each in files
        )
        if is_marked_json(said) or is_list:  # of what each file is, as of releases
            return manifest, said
    return None


def release_of(totals: Public) -> Mapping[str, Any] | None:
    """The manifest of the release that all files of published totals are of, by their digests; None where none is."""
    made = [_made_by(file) for file in totals.files]
    said = [{} if one is None else one[1] for one in made]
    if totals.table is not None or any("files" not in one or one != said[0] for one in said):
        return None
    release = said[0].get("release", said[0])
    return release if isinstance(release, dict) else None
