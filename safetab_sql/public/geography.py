"""What a run knows of the geography before it reads it."""

from collections.abc import Mapping
from dataclasses import dataclass

from safetab_sql.public.levels import Part, PlaceColumn, RegionType


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

    def part_of(self, region_type: str) -> str:
        """The name of the part that a region type belongs to."""
        return next(kind.part for kind in self.region_types if kind.name == region_type)
