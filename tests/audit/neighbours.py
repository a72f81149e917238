"""Neighbours of an extract: one person with all records removed, added or put in another's place; and another order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from safetab_sql.kit.arrays import Floats
from tests.audit.extracts import Extract, RecordFile
from tests.audit.stability import chosen_places


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An extract that differs. what: how, for a reader. times: how often the stated loss bounds its effect."""

    what: str
    times: int
    files: Extract


def neighbours(files: Extract, number: int) -> Iterator[Neighbour]:
    """`number` neighbours: persons who are removed, added and changed by turns.

    Every second person is of those with the most and the rarest values, who are in the most groups and alone in some;
    the others are from all over. First comes the same extract in another order, which may cost nothing.
    """
    yield Neighbour("all records in another order", 0, tuple(_reversed(file) for file in files))
    persons = _persons(files)
    for turn, place in enumerate(chosen_places(number, len(persons))):
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
    """All persons, those with the most and the rarest values in their records first."""
    values: dict[Person, float] = {}
    for file in files:
        owner = file.name if file.person is None else ""
        for key, told in zip(file.keys.to_pylist(), _told(file).tolist(), strict=True):
            values[owner, key] = values.get((owner, key), 0) + told
    return sorted(values, key=lambda person: -values[person])


def _told(file: RecordFile) -> Floats:
    """How much each record tells: the bits of its values, of which the rarest have the most; outside, nothing."""
    told = np.zeros(file.records.num_rows)
    for name in file.records.column_names:
        if name not in (file.person, file.id):
            codes = file.records[name].dictionary_encode().combine_chunks().indices.fill_null(-1).to_numpy()
            counts = np.bincount(codes + 1)
            told += np.where(codes < 0, 0, np.log2(codes.size / counts[codes + 1]))
    for name, values in file.where.items():
        told *= pc.is_in(file.records[name].cast(pa.string()), value_set=pa.array(values)).to_numpy()
    return told


def _owns(file: RecordFile, person: Person) -> pa.ChunkedArray:
    is_here = file.person is not None or file.name == person[0]
    return pc.and_(pc.fill_null(pc.equal(file.keys, person[1]), False), is_here)


def _without(files: Extract, person: Person) -> Extract:
    return tuple(replace(file, records=file.records.filter(pc.invert(_owns(file, person)))) for file in files)


def _with_another(files: Extract, like: Person, instead_of: Person | None = None) -> Extract:
    """With copies of the records of one person, first in their files, under another name."""
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
