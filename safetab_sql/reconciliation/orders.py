"""Which totals cannot exceed which others, as the code lists prove. Violations are reported, not corrected."""

from dataclasses import dataclass

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files


@dataclass(frozen=True, slots=True)
class BrokenOrders:
    """Pairs of totals of a region type and pair of iteration kinds, and the pairs whose narrow total is larger."""

    region_type: str
    narrow_kind: str
    wide_kind: str
    compared: int
    noisy_broken: int
    reconciled_broken: int


def broken_orders(database: Database) -> tuple[BrokenOrders, ...]:
    """The pairs of totals in `reconciled_t1` that the code lists order. The tables of `read_nesting` must exist."""
    for name in ("implied_orders", "broken_orders"):
        database.create(sql_files()[name])
    found = database.table("broken_orders", order_by=["region_type", "narrow_kind", "wide_kind"])
    return tuple(BrokenOrders(**row) for row in found.to_pylist())
