"""Extracts of records that an audit changes: public ones in files, or simulated ones; read, and written anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.sources import find_source
from safetab_sql.settings.parameters import Parameters, default_code_lists
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


def read_extract(given: str, unit: Unit, id_: str | None, resources: Resources) -> Extract:
    """The records that are named, by the names of their files below a folder. unit: what is counted of them."""
    source, found = find_source(given), list[RecordFile]()
    below = (Path(given) if Path(given).is_dir() else source.files[0].parent).resolve()
    with (
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, source.files, [], resources) as database,
    ):
        for file in parquet_files(database, source, scratch, "table"):
            is_below = source.is_parquet and file.resolve().is_relative_to(below)
            name = str(file.resolve().relative_to(below)) if is_below else file.name
            found.append(RecordFile(name, pq.ParquetFile(file).read(), unit.person, id_, unit.where))
    return tuple(found)


def in_few_files(files: Extract) -> Extract:
    """The same records in two files, if they have the same columns: each file takes every command time."""
    if len({file.records.schema for file in files}) != 1:
        return files
    records = pa.concat_tables([file.records for file in files])
    half = (records.num_rows + 1) // 2
    halves = {"1.parquet": records[:half], "2.parquet": records[half:]}
    return tuple(replace(files[0], name=name, records=each) for name, each in halves.items())


def write_extract(files: Extract, folder: Path) -> None:
    """Write the records to a folder."""
    for file in files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(file.records, folder / file.name)


def simulated_inputs(parameters: Parameters, inputs: InputPaths, people: int, scratch: Path) -> InputPaths:
    """Simulated people and places for parameters, in a folder of `scratch`.

    Raises: InputError where published totals pick tables.
    """
    if any(ladder.choose == "published" for ladder in parameters.ladders):
        what = "published totals pick its tables, and these are not simulated here"
        raise InputError([Problem(str(inputs.parameters), what, "name public or simulated people: --persons")])
    lists, folder = inputs.code_lists or default_code_lists(Path(str(inputs.parameters))), scratch / "simulated"
    listed = None if lists is None else str(lists)
    if parameters.geography.elsewhere or parameters.questions.shared.digits:  # as `simulate_shape` knows the census
        made = simulate(folder, people=people, code_lists=listed)
    else:
        made = simulate_shape(folder, str(inputs.parameters), people=people, code_lists=listed)
    return replace(made, parameters=inputs.parameters, code_lists=lists or made.code_lists)
