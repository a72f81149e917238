"""Shares of the people of a group who are female, or of some ages, with 95 % intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.statistics.intervals import shares

_LEVEL = Fraction(95, 100)
_STEPS = 1000  # tenths of a per cent
Groups = Sequence[Mapping[str, Any]]  # rows of reported_groups


@dataclass(frozen=True, slots=True)
class Part:
    """Cells of tables whose share is shown. sex: None for both. first, last: ages, years; 0 and None for all."""

    name: str
    sex: str | None
    first: int
    last: int | None


def parts_of(facts: ReleaseFacts, groups: Groups) -> tuple[Part, ...]:
    """The shares that every table has: of women, and of the age groups of the coarsest table.

    None where noise is not that of the laws alone: in reconciled counts, and in those that were cut at 0.
    """
    layouts = {(*group["age_starts"],): group["age_ends"] for group in groups if group["age_starts"] is not None}
    if facts.reconciled is not None or facts.is_clipped or not layouts:
        return ()
    starts = min(layouts, key=len)
    *ages, (oldest, last) = zip(starts, layouts[starts], strict=True)
    return (
        Part("female", "female", 0, None),
        *(Part(f"{start}–{end}" if start else f"under {end + 1}", None, start, end) for start, end in ages),
        Part(f"{oldest} and over", None, oldest, last),
    )


def share_ends(facts: ReleaseFacts, groups: Groups, parts: Sequence[Part]) -> list[list[int]]:
    """Of each group with a table, in their order, the ends of the interval of each part, tenths of a per cent.

    Every share has an interval, be it all from 0 to 1,000. Ends are rounded outwards.
    """
    tabulated = [group for group in groups if group["age_starts"] is not None]
    alike: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for place, group in enumerate(tabulated):
        key = (group["level_name"], (*group["age_starts"],))
        alike.setdefault(key, []).append(place)
    ends = np.zeros((len(tabulated), 2 * len(parts)), dtype=np.int64)
    (ladder,) = facts.parameters.ladders
    for (level, _), places in alike.items() if parts else ():
        law = facts.level_called(ladder.name, level).calls.stage_2.law
        own = [tabulated[place] for place in places]
        counts = np.array([[*group["male_counts"], *group["female_counts"]] for group in own], dtype=np.int64)
        for number, part in enumerate(parts):
            ends[places, 2 * number : 2 * number + 2] = _ends(law, counts, _cells_of(own[0], part))
    return [list(map(int, row)) for row in ends]


def _cells_of(group: Mapping[str, Any], part: Part) -> list[int]:
    """The places of the cells of a part in a table, men before women."""
    ages = list(zip(group["age_starts"], group["age_ends"], strict=True))
    last = part.last if part.last is not None else ages[-1][1]
    cells = [(sex, start, end) for sex in ("male", "female") for start, end in ages]
    return [
        place
        for place, (sex, start, end) in enumerate(cells)
        if part.sex in (None, sex) and part.first <= start and end <= last
    ]


def _ends(law: Law, counts: Int64s, cells: Sequence[int]) -> Int64s:
    """The ends of the shares that some cells have of the sum of all: int64[n, 2]."""
    sizes = len(cells), counts.shape[1]
    found = shares(law, sizes, counts[:, cells].sum(axis=1), counts.sum(axis=1), _LEVEL)
    return np.stack([np.floor(_STEPS * found.lows), np.ceil(_STEPS * found.highs)], axis=1).astype(np.int64)
