"""Region types and population group levels: the geography and the detail that a run can tabulate."""

from dataclasses import dataclass
from typing import Literal

Part = Literal["US", "PR"]

# Level 0 (major groups) is never tabulated. Source: tabulation.md sections 1 and 4.
ITERATION_LEVELS: tuple[int, ...] = (1, 2)


@dataclass(frozen=True, slots=True)
class RegionType:
    """A kind of geography, and how to tell the region of a block.

    id: SQL expression over the columns of the geography file; text, or NULL where the block has no region.
    none_id: an id that means "no region". part: the part that tabulates it, the US or Puerto Rico. is_sub_state: False
    for nations and states, which use other iterations and are never suppressed.
    """

    name: str
    id: str
    part: Part
    is_sub_state: bool
    none_id: str | None = None


@dataclass(frozen=True, slots=True)
class PopulationGroupLevel:
    """A region type and an iteration level (1 regional, 2 detailed); each has its own budget."""

    region_type: str
    iteration_level: int

    @property
    def name(self) -> str:
        """`COUNTY-2`: the name that parameter files, ledgers and messages use."""
        return f"{self.region_type}-{self.iteration_level}"


_COUNTY = "TABBLKST || TABBLKCOU"
_TRACT = "TABBLKST || TABBLKCOU || TABTRACTCE"
_PLACE = "TABBLKST || nullif(PLACEFP, '99999')"

# A region type of Puerto Rico sees only blocks of state 72, so the expressions of the US are right for it too.
# Source: tabulation.md section 3.
STANDARD_REGION_TYPES: tuple[RegionType, ...] = (
    RegionType("USA", "'1'", "US", is_sub_state=False),
    RegionType("STATE", "TABBLKST", "US", is_sub_state=False),
    RegionType("COUNTY", _COUNTY, "US", is_sub_state=True),
    RegionType("TRACT", _TRACT, "US", is_sub_state=True),
    RegionType("PLACE", _PLACE, "US", is_sub_state=True),
    RegionType("AIANNH", "nullif(AIANNHCE, '9999')", "US", is_sub_state=True),
    RegionType("PR-STATE", "TABBLKST", "PR", is_sub_state=False),
    RegionType("PR-COUNTY", _COUNTY, "PR", is_sub_state=True),
    RegionType("PR-TRACT", _TRACT, "PR", is_sub_state=True),
    RegionType("PR-PLACE", _PLACE, "PR", is_sub_state=True),
)
