"""SafeTab's exact part in plain loops: slow and obviously right, written from the specification alone.

It imports nothing of the package, runs no SQL and uses no numpy, so that a mistake in one is not repeated in the
other. Inputs are plain dicts with the columns of the input files: codes are text, QAGE is an integer, a race place
without a code is None, and the flags of an iteration are True, False or None.
Source: tabulation.md sections 3 to 6; paper Algorithms 1-3.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Row = dict[str, Any]
Block = tuple[str, str, str, str]
Total = tuple[str, str, str]  # region type, region id, iteration code
Cell = tuple[str, str, str, str, str, str]  # the same, first age, last age, sex


def _place(block: Row) -> str | None:
    return None if block["PLACEFP"] == "99999" else block["TABBLKST"] + block["PLACEFP"]


def _aiannh(block: Row) -> str | None:
    return None if block["AIANNHCE"] == "9999" else block["AIANNHCE"]


def _county(block: Row) -> str:
    return block["TABBLKST"] + block["TABBLKCOU"]


def _tract(block: Row) -> str:
    return block["TABBLKST"] + block["TABBLKCOU"] + block["TABTRACTCE"]


@dataclass(frozen=True)
class RegionType:
    part: str  # US or PR
    is_sub_state: bool
    region_id: Callable[[Row], str | None]  # of a block; None where it has none


REGION_TYPES = {
    "USA": RegionType("US", False, lambda _: "1"),
    "STATE": RegionType("US", False, lambda block: block["TABBLKST"]),
    "COUNTY": RegionType("US", True, _county),
    "TRACT": RegionType("US", True, _tract),
    "PLACE": RegionType("US", True, _place),
    "AIANNH": RegionType("US", True, _aiannh),
    "PR-STATE": RegionType("PR", False, lambda _: "72"),
    "PR-COUNTY": RegionType("PR", True, _county),
    "PR-TRACT": RegionType("PR", True, _tract),
    "PR-PLACE": RegionType("PR", True, _place),
}
AGE_STARTS = {
    1: [0, 18, 45, 65],
    2: [0, 5, 18, 25, 35, 45, 55, 65, 75],
    3: [0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85],
}


@dataclass(frozen=True)
class Inputs:
    """iterations: ITERATION_CODE, LEVEL, KIND (alone, combination or ethnicity), DETAILED_ONLY, COARSE_ONLY.

    links: pairs of iteration code and race or ethnicity code. levels: thresholds by (region type, iteration level),
    of the levels with a budget above zero. us_states: empty for a run without the US part.
    """

    persons: list[Row]
    blocks: list[Row]
    iterations: list[Row]
    links: set[tuple[str, str]]
    levels: dict[tuple[str, int], tuple[int, int, int]]
    max_race_codes: int
    us_states: list[str]
    run_pr: bool
    region_types: dict[str, RegionType] = field(default_factory=lambda: REGION_TYPES)


def age_bins(stat_level: int) -> list[tuple[int, int]]:
    starts = AGE_STARTS[stat_level]
    return [(start, following - 1) for start, following in zip(starts, [*starts[1:], 116], strict=True)]


def level_blocks(inputs: Inputs, region_type: str) -> list[Row]:
    states = inputs.us_states if inputs.region_types[region_type].part == "US" else ["72"] * inputs.run_pr
    return [block for block in inputs.blocks if block["TABBLKST"] in states]


def level_iterations(inputs: Inputs, region_type: str, iteration_level: int) -> list[Row]:
    """The iterations tabulated at one population group level."""
    excluded = "DETAILED_ONLY" if inputs.region_types[region_type].is_sub_state else "COARSE_ONLY"
    return [row for row in inputs.iterations if row["LEVEL"] == iteration_level and row[excluded] is False]


def race_codes(inputs: Inputs, person: Row) -> set[str]:
    places = [person[f"QRACE{place}"] for place in range(1, inputs.max_race_codes + 1)]
    return {code for code in places if code is not None}


def belongs(inputs: Inputs, iteration: Row, races: set[str], ethnicity: str) -> bool:
    """Whether a person with these codes is in the iteration."""
    codes = {code for iteration_code, code in inputs.links if iteration_code == iteration["ITERATION_CODE"]}
    if iteration["KIND"] == "ethnicity":
        return ethnicity in codes
    return races <= codes if iteration["KIND"] == "alone" else bool(races & codes)


def exact_tables(inputs: Inputs) -> tuple[dict[Total, int], dict[Cell, int]]:
    """T1 of every tabulated group, and T2 with every bin of every stat level and the sex marginals."""
    t1: dict[Total, int] = {}
    t2: dict[Cell, int] = {}
    for region_type, iteration_level in inputs.levels:
        region_of = inputs.region_types[region_type].region_id
        region_of_block = {_block_key(block): region_of(block) for block in level_blocks(inputs, region_type)}
        for iteration in level_iterations(inputs, region_type, iteration_level):
            members = _members(inputs, iteration, region_of_block)
            for region, people in members.items():
                group = (region_type, region, iteration["ITERATION_CODE"])
                t1[group] = len(people)
                if not iteration["DETAILED_ONLY"]:
                    for stat_level in AGE_STARTS:
                        t2.update(_cells(group, people, stat_level))
    return t1, t2


def _members(inputs: Inputs, iteration: Row, region_of_block: dict[Block, str | None]) -> dict[str, list[Row]]:
    """The people of the iteration in every region, those with nobody included."""
    members: dict[str, list[Row]] = {region: [] for region in region_of_block.values() if region is not None}
    for person in inputs.persons:
        region = region_of_block.get(_block_key(person))
        if region is not None and belongs(inputs, iteration, race_codes(inputs, person), person["QSPAN"]):
            members[region].append(person)
    return members


def _block_key(row: Row) -> Block:
    return row["TABBLKST"], row["TABBLKCOU"], row["TABTRACTCE"], row["TABBLK"]


def _cells(group: Total, members: list[Row], stat_level: int) -> dict[Cell, int]:
    """The table of one group at one stat level, zeros and the sex marginals included."""
    cells = {}
    for sex in ("1", "2"):
        ages = [person["QAGE"] for person in members if person["QSEX"] == sex]
        cells[(*group, "*", "*", sex)] = len(ages)
        for first, last in age_bins(stat_level):
            cells[(*group, str(first), str(last), sex)] = len([age for age in ages if first <= age <= last])
    return cells


def noiseless_tables(inputs: Inputs, *, is_suppressing: bool) -> tuple[dict[Total, int], dict[Cell, int]]:
    """What a run publishes whose noise is always zero, negative counts being out of the question then.

    is_suppressing: whether sub-state totals of zero are left out.
    """
    t1, t2 = exact_tables(inputs)
    published_t1, published_t2 = {}, {}
    for group, total in t1.items():
        region_type, _, code = group
        (iteration,) = [row for row in inputs.iterations if row["ITERATION_CODE"] == code]
        level = 0
        if not iteration["DETAILED_ONLY"]:
            level = stat_level(total, inputs.levels[region_type, iteration["LEVEL"]])
        if level == 0 and is_suppressing and total == 0 and inputs.region_types[region_type].is_sub_state:
            continue
        published_t1[group] = total
        if level > 0:
            bins = [("*", "*"), *((str(first), str(last)) for first, last in age_bins(level))]
            keys = [(*group, first, last, sex) for first, last in bins for sex in ("1", "2")]
            published_t2.update({key: t2[key] for key in keys})
    return published_t1, published_t2


def stat_level(total: int, thresholds: tuple[int, int, int]) -> int:
    return sum(1 for threshold in thresholds if threshold <= total)


def stability(inputs: Inputs, region_type: str, iteration_level: int) -> int:
    """Most groups of the level that anybody can be in, all answers tried: tabulation.md section 4.3; at least 1."""
    iterations = level_iterations(inputs, region_type, iteration_level)
    races = [row for row in iterations if row["KIND"] != "ethnicity"]
    ethnicities = [row for row in iterations if row["KIND"] == "ethnicity"]
    tabulated = {row["ITERATION_CODE"] for row in iterations}
    alike: dict[frozenset[str], str] = {}  # one code stands for all that are in the same iterations
    for code in sorted({code for _, code in inputs.links}):
        alike[frozenset(iteration for iteration, held in inputs.links if held == code and iteration in tabulated)] = (
            code
        )
    codes = list(alike.values())
    answers = [set(held) for size in range(1, inputs.max_race_codes + 1) for held in combinations(codes, size)]
    most = max((number(inputs, races, held, "") for held in answers), default=0)
    return max(1, most + max((number(inputs, ethnicities, set(), code) for code in codes), default=0))


def number(inputs: Inputs, iterations: list[Row], races: set[str], ethnicity: str) -> int:
    """How many of the iterations a person with these codes belongs to."""
    return len([row for row in iterations if belongs(inputs, row, races, ethnicity)])
