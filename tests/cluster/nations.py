"""A tiny nation whose persons lie in Parquet files, and the exact counts of it, whole or in parts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql import Resources
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.cluster import tasks
from safetab_sql.cluster.spark import merge_rows
from safetab_sql.confidential.counts import cells_of_tables
from safetab_sql.confidential.inputs import checked_inputs, inputs_in_parts
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from tests.counted import every_table, totals_and_cells
from tests.nations import PERSON_COLUMNS, sample_nation, write_nation
from tests.oracle import Row

ONE_THREAD = Resources(threads=1)
PERSONS = sample_nation(300).persons
SOFTWARE = tasks.installed_software()


def write_persons(path: Path, rows: Sequence[Row]) -> Path:
    types = {name: pa.int64() if name == "QAGE" else pa.string() for name in PERSON_COLUMNS}
    columns = {name: pa.array([row[name] for row in rows], types[name]) for name in PERSON_COLUMNS}
    pq.write_table(pa.table(columns), path, row_group_size=7)
    return path


def nation_in_files(folder: Path, **files: Sequence[Row]) -> InputPaths:
    inputs = write_nation(sample_nation(300), folder)
    (folder / "persons").mkdir()
    for name, rows in files.items():
        write_persons(folder / "persons" / f"{name}.parquet", rows)
    return replace(inputs, persons=folder / "persons")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass(frozen=True)
class Sent:
    """What would be broadcast."""

    value: object


@dataclass(frozen=True)
class Counter:
    """An intake that counts in parts."""

    intake: Intake
    catalog: Catalog
    plans: tuple[LevelPlan, ...]
    job: tasks.Job

    def counts(self, parts: Sequence[tasks.RecordPart]) -> tuple[pa.Table, pa.Table]:
        sent = Sent(replace(self.job, parts=tuple(parts)))
        counted = [tasks.answer_totals(SOFTWARE, sent, number) for number in range(len(parts))]
        assert [found for part in counted for found in (*part.found, *part.problems)] == []
        merge_rows(self.intake.database, "slice_totals", [tasks.unpacked(part.totals) for part in counted])
        stat_levels = Sent(tasks.packed(every_table(self.intake, self.catalog, self.plans)))
        cells = [tasks.answer_cells(SOFTWARE, sent, stat_levels, part) for part in counted]
        merge_rows(self.intake.database, "group_finest_cells", [tasks.unpacked(part.cells) for part in cells])
        cells_of_tables(self.intake.database, self.plans)
        return exact_counts(self.intake)


@contextmanager
def counter(inputs: InputPaths) -> Iterator[Counter]:
    with inputs_in_parts(inputs, ONE_THREAD) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        job = replace(tasks.new_job(intake, inputs), resources=ONE_THREAD)
        yield Counter(intake, catalog, level_plans(catalog, intake.parameters), job)


def counts_of_the_whole(inputs: InputPaths) -> tuple[pa.Table, pa.Table]:
    with checked_inputs(inputs, ONE_THREAD) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        totals_and_cells(intake, catalog, plans)
        return exact_counts(intake)


def exact_counts(intake: Intake) -> tuple[pa.Table, pa.Table]:
    return (
        intake.database.table("group_totals", ["population_group_id"]),
        intake.database.table("group_cells", ["population_group_id", "statistic_id", "cell_position"]),
    )
