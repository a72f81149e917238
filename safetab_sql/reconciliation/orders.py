"""Which totals cannot exceed which others, as the code lists prove. Violations are reported, not corrected."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.sources import Source


@dataclass(frozen=True, slots=True)
class BrokenOrders:
    """Pairs of totals of a region type and pair of iteration kinds, and the pairs whose narrow total is larger."""

    region_type: str
    narrow_kind: str
    wide_kind: str
    compared: int
    noisy_broken: int
    reconciled_broken: int


def broken_orders(
    database: Database, lists: Mapping[str, Source], scratch: Path, parameters: Parameters
) -> tuple[BrokenOrders, ...]:
    """The pairs of totals in `reconciled_t1` that the lists order. Raises: InputError if lists cannot be read."""
    read_lists(database, lists, parameters.questions.lists, scratch, parameters)
    for name in ("iteration_rows", "code_iteration_rows", "codes", "code_numbers", "iterations", "code_iterations"):
        database.create(sql_files()[name])
    for name in ("implied_orders", "broken_orders"):
        database.create(sql_files()[name])
    found = database.table("broken_orders", order_by=["region_type", "narrow_kind", "wide_kind"])
    return tuple(BrokenOrders(**row) for row in found.to_pylist())
