"""Kinds of published population groups: what a report sums up of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts


@dataclass(frozen=True, slots=True)
class Span:
    """Margins of error of several counts, persons: the least, the median, the largest."""

    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class Kind:
    """Published population groups of one level, all with tables of as many cells.

    level: its name, or several names where their noise is the same; of a reconciled release, the region type.
    is_total_only: whether no such group could have got a table. count_moe95: of one count, a cell or a total without a
    table. total_moe95: of a total. changed: groups whose total reconciling changed. within_*: groups whose total has a
    margin of error of at most so many per cent of it. statistic, region_type: of a table of one's own, the name of the
    table, or of a total alone, and the region type of its groups.
    """

    level: str
    cells: int
    is_total_only: bool
    count_moe95: Span
    total_moe95: Span
    population_groups: int
    changed: int
    within_10: int
    within_30: int
    within_100: int
    statistic: str = ""
    region_type: str = ""


def span_of(row: Mapping[str, Any], what: str) -> Span:
    """The margins of a row of sql/tools/report, such as those of a `cell`."""
    return Span(*(row[f"{end}_{what}_moe95"] for end in ("least", "median", "most")))


def refuse_strange_types(types: Iterable[str], facts: ReleaseFacts) -> None:
    """Raises: InputError where a row is of a region type that no level of the manifest has."""
    strange = sorted(set(types) - set(facts.region_types))
    what = f"{', '.join(strange)} counts, which no level of the manifest has"
    refuse([Problem("t1, t2", what, RELEASE_FIX)] if strange else [])
