"""What the code lists prove of iterations: which make up which others, and which totals cannot exceed which others.

Sums are enforced (reconciliation.md section 3); totals in the wrong order are reported, not corrected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.settings.parameters import Parameters

_SEVERAL = ["alone", "combination"]  # kinds of iterations of a question of several columns
_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("iteration_code", "parent_code", "root_code")),
        *((name, pa.int64()) for name in ("levels_above", "parts")),
    ]
)


def no_nesting() -> pa.Table:
    """Table `iteration_nesting` where nothing is known of iterations."""
    return _SCHEMA.empty_table()


def read_nesting(database: Database, lists: Mapping[str, Source], scratch: Path, parameters: Parameters) -> pa.Table:
    """Table `iteration_nesting` from code lists, whose tables are made. Raises: InputError if lists cannot be read."""
    read_lists(database, lists, parameters.questions.lists, scratch, parameters)
    for name in ("iteration_rows", "code_iteration_rows", "codes", "code_numbers", "iterations", "code_iterations"):
        database.create(sql_files()[name])
    database.set_values({"several_kinds": _SEVERAL})
    database.create(sql_files()["nested_iterations"])
    return iteration_nesting(database.table("nested_iterations"))


def iteration_nesting(pairs: pa.Table) -> pa.Table:
    """Table `iteration_nesting`: each part with one whole, the one with the fewest codes, and the wholes themselves.

    pairs: table `nested_iterations`.
    """
    parents: dict[str, str] = {}
    parts: dict[str, int] = {}
    for row in sorted(pairs.to_pylist(), key=lambda row: (row["codes"], row["parts"], row["parent_code"])):
        known = parts.setdefault(row["parent_code"], row["parts"])
        if known == row["parts"]:
            parents.setdefault(row["iteration_code"], row["parent_code"])
    rows = []
    for code in sorted({*parents, *parts}):
        above = _above(code, parents)
        rows.append((code, parents.get(code), (above or [code])[-1], len(above), parts.get(code, 0)))
    columns = list(zip(*rows, strict=True)) or [()] * len(_SCHEMA)
    return pa.table(list(map(list, columns)), schema=_SCHEMA)


def _above(code: str, parents: Mapping[str, str]) -> list[str]:
    """The wholes that an iteration lies in, innermost first."""
    found = []
    while code in parents:
        code = parents[code]
        found.append(code)
    return found


@dataclass(frozen=True, slots=True)
class BrokenOrders:
    """Pairs of totals of a region type and two iteration levels and kinds, and those whose narrow total is larger."""

    region_type: str
    narrow_level: str
    narrow_kind: str
    wide_level: str
    wide_kind: str
    compared: int
    noisy_broken: int
    reconciled_broken: int


def broken_orders(database: Database) -> tuple[BrokenOrders, ...]:
    """The pairs of totals in `reconciled_t1` that the code lists order. The tables of `read_nesting` must exist."""
    for name in ("implied_orders", "broken_orders"):
        database.create(sql_files()[name])
    names = ["region_type", "narrow_level", "narrow_kind", "wide_level", "wide_kind"]
    found = database.table("broken_orders", order_by=names)
    return tuple(BrokenOrders(**row) for row in found.to_pylist())
