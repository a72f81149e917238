"""The tables that Python hands to SQL: what the mechanisms give back to the statements of sql/4_count and 5_publish."""

from collections.abc import Mapping
from dataclasses import dataclass

from safetab_sql.sqlfiles import Column


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A table made in Python. grain: one row per what."""

    zone: str
    grain: str
    columns: tuple[Column, ...]


_GROUP = (
    Column("level_id", "integer", "key of levels"),
    Column("population_group_id", "bigint", "first id of its region and level + iteration position"),
)

HANDED_OVER: Mapping[str, HandedOver] = {
    "stat_levels": HandedOver(
        "noisy",
        "one row per population group with a sex-by-age table",
        (*_GROUP, Column("stat_level", "tinyint", "1 age4, 2 age9, 3 age23; chosen by a noisy total")),
    ),
    "noisy_totals": HandedOver(
        "noisy",
        "one row per published noisy total",
        (*_GROUP, Column("noisy_count", "bigint", "persons; may be negative")),
    ),
    "noisy_cells": HandedOver(
        "noisy",
        "one row per published noisy sex-by-age cell",
        (
            *_GROUP,
            Column("stat_level", "tinyint", "1 age4, 2 age9, 3 age23"),
            Column("cell_position", "integer", "key of statistic_cells within the stat level"),
            Column("noisy_count", "bigint", "persons; may be negative"),
        ),
    ),
    "count_uncertainty": HandedOver(
        "public",
        "one row per level, kind of group and number of counts summed",
        (
            Column("level_id", "integer", "key of levels"),
            Column("is_total_only", "boolean", "the paper's TotalOnly"),
            Column("summed_counts", "integer", "noisy counts in the sum"),
            Column("variance", "double", "of the noise in the sum, persons squared"),
            Column("moe95", "double", "half-width of the 95 % margin of error, persons"),
        ),
    ),
}
