"""What a worker of a cluster answers, without a cluster."""

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.cluster import tasks
from safetab_sql.cluster.spark import merge_first_pass, merge_rows
from safetab_sql.cluster.tasks import (
    Job,
    PartFailedError,
    answer_cells,
    answer_rows,
    answer_totals,
    packed,
    person_files,
    planned_parts,
    unpacked,
)
from safetab_sql.confidential.counts import cells_of_tables
from safetab_sql.kit.progress import SILENT
from tests.cluster import nations
from tests.counted import every_table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nations.Counter]:
    inputs = nations.nation_in_files(
        tmp_path_factory.mktemp("tasks") / "nation", a=nations.PERSONS[:200], b=nations.PERSONS[200:]
    )
    with nations.counter(inputs) as counter_:
        yield counter_


@pytest.fixture(scope="module")
def job(made: nations.Counter) -> Job:
    return replace(made.job, parts=planned_parts(person_files(made.intake.sources["persons"]), 3))


@pytest.mark.slow  # as parts of whole persons do in test_counts_of_parts.py
def test_the_answers_of_workers_give_the_counts_of_one_machine(made, job, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    sent = nations.Sent(job)
    first = [answer_totals(nations.SOFTWARE, sent, number) for number in range(3)]
    assert sum(answer.records for answer in first) == len(nations.PERSONS)
    merge_rows(made.intake.database, "slice_totals", [unpacked(answer.totals) for answer in first])
    chosen = nations.Sent(packed(every_table(made.intake, made.catalog, made.plans)))
    second = [answer_cells(nations.SOFTWARE, sent, chosen, answer) for answer in first]
    merge_rows(made.intake.database, "group_finest_cells", [unpacked(answer.cells) for answer in second])
    cells_of_tables(made.intake.database, made.plans)
    whole = nations.nation_in_files(tmp_path / "whole", all=nations.PERSONS)
    assert nations.exact_counts(made.intake) == nations.counts_of_the_whole(whole)


@pytest.mark.parametrize("error", [duckdb.ConversionException, RuntimeError, MemoryError])
@pytest.mark.each_time("ConversionException")
def test_an_exception_holds_the_name_of_its_class_and_nothing_else(job, monkeypatch, error):
    def spoilt(*_: object) -> None:
        raise error("Could not convert string 'QAGE=117'")

    monkeypatch.setattr(tasks, "count_people", spoilt)
    with pytest.raises(PartFailedError) as failed:
        answer_totals(nations.SOFTWARE, nations.Sent(job), 1)
    assert str(failed.value) == f"part 2 could not be counted: {error.__name__}"
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)


@pytest.mark.parametrize("name", list(nations.SOFTWARE))
def test_a_worker_with_other_software_counts_nothing_and_unpacks_nothing(name):
    class Unopened:
        @property
        def value(self) -> Job:
            raise AssertionError("the job was unpacked")

    answer = answer_totals({**nations.SOFTWARE, name: "0"}, Unopened(), 0)
    assert [problem.what for problem in answer.problems] == [f"have another version of {name} than the driver"]
    assert answer_cells({**nations.SOFTWARE, name: "0"}, Unopened(), nations.Sent(b""), answer) == answer


def test_a_file_that_changed_is_a_problem_of_the_part_and_no_exception(job):
    part = job.parts[0]
    changed = replace(part, files=(replace(part.files[0], stamp=(1, 1)),))
    answer = answer_totals(nations.SOFTWARE, nations.Sent(replace(job, parts=(changed,))), 0)
    assert [problem.what for problem in answer.problems] == ["was changed or removed since the parts were planned"]


@pytest.mark.slow
def test_rows_of_a_table_are_counted_as_the_file_that_holds_them(made, job, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    monkeypatch.setattr(tasks, "_ROWS_AT_A_TIME", 64)  # so that there are several batches
    people = pa.concat_tables([pq.read_table(file) for file in made.intake.sources["persons"].files])
    rows = [tuple(row.values()) for row in people.to_pylist()]
    sent = nations.Sent(replace(job, parts=(), schema=people.schema))
    given = (rows, rows[:150], rows[149::-1], [])
    whole, some, again, nobody = (next(answer_rows(nations.SOFTWARE, sent, 2, iter(each))) for each in given)
    of_files = [unpacked(answer_totals(nations.SOFTWARE, nations.Sent(job), number).totals) for number in range(3)]
    merge_rows(made.intake.database, "slice_totals", of_files)
    expected = made.intake.database.table("slice_totals")
    merge_rows(made.intake.database, "slice_totals", [unpacked(whole.totals)])
    assert sums(made.intake.database.table("slice_totals")) == sums(expected)
    assert (whole.records, some.records, nobody.records) == (len(rows), 150, 0)
    assert some.control == again.control
    assert len({whole.control, some.control, nobody.control}) == 3
    assert list(tmp_path.iterdir()) == []


def sums(totals: pa.Table) -> set[tuple[object, ...]]:
    keys = [name for name in totals.column_names if name != "exact_count"]
    return {tuple(row.values()) for row in totals.group_by(keys).aggregate([("exact_count", "sum")]).to_pylist()}


def test_scratch_lies_on_a_disk_that_the_cluster_empties_and_is_removed(job, tmp_path, monkeypatch):
    seen: list[list[str]] = []

    def looking(*arguments: object) -> object:
        seen.append([path.name for path in (tmp_path / "b").iterdir()])
        return count_people(*arguments)

    count_people = tasks.count_people
    monkeypatch.setattr(tasks, "count_people", looking)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path / 'a'},{tmp_path / 'b'},{tmp_path / 'gone'}")
    answer_totals(nations.SOFTWARE, nations.Sent(job), 1)
    assert [name for name in seen[0] if name.startswith("safetab-sql-scratch-")]
    assert [path for path in tmp_path.rglob("*") if path.name.startswith("safetab-sql-scratch-")] == []


@pytest.mark.parametrize(("records", "parts"), [([0], 1), ([1], 1), ([2_000_001], 2), ([9, 9], 1), ([None, None], 2)])
def test_there_is_a_part_for_every_two_million_records_or_file_of_text(job, records, parts):
    file = job.parts[0].files[0]
    assert len(planned_parts([replace(file, records=each) for each in records], None)) == parts


def test_the_log_tells_if_parts_have_over_three_times_as_many_totals_as_groups(made, job):
    lines: list[str] = []
    intake = replace(made.intake, checks=replace(made.intake.checks, log=lines.append))
    answer = answer_totals(nations.SOFTWARE, nations.Sent(job), 0)
    totals = unpacked(answer.totals).group_by("population_group_id").aggregate([("exact_count", "max")])
    one = totals.select([0, 1]).rename_columns(["population_group_id", "exact_count"])
    for copies in (3, 4):
        answers = [replace(answer, totals=packed(one))] * copies
        assert merge_first_pass(intake, answers, SILENT, is_table=False) == []
        assert f"{copies} parts: {copies * one.num_rows:,} rows" in lines[-1]
        assert ("sort the records by place" in lines[-1]) == (copies == 4)
