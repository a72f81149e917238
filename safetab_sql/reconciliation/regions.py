"""Which regions divide which: from the geography that the release was made with, or from the regions in the release."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.expressions import region_expression_problems
from safetab_sql.public.readers import geography_values
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.values import parameter_values
from safetab_sql.reconciliation.forest import RegionTree
from safetab_sql.settings.parameters import Parameters

# Digits of the region ids of standard region types, finest first; the id of a coarser region is a prefix of the finer
# id.
_DIGITS: Mapping[str, int] = {"TRACT": 11, "COUNTY": 5, "STATE": 2, "USA": 0}
_NATION = "1"


def read_geography(database: Database, geography: Source, parameters: Parameters, scratch: Path) -> None:
    """Make table `geo_units` from a geography file. Raises: InputError where it cannot be read."""
    files = parquet_files(database, geography, scratch, "geography")
    types = stored_types(geography, files)
    refuse(region_expression_problems(parameters, list(types[0])))
    database.set_values(parameter_values(parameters))
    database.set_values(geography_values(geography.given, [str(file) for file in files], types, parameters))
    for name in ("geography_rows", "blocks", "block_regions", "geo_units"):
        database.create(sql_files()[name])


def read_released_regions(database: Database, is_suppressed: Mapping[str, bool]) -> None:
    """Make table `geo_units` from a release: one row per region of the finest type of which nothing was suppressed.

    is_suppressed: by region type, whether small totals are missing, and perhaps whole regions with them. The ids of
    nations, states, counties and tracts show which region lies in which; other region types are left out.
    Raises: InputError where no region type is left.
    """
    database.create(sql_files()["released_regions"])
    released = database.table("released_regions", order_by=["region_type", "region_id"]).to_pylist()
    columns: dict[str, list[str | None]] = {}
    rows = 0
    for part in ("", "PR-"):
        whole = [name for name in _DIGITS if is_suppressed.get(part + name) is False]
        ids = [row["region_id"] for row in released if whole and row["region_type"] == part + whole[0]]
        for name in whole:
            digits = _DIGITS[name]
            columns[part + name] = [*[None] * rows, *(text[:digits] if digits else _NATION for text in ids)]
        rows += len(ids)
    if not columns:
        what = (
            "which regions lie in which is known from their ids only for nations, states, counties and tracts of which "
            "no total was suppressed, and it has none"
        )
        raise InputError([Problem("the release", what, "name the geography that it was made with: --geography")])
    padded = {name: [*ids, *[None] * (rows - len(ids))] for name, ids in columns.items()}
    database.set_values({"region_types": [{"name": name} for name in padded]})
    database.hand_over("geo_units", pa.table({"geo_unit_id": pa.array(range(rows), pa.int32()), **_text(padded)}))


def region_tree(database: Database) -> RegionTree:
    """Make table `tree_regions` from `geo_units` and `released_totals`, and the tree that it describes."""
    for name in ("regions", "geo_unit_regions", "region_parents", "tree_regions"):
        database.create(sql_files()[name])
    found = database.table("tree_regions", order_by=["region_key"]).to_pydict()
    types = found["region_type"]
    parents = [-1 if key is None else key - 1 for key in found["parent_region_key"]]
    outer = {types[place]: types[parent] for place, parent in enumerate(parents) if parent >= 0}
    names = tuple(sorted(set(types), key=lambda name: (-_depth(name, outer), name)))
    numbers = {name: number for number, name in enumerate(names)}
    return RegionTree(
        tuple(numbers[outer[name]] if name in outer else -1 for name in names),
        np.array([numbers[name] for name in types], dtype=np.int64),
        np.array(parents, dtype=np.int64),
        names,
    )


def _depth(name: str, outer: Mapping[str, str]) -> int:
    return 1 + _depth(outer[name], outer) if name in outer else 0


def _text(columns: Mapping[str, list[str | None]]) -> dict[str, pa.Array]:
    return {name: pa.array(ids, pa.string()) for name, ids in columns.items()}
