"""The files of the stability audit: the records of everybody but those who are left out, and theirs one by one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import Intake
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import stored_types
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.unit import Unit


def audited_files(intake: Intake, people: int) -> tuple[Path, list[Path]]:
    """Parquet files in scratch: one with everybody who is never left out, and one for each person who is left out."""
    everybody = intake.scratch / "audited-records.parquet"
    for name in ("answer_groups", "place_levels"):
        intake.database.create(sql_files()[name])
    intake.database.copy(sql_files()["audited_records"], everybody, "format parquet")
    others, persons = intake.scratch / "audited-others.parquet", []
    with pq.ParquetFile(everybody) as records, pq.ParquetWriter(others, records.schema_arrow) as writer:
        places = records.read(["place"])["place"]
        chosen = pa.array(chosen_places(people, len(places) - places.null_count), pa.int64())
        for batch in records.iter_batches():
            is_chosen = pc.is_in(batch["place"], value_set=chosen)
            writer.write_batch(batch.filter(pc.invert(is_chosen)))
            for person in batch.filter(is_chosen).to_pylist():
                persons.append(intake.scratch / f"audited-person-{person['place']}.parquet")
                pq.write_table(pa.Table.from_pylist([person], records.schema_arrow), persons[-1])
    return others, persons


def chosen_places(people: int, persons: int) -> list[int]:
    """The places of the `people` to leave out, of 1 to `persons`: half of them first, the other half evenly spaced.

    Places go from the most race codes to the fewest. If there are no more than `people` places, all are returned.
    """
    people = min(people, persons)
    first = (people + 1) // 2
    return [
        *range(1, first + 1),
        *(first + number * (persons - first) // (people // 2) for number in range(1, people // 2 + 1)),
    ]


def person_of(intake: Intake, file: Path) -> str:
    """File and row of the person whose record is in `file`, as the user knows them."""
    record = pq.read_table(file, columns=["original_file", "original_row"])
    original, row = Path(record["original_file"][0].as_py()), record["original_row"][0].as_py()
    source = intake.sources["persons"]
    if not source.is_parquet:  # rewritten files are numbered in the order of the user's files
        original = source.files[int(original.stem.rpartition("-")[2])]
    return f"{original.name} row {row}"


def _as_written(attribute: Attribute) -> Attribute:
    """The attribute of the audited records: the number of each value, as audited_records.sql writes it."""
    numbers = attribute.numbers
    return Attribute(attribute.name, attribute.number, attribute.publish, minimum=numbers[0], maximum=numbers[-1])


def read_persons(intake: Intake, files: Sequence[Path]) -> None:
    """Let the statements of a run read these files as the persons: records as they were read, of the universe alone."""
    unit = Unit(leave_out=intake.parameters.unit.leave_out)
    attributes = tuple(_as_written(attribute) for attribute in intake.parameters.attributes)
    parameters = replace(intake.parameters, unit=unit, attributes=attributes)
    types = stored_types(intake.sources["persons"], files)
    values = person_values("audited records", [str(file) for file in files], types, parameters)
    intake.database.set_values(values)
    for name in ("person_records", "person_numbers"):
        intake.database.create(sql_files()[name])
