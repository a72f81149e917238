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

_NAMES = (
    Column("REGION_ID", "varchar", "e.g. 44007 for a county"),
    Column("REGION_TYPE", "varchar", "USA, STATE, COUNTY, ..."),
    Column("ITERATION_CODE", "varchar", "characteristic iteration, 4 digits"),
)
_BIN = (
    Column("AGESTART", "varchar", "first age of the bin, years; * for all ages"),
    Column("AGEEND", "varchar", "last age of the bin, years; * for all ages"),
    Column("SEX", "varchar", "1 male, 2 female"),
)
_RUN = Column("run", "integer", "1, 2, ...")
_PUBLISHED = (
    Column("COUNT", "bigint", "persons, noisy; may be negative"),
    Column("MOE95", "double", "half-width of the 95 % margin of error, persons"),
)
_EXACT = Column("COUNT", "bigint", "persons, exact")
_LAW = (
    Column("population_group_level", "varchar", "such as COUNTY-2"),
    Column("noise", "varchar", "total only, or stage 2"),
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
    "domain_codes": HandedOver(
        "public",
        "one row per listed value of a domain",
        (
            Column("domain_id", "integer", "place of the domain in the spec, from 0 on"),
            Column("value_key", "varchar", "the value as text; the values of several columns, joined by chr(31)"),
            Column("code", "bigint", "its code, from 0 on"),
        ),
    ),
    # of sql/evaluate
    "released_t1": HandedOver("noisy", "one row per run and row of t1", (_RUN, *_NAMES, *_PUBLISHED)),
    "released_t2": HandedOver("noisy", "one row per run and row of t2", (_RUN, *_NAMES, *_BIN, *_PUBLISHED)),
    "exact_t1": HandedOver("confidential", "one row per tabulated population group", (*_NAMES, _EXACT)),
    "exact_t2": HandedOver(
        "confidential",
        "one row per population group, sex and age bin of any statistic, and one per group and sex",
        (*_NAMES, *_BIN, _EXACT),
    ),
    "noise_laws": HandedOver(
        "public",
        "one row per population group level and law of published noise",
        (
            *_LAW,
            Column("moe95", "double", "half-width of the 95 % margin of error, persons"),
            Column("deviation", "double", "standard deviation, persons"),
            Column("expected_coverage", "double", "chance that the noise lies within moe95"),
            Column("free_total_from", "bigint", "exact totals that neither suppression nor clipping touches, persons"),
            Column("free_cell_from", "bigint", "exact cells that clipping does not touch, persons"),
        ),
    ),
    "small_coverages": HandedOver(
        "public",
        "one row per population group level, law, kind of count and small exact size",
        (
            *_LAW,
            Column("is_total", "boolean", "a total, and not a cell"),
            Column("exact_count", "bigint", "persons, below free_total_from or free_cell_from"),
            Column("expected_coverage", "double", "chance that the error lies within moe95, if published"),
        ),
    ),
    "reconciled_counts": HandedOver(
        "noisy",
        "one row per reconciled row of t1 or t2",
        (
            Column("group_id", "bigint", "key of nested_groups"),
            Column("cell_position", "integer", "key of statistic_cells; -1 the total, -2 and -3 the sum of each sex"),
            Column("estimate", "double", "persons; may be negative"),
            Column("variance", "double", "of the estimate, persons squared"),
            Column("moe95", "double", "half-width of the 95 % margin of error, persons"),
        ),
    ),
    # of `moe`
    "named_regions": HandedOver(
        "public",
        "one row per region type and region",
        (
            Column("REGION_TYPE", "varchar", "USA, STATE, COUNTY, ..."),
            Column("REGION_ID", "varchar", "e.g. 44007 for a county"),
            Column("region_number", "bigint", "0, 1, ..."),
        ),
    ),
    "named_iterations": HandedOver(
        "public",
        "one row per region type and characteristic iteration",
        (
            Column("REGION_TYPE", "varchar", "USA, STATE, COUNTY, ..."),
            Column("ITERATION_CODE", "varchar", "characteristic iteration, 4 digits"),
            Column("iteration_number", "bigint", "0, 1, ..., below 2^32"),
        ),
    ),
}
