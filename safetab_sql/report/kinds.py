"""Kinds of published population groups: what a report sums up of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from safetab_sql.release.facts import ReleaseFacts


@dataclass(frozen=True, slots=True)
class Span:
    """Margins of error of several counts, persons: the least, the median, the largest."""

    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class Kind:
    """Published population groups of one level, all with tables of as many cells.

    level: its name, after the name of the ladder where there are several. is_total_only: whether no such group could
    have got a table. count_moe95: of one count, a cell or a total without a table. total_moe95: of a total; None where
    it has an interval alone. changed:
    groups whose total reconciling changed. within_*: groups whose total has a margin of error of at most so many per
    cent of it. statistic, region_type: of a table of one's own, the name of the table, or of a total alone, and the
    region type of its groups.
    """

    level: str
    cells: int
    is_total_only: bool
    count_moe95: Span
    total_moe95: Span | None
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


def in_order(kinds: Iterable[Kind], facts: ReleaseFacts) -> tuple[Kind, ...]:
    """Kinds in the order of the levels; of a level, those with fewer cells first."""
    order = {level.name: place for place, level in enumerate(facts.levels)}
    return tuple(sorted(kinds, key=lambda kind: (order[kind.level], kind.cells, not kind.is_total_only)))


def span_of_one(margin: float | None) -> Span | None:
    """The margin that all counts of a kind have, if they have one."""
    return None if margin is None else Span(margin, margin, margin)
