"""Which totals cannot exceed which others, as the code lists prove. Violations are reported, not corrected."""

from dataclasses import dataclass

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files


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
