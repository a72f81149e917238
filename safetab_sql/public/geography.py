"""What a run knows of the geography before it reads it; that of the 2020 Census is one instance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from safetab_sql.public.levels import (
    STANDARD_PARTS,
    STANDARD_PLACE,
    STANDARD_REGION_TYPES,
    Part,
    PlaceColumn,
    RegionType,
)
from safetab_sql.public.states import PUERTO_RICO, US_STATES

_STATE = "TABBLKST"


@dataclass(frozen=True, slots=True)
class Geography:
    """What a run knows of the geography before it reads it.

    place: the columns that tell the place of a record. parts: every part; no place is in two. run: the names of the
    parts that are tabulated. region_types: of all parts. elsewhere: of a geography whose places are known without its
    file: columns of `place` and the values that they have in no part; records with these are left out, and records
    with any other are wrong. It is empty where every record must have a place of the geography file.
    """

    place: tuple[PlaceColumn, ...]
    parts: tuple[Part, ...]
    run: tuple[str, ...]
    region_types: tuple[RegionType, ...]
    elsewhere: Mapping[str, tuple[str, ...]]

    @property
    def parts_run(self) -> tuple[Part, ...]:
        """The parts that are tabulated."""
        return tuple(part for part in self.parts if part.name in self.run)

    @property
    def is_standard(self) -> bool:
        """Whether it is the geography of the 2020 Census, whose states are known."""
        return bool(self.elsewhere)

    def part_of(self, region_type: str) -> str:
        """The name of the part that a region type belongs to."""
        return next(kind.part for kind in self.region_types if kind.name == region_type)


def standard_geography(states: Sequence[str], run: Sequence[str], own: Sequence[RegionType] = ()) -> Geography:
    """The geography of the 2020 Census. states: two-digit codes of the requested ones. run: US, PR or both."""
    us, pr = STANDARD_PARTS
    outside = tuple(code for code in US_STATES if code not in states)
    return Geography(
        place=STANDARD_PLACE,
        parts=(Part(us, {_STATE: tuple(states)}), Part(pr, {_STATE: (PUERTO_RICO.code,)})),
        run=tuple(part for part in STANDARD_PARTS if part in run),
        region_types=(*STANDARD_REGION_TYPES, *own),
        elsewhere={_STATE: outside},
    )
