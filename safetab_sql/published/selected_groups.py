"""The groups whose tables published totals pick, and what of these totals is left out."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import Line
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.catalog import SELECTED, UNSELECTED, Selected
from safetab_sql.public.readers import TOTALS
from safetab_sql.public.sources import Source


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
    refuse([] if kinds else [Problem(where, "no total of a group that is tabulated", fix)])
    unknown_totals = sum(region["unselected"] for region in unknown)
    others = sum(region["unselected"] for region in left_out) - unknown_totals
    names = [f"{region['region_type']} {region['region_id']}" for region in unknown]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    whats = {f"regions in which the run has no place are left out: {shown}": unknown_totals}
    whats["groups that these parameters do not tabulate are left out"] = others
    return [f"{where}: {number} published total(s) of {what}" for what, number in whats.items() if number]


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
