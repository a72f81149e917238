"""The states of the synthetic nation, their squares on a map, and how a total is divided among parts.

The facts of 2020 stand in nation.toml.
"""

import json
import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.public.states import PUERTO_RICO

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
    """The 50 states, DC and Puerto Rico by code."""
    return {code: StateSize(code, **facts) for code, facts in nation_facts()["sizes"].items()}


def us_states() -> list[StateSize]:
    """The 50 states and DC."""
    return [state for state in state_sizes().values() if state.code != PUERTO_RICO]


def apportioned(total: int, weights: Floats, *, at_least: int = 0) -> Int64s:
    """`total` divided in proportion to `weights` by largest remainders, after `at_least` for each part.

    float64[n] -> int64[n] that sums to `total` exactly; `total` must be at_least * n or more.
    """
    quotas = (total - at_least * weights.size) * (weights / weights.sum())
    parts = np.floor(quotas).astype(np.int64)
    missing = total - at_least * weights.size - int(parts.sum())
    parts[np.argsort(parts - quotas, kind="stable")[:missing]] += 1
    divided: Int64s = parts + at_least
    return divided


def state_people(people: int) -> dict[str, int]:
    """People of each of the 50 states and DC, in proportion to 2020; 1,000 reach every state."""
    sizes = np.array([state.people for state in us_states()], dtype=np.float64)
    return dict(zip((state.code for state in us_states()), apportioned(people, sizes).tolist(), strict=True))


def puerto_rico_people(people: int) -> int:
    """People of Puerto Rico beside a nation of `people`, in proportion to 2020, one or more."""
    return max(1, round(state_sizes()[PUERTO_RICO].people * people / US_PEOPLE))


def random_stream(seed: int, state_code: str, purpose: int) -> np.random.Generator:
    """The stream of one purpose in one state: independent of the order in which states are made."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, int(state_code), purpose])))


def write_shapes(file: Path) -> None:
    """Write GeoParquet with a square for each state: REGION_TYPE, REGION_ID and geometry."""
    squares = [
        (code, (column, -row))
        for row, line in enumerate(nation_facts()["squares"].splitlines(), start=1)
        for column, code in enumerate(line.split())
        if code != ".."
    ]
    columns = {
        "REGION_TYPE": ["STATE"] * len(squares),
        "REGION_ID": [code for code, _ in squares],
        "geometry": [_square(*corner) for _, corner in squares],
    }
    pq.write_table(pa.table(columns).replace_schema_metadata({"geo": json.dumps(_GEO)}), file)


def _square(left: int, bottom: int) -> bytes:
    """A square of side 1 as a polygon of one ring in well-known binary."""
    corners = [(left, bottom), (left + 1, bottom), (left + 1, bottom + 1), (left, bottom + 1), (left, bottom)]
    return struct.pack("<BIII10d", 1, 3, 1, len(corners), *(number for corner in corners for number in corner))
