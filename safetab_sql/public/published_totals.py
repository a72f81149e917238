"""Published totals, by which a ladder picks tables: a release of ours, Parquet, or production's text."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Database, Line
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.columns import Answer, Code, Plain, Text, column_expressions
from safetab_sql.public.list_values import StoredTypes
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.sources import Source, find_source

TOTALS = "totals"  # what the input is called
OPTION = "--totals"
SELECTED, UNSELECTED = "selected_groups", "unselected_totals"
# By ladder and level: groups whose tables published totals pick, sorted, and the stat level of each. int64[n] both.
Selected = dict[tuple[int, int], tuple[Int64s, Int64s]]
BY_TOTALS = ("total_rows", SELECTED, UNSELECTED)  # statements of a run that are made only where totals pick tables
_MOST_NAMES = 5
_LARGEST_MANIFEST = 2**26  # bytes
_FIX = "name a release, or its totals: OUT, OUT/t1/t1.parquet, or production's pop-group-totals.txt"


def is_by_totals(parameters: Parameters) -> bool:
    """Whether published totals pick the tables of some ladder."""
    return any(ladder.choose == "published" for ladder in parameters.ladders)


def find_totals(given: str | Path | None, parameters: Parameters, lists: Mapping[str, Source]) -> Source | None:
    """The totals that pick tables; None where no ladder asks for any. lists: the code lists of the run.

    Raises: InputError where they are asked for and not given, or the reverse; where they are exact; or where they were
    made with other code lists, as far as a manifest beside them tells.
    """
    wanted = [ladder.name for ladder in parameters.ladders if ladder.choose == "published"]
    if given is None:
        what = f"not given, and published totals pick the tables of {', '.join(wanted)}"
        refuse([Problem(OPTION, what, _FIX)] if wanted else [])
        return None
    if not wanted:
        fix = 'leave it out, or say choose = "published" in a ladder'
        raise InputError([Problem(OPTION, "given, and published totals pick no table", fix)])
    folder = Path(given)
    if (folder / "manifest.json").is_file() and not (folder / "t1").is_dir():
        fix = "name its folder of totals, such as OUT/sums, which the ladder has that says totals"
        raise InputError([Problem(str(given), "has a manifest.json, and no folder t1", fix)])
    source = find_source(folder / "t1" if (folder / "t1").is_dir() else given)
    manifest = _manifest(source)
    if manifest.get("confidential"):
        raise InputError([Problem(str(given), "holds exact tables, which are not public", _FIX)])
    refuse(_list_problems(str(given), manifest, lists))
    return source


def are_releasable(totals: Source) -> bool:
    """Whether the totals are of a release that may be published, as far as a manifest beside them tells."""
    return _manifest(totals).get("releasable", True) is True


def _manifest(source: Source) -> Mapping[str, Any]:
    """The manifest beside the files, or above their folder; nothing where there is none that can be read."""
    for folder in (source.files[0].parent, source.files[0].parent.parent):
        file = folder / "manifest.json"
        if file.is_file() and file.stat().st_size <= _LARGEST_MANIFEST:
            try:
                found = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError):
                continue
            return found.get("release", found) if isinstance(found, dict) else {}
    return {}


def _list_problems(given: str, manifest: Mapping[str, Any], lists: Mapping[str, Source]) -> list[Problem]:
    """The code lists of the run that differ from those that the totals were made with."""
    problems = []
    made_with = manifest.get("public_inputs", {})
    for name, source in lists.items():
        known = {file.get("sha256") for file in made_with.get(name, [])} if isinstance(made_with, Mapping) else set()
        if known and known != {_sha256(file) for file in source.files}:
            what = f"was made with another {name} than {source.given}: the digests differ"
            problems.append(Problem(given, what, "name totals of the same code lists"))
    return problems


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def totals_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """The values that read published totals. Raises: InputError on missing columns."""
    code = Code(4) if parameters.questions.is_standard else Answer()
    wanted = {"REGION_ID": Text(), "REGION_TYPE": Text(), "ITERATION_CODE": code, "COUNT": Plain()}
    return {TOTALS: list(paths), "total_columns": column_expressions(where, types, wanted)}


def select_groups(database: Database, where: str) -> list[str]:
    """Make the tables of the groups that published totals pick, after the catalog; what was left out, for people.

    Raises: InputError where the geography has no region of some type that is tabulated, or where nothing is picked.
    """
    for name in (SELECTED, UNSELECTED):
        database.create(sql_files()[name])
    left_out = database.table(UNSELECTED, order_by=["region_type", "region_id"]).to_pylist()
    region_types = {level["level_id"]: level["region_type"] for level in database.table("levels").to_pylist()}
    level_ids = database.table(SELECTED, columns=["level_id"])["level_id"].unique()
    kinds = {region_types[level_id] for level_id in level_ids.to_pylist()}
    unknown = [region for region in left_out if region["is_unknown_region"]]
    lost = sorted({region["region_type"] for region in unknown} - kinds)
    fix = "name the totals that belong to this geography"
    refuse([Problem(where, f"no {kind} of these totals is in the geography", fix) for kind in lost])
    if not kinds:
        raise InputError([Problem(where, "no total of a group that is tabulated", fix)])
    told, unknown_totals = [], sum(region["unselected"] for region in unknown)
    if unknown:
        names = [f"{region['region_type']} {region['region_id']}" for region in unknown]
        shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
        told.append(
            f"{unknown_totals} published total(s) of regions in which the run has no place are left out: {shown}"
        )
    others = sum(region["unselected"] for region in left_out) - unknown_totals
    if others:
        told.append(f"{others} published total(s) of groups that these parameters do not tabulate are left out")
    return [f"{where}: {text}" for text in told]


def selected_groups(database: Database, sources: Mapping[str, Source], warn: Line) -> Selected:
    """The groups that published totals pick for tables, after the catalog; none where there are no such totals.

    warn: told what is left out of these totals, all of it public. Raises: InputError as `select_groups`.
    """
    if TOTALS not in sources:
        return {}
    for text in select_groups(database, sources[TOTALS].given):
        warn(text)
    names = ("ladder_id", "level_id", "population_group_id", "stat_level")
    table = database.table(SELECTED, order_by=names[:3], columns=names)
    ladders, levels, ids, stat_levels = (table[name].to_numpy() for name in names)
    is_next = (np.diff(ladders) != 0) | (np.diff(levels) != 0)
    firsts = np.concatenate([[0], 1 + np.flatnonzero(is_next)])
    found: Selected = defaultdict(lambda: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    for first, end in pairwise([*firsts, ids.size]):
        stated = stat_levels[first:end].astype(np.int64)
        found[int(ladders[first]), int(levels[first])] = (ids[first:end], stated)
    return found
