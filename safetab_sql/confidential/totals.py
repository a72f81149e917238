"""The published totals that a run is given: whether a ladder asks for them, and who vouches for them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.gate import Confidential, Public, public_source
from safetab_sql.public.published_totals import TOTALS, release_of
from safetab_sql.settings.parameters import Parameters

OPTION, VOUCHED = "--totals", "--totals-are-public"
_LEAVE_OUT = 'leave it out, or say choose = "published" in a ladder'
_FIX = "name a release, or its totals: OUT, OUT/t1/t1.parquet, or production's pop-group-totals.txt"


def public_totals(
    given: str | Path | None,
    parameters: Parameters,
    lists: Mapping[str, Public],
    records: Confidential,
    *,
    are_public: bool,
) -> Public | None:
    """The totals that pick tables; None where no ladder asks for any. lists: the code lists of the run.

    are_public: whether the user vouches for totals that no manifest names. Raises: InputError where totals are asked
    for and not given, or the reverse; where they may not pass the gate; where nobody vouches for them; or where their
    release was made with other code lists.
    """
    wanted = [ladder.name for ladder in parameters.ladders if ladder.choose == "published"]
    folder = Path(str(given))
    has_t1 = given is not None and (folder / "t1").is_dir()
    if given is not None and wanted and not has_t1 and (folder / "manifest.json").is_file():
        fix = "name its folder of totals, such as OUT/sums, which the ladder has that says totals"
        raise InputError([Problem(str(given), "has a manifest.json, and no folder t1", fix)])
    totals = None if given is None else public_source(TOTALS, folder / "t1" if has_t1 else given, records)
    refuse(list(_option_problems(given, wanted, are_public=are_public)))
    if totals is None:
        return None
    manifest = release_of(totals)
    if manifest is None and not are_public:
        what = "no manifest beside it says of which release it is"
        fix = f"{_FIX}; or, if somebody else has published these totals, say {VOUCHED}: the run is then not releasable"
        raise InputError([Problem(str(given), what, fix)])
    refuse(_list_problems(str(given), manifest or {}, lists))
    return totals


def _option_problems(given: str | Path | None, wanted: Sequence[str], *, are_public: bool) -> Iterator[Problem]:
    """Options that are missing, or that have no effect. wanted: the ladders whose tables published totals pick."""
    if given is None and wanted:
        yield Problem(OPTION, f"not given, and published totals pick the tables of {', '.join(wanted)}", _FIX)
    if given is not None and not wanted:
        yield Problem(OPTION, "given, and published totals pick no table", _LEAVE_OUT)
    if given is None and are_public:
        yield Problem(VOUCHED, f"has no effect without {OPTION}", "leave it out")


def _list_problems(given: str, manifest: Mapping[str, Any], lists: Mapping[str, Public]) -> list[Problem]:
    """The code lists of the run that differ from those that the totals were made with."""
    problems = []
    made_with = manifest.get("public_inputs", {})
    for name, public in lists.items():
        known = {file.get("sha256") for file in made_with.get(name, [])} if isinstance(made_with, Mapping) else set()
        if known and known != {sha256_of(file) for file in public.files}:
            what = f"was made with another {name} than {public.given}: the digests differ"
            problems.append(Problem(given, what, "name totals of the same code lists"))
    return problems
