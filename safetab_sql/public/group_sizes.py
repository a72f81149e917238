"""A public table of how many groups of each level have how many people: columns LEVEL, PEOPLE and GROUPS."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.public.gate import public_file

SIZES = "sizes"  # what the input is called
COLUMNS = ("LEVEL", "PEOPLE", "GROUPS")
_ABOUT = "write columns LEVEL (such as COUNTY-2), PEOPLE and GROUPS: so many groups of the level have so many people"
_LARGEST = 2**53  # of a number that a float holds exactly

GroupSizes = Mapping[str, tuple[Int64s, Int64s]]  # by level: people, rising, and how many groups have so many


def public_group_sizes(path: str | Path, levels: Sequence[str]) -> GroupSizes:
    """The sizes in a CSV or Parquet file, of these levels. Raises: InputError with every problem."""
    table = _read(public_file(SIZES, path).path)
    missing = [name for name in COLUMNS if name not in table.column_names]
    refuse([Problem(str(path), f"missing columns {', '.join(missing)}", _ABOUT)] if missing else [])
    try:
        names = table["LEVEL"].cast(pa.string()).to_pylist()
        people, groups = (table[name].cast(pa.int64()).to_numpy() for name in COLUMNS[1:])
    except pa.ArrowException as error:
        raise InputError([Problem(str(path), f"not whole numbers: {error}", _ABOUT)]) from error
    refuse(list(_problems(str(path), table, names, levels)))
    places = np.array(names)
    return {name: counted(people[places == name], groups[places == name]) for name in levels}


def _read(path: Path) -> pa.Table:
    try:
        return parquet.read_table(path) if path.suffix == ".parquet" else csv.read_csv(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", "name a CSV or Parquet file")]) from error


def _problems(where: str, table: pa.Table, names: Sequence[str | None], levels: Sequence[str]) -> Iterator[Problem]:
    for name in COLUMNS[1:]:
        least, most = pc.min(table[name]).as_py(), pc.max(table[name]).as_py()
        if table[name].null_count or least is None or least < 0 or most > _LARGEST:
            yield Problem(f"{where} {name}", "not whole numbers, 0 or more", _ABOUT)
    lacking = [name for name in levels if name not in names]
    if lacking:
        near = nearest(lacking[0], dict.fromkeys(map(str, names)))
        guess = f"; is {near} meant?" if near else ""
        yield Problem(f"{where} LEVEL", f"no {', '.join(lacking)}", f"write a row for each size of its groups{guess}")


def counted(people: Int64s, groups: Int64s | None = None) -> tuple[Int64s, Int64s]:
    """Sizes, each once and rising, and how many groups have each. groups: of each given size; 1 without."""
    sizes, places = np.unique(people, return_inverse=True)
    number = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(number, places, 1 if groups is None else groups)
    return sizes, number
