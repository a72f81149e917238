"""Published totals, by which a ladder picks tables: a release of ours, Parquet, or production's text."""

from collections.abc import Mapping, Sequence
from typing import Any

from safetab_sql.kit.arrays import Int64s
from safetab_sql.public.columns import ANSWER, PLAIN, TEXT, StoredTypes, column_expressions
from safetab_sql.public.gate import Public, made_in
from safetab_sql.public.readers import code_kind
from safetab_sql.settings.parameters import Parameters

TOTALS = "totals"  # what the input is called
SELECTED, UNSELECTED = "selected_groups", "unselected_totals"
# By ladder and level: groups whose tables published totals pick, sorted, and the stat level of each. int64[n] both.
Selected = dict[tuple[int, int], tuple[Int64s, Int64s]]
BY_TOTALS = ("total_rows", SELECTED, UNSELECTED)  # statements of a run that are made only where totals pick tables


def is_by_totals(parameters: Parameters) -> bool:
    """Whether published totals pick the tables of some ladder."""
    return any(ladder.choose == "published" for ladder in parameters.ladders)


def release_of(totals: Public) -> Mapping[str, Any] | None:
    """The manifest of the release that all files are of, by their digests; None where there is none."""
    made = [made_in(file) for file in totals.files]
    if totals.source.table is not None or any(one is None or "files" not in one.manifest for one in made):
        return None
    manifests = [one.manifest for one in made if one is not None]
    release = manifests[0].get("release", manifests[0])
    return release if isinstance(release, dict) and all(each == manifests[0] for each in manifests) else None


def totals_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """The values that read published totals. Raises: InputError on missing columns."""
    questions = parameters.questions
    code = ANSWER if any(each.values for each in questions.all) else code_kind(None, questions)
    wanted = {"REGION_ID": TEXT, "REGION_TYPE": TEXT, "ITERATION_CODE": code, "COUNT": PLAIN}
    return {TOTALS: list(paths), "total_columns": column_expressions(where, types, wanted)}
