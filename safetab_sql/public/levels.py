"""The geography that a run can tabulate: its places, its parts, region types, and population group levels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from safetab_sql.settings.markers import Means, Name, Sized, Switch, Text, Texts, Words
from safetab_sql.settings.tables import table

WHOLE = "all"  # the part of a geography that is not divided
_PART_TITLES = {"PR": "Puerto Rico"}
LONGEST_NUMBER = 18  # decimal digits that fit into int64
REGION_TYPE_NAME = Name(
    "a region type", "[A-Z][A-Z0-9_-]{0,31}", "use capitals, digits, - and _, a capital first, at most 32 characters"
)


@dataclass(frozen=True, slots=True)
class PlaceColumn:
    """A column that records and geography share. digits: the number of digits of its codes; None for any text."""

    name: str
    digits: int | None


@table
class Part:
    """A piece of the geography with budgets of its own; no record is in two.

    where: the values that the columns of the geography have in this part. A place is in the part if each of these
    columns has one of its values; a part without columns is the whole geography.
    """

    name: Annotated[
        str,
        Name(
            "a part",
            "[A-Za-z][A-Za-z0-9_-]{0,31}",
            "use letters, digits, - and _, a letter first, at most 32 characters",
            taken=("one_record", "one_person", "sum"),  # manifests have these beside the parts
        ),
    ]
    where: Annotated[
        Mapping[str, Texts],
        Sized(1, what="where names no column", fix='say which places it has, such as where.TERRITORY = ["M"]'),
        Means("columns of the geography, and their values in this part"),
    ]

    @property
    def key(self) -> str:
        """The name in manifests: lower case."""
        return self.name.lower()


@table
class RegionType:
    """A kind of geography, and how to tell the region of a place.

    id: SQL expression over the columns of the geography file; text, or NULL where the place has no region. part: the
    part that tabulates it. without: the flag of the iterations that are not tabulated here; None tabulates all.
    suppress: whether small totals are suppressed here. none_id: an id that means "no region".
    """

    name: Annotated[str, REGION_TYPE_NAME]
    id: Annotated[Words, Means("SQL over the columns of the geography; its value names the region")]
    part: Annotated[Words, Means("the part of the geography that it divides")] = ""
    without: Annotated[
        str | None,
        Text("[A-Za-z][A-Za-z0-9_]{0,63}", "name a True/False column of the lists of iterations"),
        Means("flag of the iterations that it does not tabulate"),
    ] = None
    suppress: Annotated[Switch, Means("true: small totals are not published")] = False
    none_id: Annotated[str | None, Text(), Means("the id that means no region")] = None


@dataclass(frozen=True, slots=True)
class PopulationGroupLevel:
    """A region type and an iteration level (of the 2020 Census: 1 regional, 2 detailed); each has its own budget.

    kind: alone, combination or the name of a question of one column, where shares divide the budget by kind of
    iteration; None where all iterations of the level are alike.
    """

    region_type: str
    iteration_level: str
    kind: str | None = None

    @property
    def name(self) -> str:
        """`COUNTY-2`, or `COUNTY-2 alone`: the name that parameter files, ledgers and messages use."""
        name = f"{self.region_type}-{self.iteration_level}"
        return name if self.kind is None else f"{name} {self.kind}"


def written_level(name: str) -> PopulationGroupLevel:
    """The level that a parameter file calls so: region type, hyphen, level of the iterations."""
    region_type, _, iteration_level = name.rpartition("-")
    return PopulationGroupLevel(region_type, iteration_level)


def level_of_name(name: str) -> PopulationGroupLevel:
    """The level that `PopulationGroupLevel.name` names."""
    region_type, _, rest = name.rpartition("-")
    iteration_level, _, kind = rest.partition(" ")
    return PopulationGroupLevel(region_type, iteration_level, kind or None)


def part_title(name: str) -> str:
    """What texts call a part: its name."""
    return _PART_TITLES.get(name, name)
