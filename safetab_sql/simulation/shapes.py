"""Shapes for a made-up nation: each state is a square, about where the state lies."""

import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# FIPS codes of the states, one a square.
_SQUARES = """
02 .. .. .. .. .. .. .. .. .. .. 23
.. .. .. .. .. .. .. .. .. .. 50 33
.. 53 16 30 38 27 17 55 26 36 44 25
.. 41 32 56 46 19 18 39 42 34 09 ..
.. 06 49 08 31 29 21 54 51 24 10 ..
.. .. 04 35 20 05 47 37 45 11 .. ..
.. .. .. .. 40 22 28 01 13 .. .. ..
15 .. .. .. 48 .. .. .. .. 12 .. ..
"""
_GEO = {
    "version": "1.1.0",
    "primary_column": "geometry",
    "columns": {"geometry": {"encoding": "WKB", "geometry_types": ["Polygon"], "crs": None}},  # on no globe
}


def write_shapes(file: Path) -> None:
    """Write GeoParquet with a row for each state: REGION_TYPE, REGION_ID and geometry."""
    squares = [
        (code, (column, -row))
        for row, line in enumerate(_SQUARES.split("\n"))
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
