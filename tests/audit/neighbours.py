"""Extracts of records and their neighbours: one person with all records removed, added or put in another's place."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from pathlib import Path
from shutil import rmtree

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.public.inputs import InputPaths, default_code_lists
from safetab_sql.public.sources import Source, find_source
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit
from safetab_sql.simulation.any_shape import simulate_shape
from safetab_sql.simulation.simulate import simulate


@dataclass(frozen=True, slots=True)
class RecordFile:
    """Records in the memory. name: of the file below the folder of the extract. person, id: columns, where they exist.

    person: what tells whose records these are; None where each record is a person. id: what may not repeat. where:
    columns of a record, and their values in the universe.
    """

    name: str
    records: pa.Table
    person: str | None = None
    id: str | None = None
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def keys(self) -> pa.ChunkedArray:
        """The person of each record: their names, or the places of the records."""
        if self.person is None:
            return pa.chunked_array([pa.array(np.arange(self.records.num_rows)).cast(pa.string())])
        return self.records[self.person].cast(pa.string())


Extract = tuple[RecordFile, ...]
Person = tuple[str, str]  # the file, where a record is a person, and the key


def read_extract(given: str | Path, unit: Unit) -> Extract:
    """The records that are named, each file by itself, read as no run reads them. unit: what is counted of them."""
    source = find_source(str(given))
    below = Path(given) if Path(given).is_dir() else source.files[0].parent
    names = [str(each.relative_to(below)) for each in source.files]
    files = zip(names if source.is_parquet else [f"{name}.parquet" for name in names], source.files, strict=True)
    return tuple(RecordFile(name, _records(source, file), unit.person, unit.id, unit.where) for name, file in files)


def _records(source: Source, file: Path) -> pa.Table:
    if source.table is not None:
        with duckdb.connect(str(file), read_only=True) as connection:
            return connection.table(".".join(source.table)).to_arrow_table()
    if source.is_parquet:
        return pq.ParquetFile(file).read()
    lines = [line for line in file.read_text(encoding="utf-8-sig").split("\n") if line]
    mark = "|" if "|" in lines[0] else max(",;\t", key=lines[0].count)
    quoting = csv.QUOTE_NONE if mark == "|" else csv.QUOTE_MINIMAL
    names, *rows = [next(csv.reader([line], delimiter=mark, quoting=quoting, strict=True)) for line in lines]
    texts = [[field or None for field in row] for row in rows]
    return pa.table({name: pa.array([row[at] for row in texts], pa.string()) for at, name in enumerate(names)})


def write_extract(files: Extract, folder: Path) -> None:
    """Write the records to a folder, in place of what is there."""
    rmtree(folder, ignore_errors=True)
    for file in files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(file.records, folder / file.name)


def simulated_inputs(parameters: Parameters, inputs: InputPaths, people: int, scratch: Path) -> InputPaths:
    """Made-up people and places for parameters, in a folder of `scratch`."""
    lists, folder = inputs.code_lists or default_code_lists(Path(str(inputs.parameters))), scratch / "simulated"
    listed = None if lists is None else str(lists)
    if parameters.geography.elsewhere or parameters.questions.shared.digits:  # as `simulate_shape` knows the census
        made = simulate(folder, people=people, code_lists=listed)
    else:
        made = simulate_shape(folder, str(inputs.parameters), people=people, code_lists=listed)
    return replace(made, parameters=inputs.parameters, code_lists=lists or made.code_lists)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An extract that differs. what: how, for a reader. times: how often the stated loss bounds its effect."""

    what: str
    times: int
    files: Extract


def neighbours(files: Extract, number: int) -> Iterator[Neighbour]:
    """The extract in another order, which may cost nothing; persons who are removed, added and changed by turns."""
    yield Neighbour("all records in another order", 0, turned(files))
    persons = persons_of(files)
    for turn, place in enumerate(chosen_places(number, len(persons))):
        person, other = persons[place - 1], persons[(place + len(persons) // 2) % len(persons)]
        if turn % 3 == 0:
            yield Neighbour(f"{called(person)} removed", 1, without(files, person))
        elif turn % 3 == 1:
            yield Neighbour(f"another like {called(person)} added", 1, _with_another(files, person))
        else:
            yield Neighbour(f"{called(person)} changed", 2, _with_another(without(files, person), other, person))


def called(person: Person) -> str:
    return f"record {int(person[1]) + 1} of {person[0]}" if person[0] else f"person {person[1]}"


def turned(files: Extract) -> Extract:
    """The same records, last first."""
    return tuple(
        replace(file, records=file.records.take(pa.array(np.arange(file.records.num_rows)[::-1]))) for file in files
    )


def persons_of(files: Extract) -> list[Person]:
    """All persons, those with the most values in a record, and of these the rarest in all, first."""
    found: dict[Person, tuple[float, float]] = {}
    for file in files:
        owner = file.name if file.person is None else ""
        for key, values, told in zip(file.keys.to_pylist(), *_told(file).tolist(), strict=True):
            known = found.get((owner, key), (0.0, 0.0))
            found[owner, key] = max(known[0], values), known[1] + told
    return sorted(found, key=lambda person: found[person], reverse=True)


def chosen_places(number: int, persons: int) -> list[int]:
    """The places of `number`, of 1 to `persons`: half of them first, the other half evenly spaced; all if no more."""
    number = min(number, persons)
    first, others = (number + 1) // 2, number // 2
    return [*range(1, first + 1), *(first + place * (persons - first) // others for place in range(1, others + 1))]


def _told(file: RecordFile) -> npt.NDArray[np.float64]:
    """How many different values each record has, and the bits of all, the most of the rarest; outside, none."""
    names = [name for name in file.records.column_names if name not in (file.person, file.id)]
    texts = {name: file.records[name].cast(pa.string()).to_pylist() for name in names}
    told = np.array([len({*row} - {None, "", "Null"}) for row in zip(*texts.values(), strict=True)], dtype=float)
    bits = np.zeros_like(told)
    for column in texts.values():
        counts = Counter(column)
        bits += [0 if text is None else log2(len(column) / counts[text]) for text in column]
    return np.stack([told, bits]) * are_inside(file)


def are_inside(file: RecordFile) -> npt.NDArray[np.bool_]:
    found = np.ones(file.records.num_rows, dtype=bool)
    for name, values in file.where.items():
        found &= np.array([text in values for text in file.records[name].cast(pa.string()).to_pylist()], dtype=bool)
    return found


def _owns(file: RecordFile, person: Person) -> pa.ChunkedArray:
    is_here = file.person is not None or file.name == person[0]
    return pc.and_(pc.fill_null(pc.equal(file.keys, person[1]), False), is_here)


def without(files: Extract, person: Person) -> Extract:
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
