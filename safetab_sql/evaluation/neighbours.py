"""Neighbours of an extract: one person with all records removed, added or put in another's place; and another order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.evaluation.audit_stability import chosen_places
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.sources import Source


@dataclass(frozen=True, slots=True)
class RecordFile:
    """Records in the memory. name: of the file below the folder of the extract. person, id: columns, where they exist.

    person: what tells whose records these are; None where each record is a person. id: what may not repeat.
    """

    name: str
    records: pa.Table
    person: str | None = None
    id: str | None = None

    @property
    def keys(self) -> pa.ChunkedArray:
        """The person of each record: their names, or the places of the records."""
        if self.person is None:
            return pa.chunked_array([pa.array(np.arange(self.records.num_rows)).cast(pa.string())])
        return self.records[self.person].cast(pa.string())


Extract = tuple[RecordFile, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An extract that differs. what: how, for a reader. times: so many losses of one person bound its effect."""

    what: str
    times: int
    files: Extract


def read_extract(
    sources: Sequence[tuple[Source, str | None]], below: Path, id_: str | None, resources: Resources
) -> Extract:
    """The records of these sources, each with its column of persons, by the names of their files below a folder."""
    found: list[RecordFile] = []
    for number, (source, person) in enumerate(sources):
        with (
            scratch_folder(resources.scratch) as scratch,
            open_database(scratch, source.files, [], resources) as database,
        ):
            for file in parquet_files(database, source, scratch, f"table-{number}"):
                is_below = source.is_parquet and file.resolve().is_relative_to(below.resolve())
                name = str(file.resolve().relative_to(below.resolve())) if is_below else file.name
                found.append(RecordFile(name, pq.ParquetFile(file).read(), person, id_))
    return tuple(found)


def write_extract(files: Extract, folder: Path) -> None:
    """Write the records to a folder."""
    for file in files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(file.records, folder / file.name)


def neighbours(files: Extract, number: int) -> Iterator[Neighbour]:
    """`number` neighbours: persons with the most answers, and others all over; removed, added, changed by turns.

    First comes the same extract in another order, which costs nobody anything.
    """
    yield Neighbour("all records in another order", 0, tuple(_reversed(file) for file in files))
    persons = _persons(files)
    chosen = chosen_places(number, len(persons))
    for turn, place in enumerate(chosen):
        person, other = persons[place - 1], persons[(place + len(persons) // 2) % len(persons)]
        called = f"record {int(person[1]) + 1} of {person[0]}" if person[0] else f"person {person[1]}"
        if turn % 3 == 0:
            yield Neighbour(f"{called} removed", 1, _without(files, person))
        elif turn % 3 == 1:
            yield Neighbour(f"another like {called} added", 1, _with_another(files, person))
        else:
            yield Neighbour(f"{called} changed", 2, _with_another(_without(files, person), other, person))


Person = tuple[str, str]  # the file, where a record is a person, and the key


def _reversed(file: RecordFile) -> RecordFile:
    return replace(file, records=file.records.take(pa.array(np.arange(file.records.num_rows)[::-1])))


def _persons(files: Extract) -> list[Person]:
    """All persons, those with the most values in their records first."""
    values: dict[Person, int] = {}
    for file in files:
        owner = file.name if file.person is None else ""
        for key, filled in zip(file.keys.to_pylist(), _filled(file.records).tolist(), strict=True):
            values[owner, key] = values.get((owner, key), 0) + filled
    return sorted(values, key=lambda person: -values[person])


def _filled(records: pa.Table) -> Int64s:
    """How many values each record has."""
    columns = (pc.is_valid(column).cast(pa.int64()).to_numpy() for column in records.columns)
    return reduce(add, columns, np.zeros(records.num_rows, dtype=np.int64))


def _owns(file: RecordFile, person: Person) -> pa.ChunkedArray:
    is_here = file.person is not None or file.name == person[0]
    return pc.and_(pc.fill_null(pc.equal(file.keys, person[1]), False), is_here)


def _without(files: Extract, person: Person) -> Extract:
    return tuple(replace(file, records=file.records.filter(pc.invert(_owns(file, person)))) for file in files)


def _with_another(files: Extract, like: Person, instead_of: Person | None = None) -> Extract:
    """With copies of the records of one person, first in their files, as those of somebody new."""
    made = []
    for file in files:
        records = file.records.filter(_owns(file, like))
        for column in {file.person, file.id} - {None}:
            new = _new_name(files, str(column)) if instead_of is None or column == file.id else instead_of[1]
            place, kind = records.column_names.index(str(column)), records.schema.field(str(column)).type
            names = pa.array([new] * records.num_rows, pa.string()).cast(kind)
            records = records.set_column(place, records.schema.field(place), names)
        made.append(replace(file, records=pa.concat_tables([records, file.records])))
    return tuple(made)


def _new_name(files: Extract, column: str) -> str:
    """A value that a column has nowhere: above all numbers, or longer than all words."""
    known = [file.records[column] for file in files if column in file.records.column_names]
    if all(pa.types.is_integer(each.type) for each in known):
        return str(1 + max(pc.max(each).as_py() or 0 for each in known))
    longest = max((str(value) for each in known for value in each.unique().to_pylist()), key=len, default="")
    return f"{longest}0"
