"""The mark of files that were made from exact counts: it is made here and read here, and nowhere else.

A mark stands in the bytes of a file, so it moves with the file and is copied with it. Parquet files have it in their
key-value metadata, JSON as a member, and every other file as a phrase near its beginning: HTML in a `meta` element, SVG
in a comment, PNG in a chunk of text, CSV as the name of a column, a log in its first line.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CONFIDENTIAL = "confidential"  # the member of JSON, and the key of the metadata of Parquet
PHRASE = "confidential: made from exact counts"
PARQUET_MARK: Mapping[str, str] = {CONFIDENTIAL: "made from exact counts"}
HTML_MARK = f'<meta name="description" content="{PHRASE}">'
_BEGINNING = 2**13  # bytes of a file in which the phrase stands
_LARGEST_JSON = 2**26  # bytes
_PNG_BEGINNING = 33  # bytes of its signature and of its first chunk


def marked_json(answer: Mapping[str, object]) -> dict[str, object]:
    """The answer, or the manifest, with the mark as its first member."""
    return {CONFIDENTIAL: True, **answer}


def marked_table(table: pa.Table) -> pa.Table:
    """The table with the mark in the metadata of its schema, which Parquet files keep."""
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **PARQUET_MARK})


def marked_columns(table: pa.Table) -> pa.Table:
    """The table for a CSV file: its last column is the mark, and true in every row."""
    return table.append_column(PHRASE, pa.array([True] * table.num_rows, pa.bool_()))


def mark_image(file: Path) -> None:
    """Mark an SVG or PNG file, if it is one; it looks as before."""
    content = file.read_bytes()
    if file.suffix == ".png":
        chunk = b"tEXt" + b"Comment\0" + PHRASE.encode()
        whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        file.write_bytes(content[:_PNG_BEGINNING] + whole + content[_PNG_BEGINNING:])
    if file.suffix == ".svg":
        element = content.index(b"<svg")
        end = content.index(b">", element) + 1
        file.write_bytes(content[:end] + f"<!-- {PHRASE} -->".encode() + content[end:])


def is_marked(file: Path) -> bool:
    """Whether a file or an object says that it was made from exact counts; False where it cannot be read."""
    try:
        with file.open("rb") as stream:
            beginning = stream.read(_BEGINNING)
            if beginning.startswith(b"PAR1"):
                return CONFIDENTIAL.encode() in (pq.read_metadata(stream).metadata or {})
            if PHRASE.encode() in beginning:
                return True
            if not beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                return False
            rest = stream.read(_LARGEST_JSON)
        return is_marked_json(json.loads(beginning + rest))
    except (OSError, ValueError, RecursionError, pa.ArrowException):
        return False


def is_marked_json(found: Any) -> bool:
    """Whether what JSON holds, such as a manifest, is marked."""
    return isinstance(found, dict) and bool(found.get(CONFIDENTIAL))
