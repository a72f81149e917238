"""Made-up geography of one state: counties, tracts, blocks, places and AIANNH areas, with people in them.

Everything is an array over tracts or blocks, in order of (county, tract, block). Places and AIANNH areas are
runs of consecutive blocks, so that they nest in nothing, as real ones do.
"""

import json
import struct
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import Problem
from safetab_sql.published.states import STATE_NAMES

# The states of the synthetic nation, their squares on a map, and how a total is divided among parts. The facts of
# 2020 stand in nation.toml.

US_PEOPLE = 331_449_281  # the 50 states and DC, 1 April 2020
_GEO = {
    "version": "1.1.0",
    "primary_column": "geometry",
    "columns": {"geometry": {"encoding": "WKB", "geometry_types": ["Polygon"], "crs": None}},  # on no globe
}


@dataclass(frozen=True, slots=True)
class StateSize:
    """Size of a state in 2020: resident people, counties, AIANNH areas that lie within it (rough)."""

    code: str
    people: int
    counties: int
    aiannh_areas: int


@cache
def nation_facts() -> Mapping[str, Any]:
    """The contents of nation.toml."""
    return tomllib.loads((Path(__file__).parent / "nation.toml").read_text(encoding="utf-8"))


@cache
def state_sizes() -> Mapping[str, StateSize]:
    """The 50 states and DC by code."""
    return {code: StateSize(code, **facts) for code, facts in nation_facts()["sizes"].items()}


def apportioned(total: int, weights: Floats, *, at_least: int = 0) -> Int64s:
    """`total` divided in proportion to `weights` by largest remainders, after `at_least` for each part.

    float64[n] -> int64[n] that sums to `total` exactly; `total` must be at_least * n or more.
    """
    quotas = (total - at_least * weights.size) * (weights / weights.sum())
    parts = np.floor(quotas).astype(np.int64)
    missing = total - at_least * weights.size - int(parts.sum())
    parts[np.argsort(parts - quotas, kind="stable")[:missing]] += 1
    return np.asarray(parts + at_least)


def state_people(people: int) -> dict[str, int]:
    """People of each of the 50 states and DC, in proportion to 2020; 1,000 reach every state."""
    sizes = np.array([state.people for state in state_sizes().values()], dtype=np.float64)
    return dict(zip(state_sizes(), apportioned(people, sizes).tolist(), strict=True))


def size_problems(what: str, people: int, fewest: int, most: int, seed: int) -> list[Problem]:
    """What is wrong with the size of what is simulated, and with the seed. what: the size in words."""
    wrong = Problem("people", what, f"choose between {fewest:,} and {most:,}")
    negative = Problem("seed", f"{seed} is negative", "choose 0 or more")
    return [wrong] * (not fewest <= people <= most) + [negative] * (seed < 0)


def random_stream(seed: int, state_code: str, purpose: int) -> np.random.Generator:
    """The stream of one purpose in one state: independent of the order in which states are made."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, int(state_code), purpose])))


def write_shapes(file: Path) -> None:
    """Write GeoParquet with a square for each state: REGION_TYPE, REGION_ID and geometry."""
    rows = []
    for bottom, line in enumerate(nation_facts()["squares"].splitlines(), start=1):
        for left, code in enumerate(line.split()):
            # A square of side 1 as a polygon of one ring in well-known binary.
            steps = ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
            ends = (number for right, up in steps for number in (left + right, up - bottom))
            shape = struct.pack("<BIII10d", 1, 3, 1, len(steps), *ends)
            rows += [{"REGION_TYPE": "STATE", "REGION_ID": code, "geometry": shape}] if code != ".." else []
    pq.write_table(pa.Table.from_pylist(rows).replace_schema_metadata({"geo": json.dumps(_GEO)}), file)


# Parquet files of the synthetic nation: one row group a table, plain text columns.


def write_parquet(path: Path, tables: Iterator[pa.Table]) -> None:
    """Write one row group a table, as the tables come; there must be one or more."""
    first = next(tables)
    # Without the Arrow schema, dictionary-encoded text reads back as plain text.
    options = {"compression": "zstd", "compression_level": 1, "store_schema": False}
    with pq.ParquetWriter(path, first.schema, **options) as writer:
        for table in chain([first], tables):
            writer.write_table(table, row_group_size=table.num_rows)


def coded_text(numbers: NDArray[np.int64], width: int) -> pa.DictionaryArray:
    """Numbers as zero-padded text of `width` digits, at most six. int64[n] -> dictionary-encoded text[n]."""
    is_present = np.zeros(numbers.max(initial=0) + 1, dtype=bool)
    is_present[numbers] = True
    index = (np.cumsum(is_present) - 1).astype(np.int32)  # of each that is present
    text = [f"{number:0{width}d}" for number in np.flatnonzero(is_present).tolist()]
    return pa.DictionaryArray.from_arrays(index[numbers], pa.array(text, pa.string()))


PEOPLE_PER_TRACT = 3_950  # 2020: 331 million people in 84 thousand tracts
PEOPLE_PER_BLOCK = 41  # 2020: 331 million people in 8 million blocks, of which about three in ten are empty
SMALLEST_TRACT, LARGEST_TRACT = 6, 900  # blocks
NO_PLACE, NO_AIANNH = 99_999, 9_999
EMPTY_TRACT = 990_000  # numbers that the Bureau gives to tracts of water
ROWS_PER_GROUP = 131_072


@dataclass(frozen=True, slots=True)
class Geography:
    """One state: int arrays over its tracts (tract_*) and its blocks (block_*), both in order of their codes.

    tract_county: county code. tract_first_block: index of the tract's first block, and at last of all blocks.
    block_tract: index of the block's tract. block_place, block_aiannh: codes, or NO_PLACE, NO_AIANNH.
    """

    state_code: str
    tract_county: Int64s
    tract_code: Int64s
    tract_people: Int64s
    tract_first_block: Int64s
    block_tract: Int64s
    block_code: Int64s
    block_people: Int64s
    block_place: Int64s
    block_aiannh: Int64s


def aiannh_codes(people: int) -> dict[str, list[int]]:
    """Codes of the AIANNH areas in each state of a nation of `people`; some codes stand in two states."""
    scale, pairs = people / US_PEOPLE, nation_facts()["states_that_share_an_area"]
    areas = pairs[: max(4, round(len(pairs) * scale))]
    for state in state_sizes().values():
        fewest = 1 if state.aiannh_areas >= 20 else 0
        areas += [[state.code]] * max(fewest, round(state.aiannh_areas * scale))
    codes: dict[str, list[int]] = {state.code: [] for state in state_sizes().values()}
    for number, states in enumerate(areas, start=1):
        for state_code in states:
            codes[state_code].append(10 * number)
    return codes


def state_geography(code: str, sizes: Mapping[str, int], *, seed: int) -> Geography:
    """A state of a nation, with counties in proportion to 2020 and tracts of about 4,000 people. sizes: by state.

    The largest state has a tract with nobody. Making it twice costs less than keeping 52 of them.
    """
    stream, aiannh = random_stream(seed, code, 1), aiannh_codes(sum(sizes.values()))[code]
    fewest_empty = int(sizes[code] == max(sizes.values()))
    tract_county, tract_code, tract_people = _tracts(stream, state_sizes()[code], sizes[code], fewest_empty)
    # Dense tracts have few blocks for their people, sparse ones many.
    spread = stream.lognormal(-0.125, 0.5, tract_people.size)  # mean 1
    blocks = np.clip(np.rint(tract_people / PEOPLE_PER_BLOCK * spread), SMALLEST_TRACT, LARGEST_TRACT).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(blocks)])
    block_tract = np.repeat(np.arange(blocks.size), blocks)
    return Geography(
        state_code=code,
        tract_county=tract_county,
        tract_code=tract_code,
        tract_people=tract_people,
        tract_first_block=first,
        block_tract=block_tract,
        block_code=_block_codes(blocks, block_tract, first, tract_people),
        block_people=_block_people(stream, tract_people, block_tract, first),
        block_place=_block_places(stream, tract_people, block_tract, first),
        block_aiannh=_block_aiannh(stream, aiannh, tract_people, blocks),
    )


def _tracts(stream: np.random.Generator, state: StateSize, people: int, fewest_empty: int) -> tuple[Int64s, ...]:
    """County code, tract code and people of each tract, tracts without people last in the last county."""
    tracts = max(1, round(people / PEOPLE_PER_TRACT))
    share = people / state.people
    counties = min(tracts, max(1, round(state.counties * share)))
    tracts_of_county = apportioned(tracts, stream.lognormal(0, 1.4, counties), at_least=1)
    size = np.clip(stream.lognormal(0, 0.4, tracts), 0.1, 3)
    empty = max(fewest_empty, tracts * 4 // 1000)
    county = np.repeat(2 * np.arange(counties) + 1, tracts_of_county)  # county codes are odd: 001, 003, ...
    first_of_county = np.repeat(np.cumsum(tracts_of_county) - tracts_of_county, tracts_of_county)
    code = 100 * (np.arange(tracts) - first_of_county + 1)
    return (
        np.concatenate([county, np.full(empty, county[-1])]),
        np.concatenate([code, EMPTY_TRACT + 100 * np.arange(empty)]),
        np.concatenate([apportioned(people, size), np.zeros(empty, dtype=np.int64)]),
    )


def _block_codes(blocks: Int64s, block_tract: Int64s, first: Int64s, tract_people: Int64s) -> Int64s:
    """Block group (1-9; 0 where there is water and nobody) as the first digit, then a number within it."""
    groups = np.clip(tract_people // 1_400 + 1, 1, 6)[block_tract]
    number = np.arange(block_tract.size) - first[block_tract]
    group = number * groups // blocks[block_tract]
    first_of_group = -(-group * blocks[block_tract] // groups)
    first_digit = np.where(tract_people[block_tract] > 0, 1 + group, 0)
    return np.asarray(1_000 * first_digit + number - first_of_group)


def _block_people(stream: np.random.Generator, tract_people: Int64s, block_tract: Int64s, first: Int64s) -> Int64s:
    """People of each block: three blocks in ten empty, the others lognormal; exact sums by tract."""
    blocks = block_tract.size
    weight = stream.lognormal(0, 1.1, blocks) * (stream.random(blocks) < 0.72)
    weight[first[:-1]] += 0.01  # somebody may live in the first block, so that no tract's weights are all zero
    weight[first[1:] - 1] = 0  # nobody lives in the last: every nation has empty blocks
    weight_to = np.cumsum(weight)
    before = np.concatenate([[0.0], weight_to])[first]
    share_to = (weight_to - before[block_tract]) / (before[1:] - before[:-1])[block_tract]
    people_to = np.rint(share_to * tract_people[block_tract]).astype(np.int64)
    people_to[first[1:] - 1] = tract_people
    people_before = np.concatenate([[0], people_to[:-1]])
    people_before[first[:-1]] = 0
    return np.asarray(people_to - people_before)


def _block_places(stream: np.random.Generator, tract_people: Int64s, block_tract: Int64s, first: Int64s) -> Int64s:
    """Place code of each block: cities are runs of tracts, towns lie within one; three in ten have none."""
    tracts = tract_people.size
    length = np.minimum(1 + stream.pareto(1.1, tracts) * 1.5, 400).astype(np.int64)
    run = np.searchsorted(np.cumsum(length), np.arange(tracts), side="right")
    in_city = (stream.random(tracts) < 0.55)[run]
    has_town = stream.random(tracts) < 0.75
    start = np.where(in_city, 0.0, 0.6 * stream.random(tracts))
    end = np.where(in_city, 0.95, start + 0.1 + 0.7 * stream.random(tracts))
    # A city is known by its run and a town by its tract, which are numbered after the runs.
    identity = np.where(in_city, run, tracts + np.arange(tracts))
    identity[~(in_city | has_town) | (tract_people == 0)] = -1
    position = (np.arange(block_tract.size) - first[block_tract]) / (first[1:] - first[:-1])[block_tract]
    inside = (position >= start[block_tract]) & (position < end[block_tract])
    block_identity = np.where(inside, identity[block_tract], -1)
    known, number = np.unique(block_identity, return_inverse=True)
    step = max(1, 89_000 // known.size)
    return np.where(block_identity >= 0, 500 + step * number, NO_PLACE)


def _block_aiannh(stream: np.random.Generator, codes: list[int], tract_people: Int64s, blocks: Int64s) -> Int64s:
    """AIANNH code of each block: areas are runs of blocks, heavy-tailed in length, that do not overlap."""
    area = np.full(int(blocks.sum()), NO_AIANNH)
    inhabited_end = int(blocks[tract_people > 0].sum())  # tracts with nobody come last
    slots = np.linspace(0, inhabited_end, len(codes) + 1).astype(np.int64)
    for code, slot_start, slot_end in zip(codes, slots[:-1], slots[1:], strict=True):
        length = min(slot_end - slot_start, 2 + int(stream.lognormal(3.4, 1.6)))
        start = stream.integers(slot_start, slot_end - length, endpoint=True)
        area[start : start + length] = code
    return area


def geography_tables(geography: Geography) -> Iterator[pa.Table]:
    """Rows of geography.parquet for one state, one a block, in tables of bounded size."""
    for start in range(0, geography.block_tract.size, ROWS_PER_GROUP):
        rows = slice(start, start + ROWS_PER_GROUP)
        blocks = block_columns(geography, np.arange(*rows.indices(geography.block_tract.size)))
        place, area = coded_text(geography.block_place[rows], 5), coded_text(geography.block_aiannh[rows], 4)
        yield pa.table({**blocks, "PLACEFP": place, "AIANNHCE": area, **_names(geography, rows)})


def _names(geography: Geography, rows: slice) -> dict[str, pa.DictionaryArray]:
    """The columns with names of regions, for these blocks; without text where a block is in no place, or no area."""
    state, tracts, counties = STATE_NAMES[geography.state_code], geography.block_tract[rows], geography.tract_county
    codes, places, areas = geography.tract_code, geography.block_place[rows], geography.block_aiannh[rows]
    return {
        "STATE_NAME": _named(np.zeros_like(tracts), lambda _: state),
        "COUNTY_NAME": _named(counties[tracts], lambda county: f"County {county}, {state}"),
        "TRACT_NAME": _named(tracts, lambda each: f"Tract {codes[each] / 100:g}, County {counties[each]}, {state}"),
        "PLACE_NAME": _named(places, lambda place: "" if place == NO_PLACE else f"Place {place}, {state}"),
        "AIANNH_NAME": _named(areas, lambda area: "" if area == NO_AIANNH else f"Area {area}"),
    }


def _named(numbers: Int64s, name: Callable[[int], str]) -> pa.DictionaryArray:
    """The name of each number, as dictionary-encoded text."""
    present, index = np.unique(numbers, return_inverse=True)
    return pa.DictionaryArray.from_arrays(index.astype(np.int32), pa.array(map(name, present.tolist()), pa.string()))


def block_columns(geography: Geography, blocks: Int64s) -> dict[str, pa.DictionaryArray]:
    """The four columns that name a block, for the blocks of these indices."""
    tract = geography.block_tract[blocks]
    return {
        "TABBLKST": coded_text(np.full(blocks.size, int(geography.state_code)), 2),
        "TABBLKCOU": coded_text(geography.tract_county[tract], 3),
        "TABTRACTCE": coded_text(geography.tract_code[tract], 6),
        "TABBLK": coded_text(geography.block_code[blocks], 4),
    }
