"""Inputs that Python holds: as files in a private folder, under their own names in messages, gone afterwards."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql import InputError, InputPaths, Resources, validate
from safetab_sql.confidential.handed_over import FilesOfInputs, files_of_inputs
from safetab_sql.jobs.run import run
from tests.nations import read_text, sample_nation, write_nation
from tests.statistics import recorded_bits

TABLE = pa.table({"AGE": [3, None], "SEX": pa.array(["1", "2"]).dictionary_encode()})
ROWS = TABLE.to_pylist()


class Frame:
    """What gives Arrow data by the interface of pandas and Polars, and by nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


def pandas_frame() -> object:
    return pytest.importorskip("pandas").DataFrame(ROWS)


def polars_frame() -> object:
    return pytest.importorskip("polars").DataFrame(ROWS)


KINDS: dict[str, Callable[[], object]] = {
    "Table": lambda: TABLE,
    "RecordBatchReader": TABLE.to_reader,
    "DuckDBPyRelation": lambda: duckdb.connect().from_arrow(TABLE),
    "Frame": Frame,
    "pandas": pandas_frame,
    "polars": polars_frame,
}


def failing_reader() -> pa.RecordBatchReader:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from TABLE.to_batches()
        raise ValueError("the source went away")

    return pa.RecordBatchReader.from_batches(TABLE.schema, batches())


def opened(given: object, scratch: Path) -> AbstractContextManager[FilesOfInputs]:
    return files_of_inputs(InputPaths("parameters", given, "geography"), Resources(scratch=scratch, threads=1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_any_kind_is_a_file_as_long_as_it_is_read(kind: str, tmp_path: Path) -> None:
    given = KINDS[kind]()
    with opened(given, tmp_path) as files:
        persons = files.paths.persons
        assert pq.read_table(persons).to_pylist() == ROWS
        assert files.names[str(persons)] == f"persons (a {type(given).__name__})"
        assert persons.parent.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_the_command_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), opened(TABLE, tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_every_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    inputs = InputPaths("parameters", failing_reader(), [1, 2], {"race-codes": "no table"}, region_names=3)
    with pytest.raises(InputError) as refused, files_of_inputs(inputs, Resources(scratch=tmp_path)):
        pass
    assert [(problem.where, problem.what.partition(":")[0]) for problem in refused.value.problems] == [
        ("persons (a RecordBatchReader)", "cannot be read"),
        ("geography (a list)", "is neither a path nor a table"),
        ("region_names (a int)", "is neither a path nor a table"),
        ("code_lists['race-codes'] (a str)", "is neither a path nor a table"),
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return write_nation(sample_nation(60), tmp_path_factory.mktemp("held") / "nation")


def test_problems_name_the_table_as_it_was_given(nation: InputPaths) -> None:
    with pytest.raises(InputError) as refused:
        validate(replace(nation, persons=TABLE.slice(0, 1), geography=Frame()))
    places = {problem.where.partition(" [")[0] for problem in refused.value.problems}
    assert places == {"persons (a Table)", "geography (a Frame)"}


def test_lists_that_are_missing_are_those_of_the_argument(nation: InputPaths) -> None:
    with pytest.raises(InputError) as refused:
        validate(replace(nation, code_lists={"lists": TABLE}))
    assert {problem.where for problem in refused.value.problems} == {"code_lists (a dict)"}


def test_no_record_is_written_into_a_release(nation: InputPaths, tmp_path: Path) -> None:
    """Not even for a moment: the reader was not touched."""
    reader = TABLE.to_reader()
    with pytest.raises(InputError, match="lies in --out"):
        run(replace(nation, persons=reader), tmp_path, resources=Resources(scratch=tmp_path))
    assert reader.read_all() == TABLE


@pytest.mark.slow
def test_a_release_is_the_same_from_tables_and_from_files(nation: InputPaths, tmp_path: Path) -> None:
    held = replace(
        nation,
        persons=pa.Table.from_pylist(read_text(nation.persons)).to_reader(),
        geography=duckdb.connect().read_csv(str(nation.geography), delimiter="|", all_varchar=True),
    )
    for name, inputs in (("files", nation), ("tables", held)):
        run(inputs, tmp_path / name, bits=recorded_bits("handed over"), resources=Resources(threads=1))
    for table in ("t1", "t2"):
        one, other = (pq.read_table(tmp_path / name / table) for name in ("files", "tables"))
        assert one == other
