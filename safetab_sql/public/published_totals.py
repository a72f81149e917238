"""Published totals, by which a ladder picks tables: a release of ours, Parquet, or production's text."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.columns import ANSWER, PLAIN, TEXT, StoredTypes, column_expressions
from safetab_sql.public.gate import Confidential, Public, made_in, public_source
from safetab_sql.public.readers import code_kind
from safetab_sql.public.sources import footer_of
from safetab_sql.settings.parameters import Parameters

TOTALS = "totals"  # what the input is called
OPTION, VOUCHED = "--totals", "--totals-are-public"
SELECTED, UNSELECTED = "selected_groups", "unselected_totals"
# By ladder and level: groups whose tables published totals pick, sorted, and the stat level of each. int64[n] both.
Selected = dict[tuple[int, int], tuple[Int64s, Int64s]]
BY_TOTALS = ("total_rows", SELECTED, UNSELECTED)  # statements of a run that are made only where totals pick tables
_LEAVE_OUT = 'leave it out, or say choose = "published" in a ladder'
_FIX = "name a release, or its totals: OUT, OUT/t1/t1.parquet, or production's pop-group-totals.txt"


def is_by_totals(parameters: Parameters) -> bool:
    """Whether published totals pick the tables of some ladder."""
    return any(ladder.choose == "published" for ladder in parameters.ladders)


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


def are_releasable(totals: Public) -> bool:
    """Whether the totals are of a release that may be published: its manifest says so, and no file says the reverse."""
    manifest = release_of(totals)
    said = [] if totals.source.table or totals.source.is_text else list(map(is_releasable, totals.files))
    return manifest is not None and manifest.get("releasable") is True and all(said)


def release_of(totals: Public) -> Mapping[str, Any] | None:
    """The manifest of the release that all files are of, by their digests; None where there is none."""
    made = [made_in(file) for file in totals.files]
    if totals.source.table is not None or any(one is None or "files" not in one.manifest for one in made):
        return None
    manifests = [one.manifest for one in made if one is not None]
    release = manifests[0].get("release", manifests[0])
    return release if isinstance(release, dict) and all(each == manifests[0] for each in manifests) else None


def is_releasable(file: Path) -> bool:
    """Whether a Parquet file does not say of itself that it is of no release to be published."""
    return (footer_of(file).metadata or {}).get(b"releasable") != b"false"


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


def totals_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """The values that read published totals. Raises: InputError on missing columns."""
    questions = parameters.questions
    code = ANSWER if any(each.values for each in questions.all) else code_kind(None, questions)
    wanted = {"REGION_ID": TEXT, "REGION_TYPE": TEXT, "ITERATION_CODE": code, "COUNT": PLAIN}
    return {TOTALS: list(paths), "total_columns": column_expressions(where, types, wanted)}
