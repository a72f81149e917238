"""The database: locked to its inputs and its scratch folder, which is private and goes."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.plan import level_plans
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Database, Resources, copy_table_of, open_database, scratch_folder
from safetab_sql.kit.sqlfiles import SqlFile, sql_files
from safetab_sql.public.catalog import build_catalog
from tests.cli.nations import paths, simulate_few_states
from tests.counted import totals_and_cells

HOLDER = """
import sys, time
from pathlib import Path
from safetab_sql.kit.database import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "persons.parquet").write_text("confidential")
    print(folder, flush=True)
    time.sleep(60)
"""


def statement(body: str, name: str = "made", kind: str = "table", *parameters: str) -> SqlFile:
    """A statement as if it stood in sql/."""
    some = next(iter(sql_files().values()))
    return replace(some, name=name, folder="run/1_inputs", kind=kind, parameters=parameters, body=body)


def parquet(path: Path) -> Path:
    duckdb.sql(f"copy (select 42 as number) to '{path}' (format parquet)")
    return path.resolve()


@pytest.fixture
def readable(tmp_path: Path) -> Path:
    """The one file that the database may read."""
    return parquet(tmp_path / "readable.parquet")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def database(scratch: Path, readable: Path) -> Iterator[Database]:
    with open_database(scratch, [readable], [], Resources(threads=1)) as opened:
        yield opened


def test_a_named_file_can_be_read(database: Database, readable: Path) -> None:
    database.create(statement(f"select * from '{readable}'"))
    assert database.table("made").to_pylist() == [{"number": 42}]


def test_a_locked_database_has_the_macros_in_tables_views_and_copies(scratch: Path, readable: Path) -> None:
    padded = f"select code_from_number(number, 4) as code from '{readable}'"
    file = scratch / "copied.parquet"
    with open_database(scratch, [readable], [], Resources(threads=1)) as database:
        for kind in ("table", "view"):
            database.create(statement(padded, f"padded_{kind}", kind))
        database.copy(statement(padded), file, "format parquet")
        made = [database.table(f"padded_{kind}").to_pylist() for kind in ("table", "view")]
    assert [*made, pq.read_table(file).to_pylist()] == [[{"code": "0042"}]] * 3


def test_two_databases_see_nothing_of_each_other(scratch: Path) -> None:
    with (
        open_database(scratch, [], [], Resources()) as confidential,
        open_database(scratch, [], [], Resources()) as published,
    ):
        confidential.create(statement("select 1 as exact_count", "persons"))
        with pytest.raises(duckdb.CatalogException):
            published.table("persons")


def test_a_writable_folder_can_be_written(scratch: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with open_database(scratch, [], [out.resolve()], Resources()) as database:
        database.copy(statement("select 7 as number"), out.resolve() / "seven.parquet", "format parquet")
    assert duckdb.sql(f"from '{out}/seven.parquet'").fetchall() == [(7,)]


def test_threads_and_memory_are_as_asked_for_and_no_progress_is_shown(scratch: Path) -> None:
    """It would be drawn on stdout after two seconds, terminal or not, with the time that a query took."""
    wanted = {"threads": 1, "memory_limit": "123.0 MiB", "enable_progress_bar": False}
    with open_database(scratch, [], [], Resources(threads=1, memory_limit="123MiB")) as database:
        database.create(statement("select " + ", ".join(f"current_setting('{name}') as {name}" for name in wanted)))
        assert database.table("made").to_pylist() == [wanted]


def test_a_table_can_be_handed_over_and_dropped(database: Database) -> None:
    database.hand_over("noisy", pa.table({"number": [3, 1, 2]}))
    assert database.table("noisy", order_by=["number"])["number"].to_pylist() == [1, 2, 3]
    database.drop("noisy")
    with pytest.raises(duckdb.CatalogException):
        database.table("noisy")


SLICES = [{"first": first, "last": first + 1} for first in (1, 3, 5, 7)]
SLICE = "select unnest(range($first, $last + 1)) as cell"


@pytest.mark.parametrize("at_a_time", [1, 2])
def test_a_slice_is_seen_by_its_own_statements_alone_and_slices_collects_all(
    database: Database, at_a_time: int
) -> None:
    files = [statement(SLICE, "one", "slice"), statement("select sum(cell) as total from one", "all", "slices")]
    database.create_by_slices(files, SLICES, len(SLICES), at_a_time)
    assert sorted(database.table("all")["total"].to_pylist()) == [3, 7, 11, 15]
    with pytest.raises(duckdb.CatalogException):
        database.table("one")


def test_a_look_at_what_is_made_may_end_the_rest(database: Database) -> None:
    def slices() -> Iterator[dict[str, int]]:
        yield SLICES[0]
        raise ValueError(len(database.table("made")))

    with pytest.raises(ValueError, match="1"):
        database.create_by_slices([statement(SLICE + " limit 1", "made", "slices")], slices(), 4, at_a_time=2)


@pytest.mark.parametrize("numbers", [0, 12], ids=["no rows", "rows"])
def test_rows_come_bucket_by_bucket_and_leave_no_file(database: Database, tmp_path: Path, numbers: int) -> None:
    rows = pa.table({"number": pa.array(range(numbers), pa.int64())})
    stretches = [rows.slice(first, 5) for first in range(0, numbers, 5)]
    made = list(database.by_buckets(stretches, rows.schema, lambda some: some["number"].to_numpy() % 3 * 2, 2))
    assert [number for some in made for number in some["number"].to_pylist()] == sorted(
        range(numbers), key=lambda one: one % 3
    )
    assert max([len(some) for some in made], default=0) <= 2
    assert not list(tmp_path.rglob("rows.arrow"))


def test_a_slice_that_fails_ends_the_others(database: Database) -> None:
    failing = statement("select error('no such slice') as cell where $first = 3 and $last = 4", "made", "slices")
    with pytest.raises(duckdb.InvalidInputException, match="no such slice"):
        database.create_by_slices([failing], SLICES, len(SLICES), at_a_time=2)


NUMBERS = "select range as number from range(12)"


@pytest.mark.parametrize("offenders", [12, 0])
def test_a_check_counts_every_offender_and_shows_a_few(database: Database, offenders: int) -> None:
    check = statement(f"{NUMBERS} where range < {offenders}")
    assert database.found(check) == offenders
    assert database.examples(check, 5, str) == tuple(str({"number": number}) for number in range(min(5, offenders)))


def test_every_table_made_goes_to_the_log_and_of_offenders_twenty_though_fewer_are_shown(tmp_path: Path) -> None:
    lines: list[str] = []
    many = statement("select range as number from range(5000)")
    with open_database(tmp_path, [], [], Resources(threads=1), lines.append) as database:
        database.create(many)
        assert len(database.examples(many, 5, lambda row: f"number {row['number']}")) == 5
    made, *offenders = lines
    assert made.partition(" rows")[0] == "run/1_inputs/made: 5,000"
    assert [line.rpartition(" ")[2] for line in offenders] == [str(number) for number in range(20)]


def test_a_scratch_folder_is_its_owners_alone(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        assert (folder.parent, stat.S_IMODE(folder.stat().st_mode)) == (tmp_path, 0o700)


def test_a_scratch_folder_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path) as folder:  # noqa: PT012
        (folder / "persons.parquet").write_text("confidential")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds a scratch folder below `tmp_path`."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_the_scratch_of_a_living_process_is_kept(tmp_path: Path, holder: "subprocess.Popen[str]") -> None:
    with scratch_folder(tmp_path) as folder:
        others = [path for path in tmp_path.iterdir() if path != folder]
    assert [(other / "persons.parquet").read_text() for other in others] == ["confidential"]
    assert holder.poll() is None


def test_the_scratch_of_a_dead_process_is_removed(tmp_path: Path, holder: "subprocess.Popen[str]") -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    left = list(tmp_path.iterdir())
    with scratch_folder(tmp_path) as folder:
        assert (len(left), list(tmp_path.iterdir())) == (1, [folder])


def test_a_folder_that_is_not_a_scratch_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "safetab-sql-scratch-notes").mkdir()  # others may see into it: not ours
    with scratch_folder(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["safetab-sql-scratch-notes"]


# Threads and memory change how long counting takes, never what is counted.


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resources") / "nation"
    simulate_few_states(folder, people=200_000)
    return folder


@pytest.fixture(scope="module")
def usual_tables(nation: Path) -> tuple[pa.Table, pa.Table]:
    return exact_tables(nation, Resources(threads=2))


def exact_tables(nation: Path, resources: Resources) -> tuple[pa.Table, pa.Table]:
    """Totals and sex-by-age cells of every group with people."""
    with checked_inputs(paths(nation), resources) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        totals_and_cells(intake, catalog, plans)
        return (
            intake.database.table("group_totals", ["population_group_id"]),
            intake.database.table("group_cells", ["population_group_id", "statistic_id", "cell_position"]),
        )


@pytest.mark.parametrize(
    "resources",
    [Resources(threads=1), Resources(threads=3), Resources(threads=2, memory_limit="150MB")],
    ids=["one thread", "three threads", "little memory"],
)
@pytest.mark.slow
def test_exact_tables_are_the_same_whatever_the_resources(
    nation: Path, usual_tables: tuple[pa.Table, pa.Table], resources: Resources
) -> None:
    assert exact_tables(nation, resources) == usual_tables


# Tables of a database are copied with all that they hold.


@pytest.mark.parametrize("kind", ["hugeint", "uhugeint"])
@pytest.mark.parametrize("largest", [2**53 + 1, 10**38 - 1, 10**38], ids=["decimal", "38 digits", "39 digits"])
@pytest.mark.each_time("39 digits-hugeint", "decimal-uhugeint")
def test_numbers_of_128_bits_keep_their_digits(tmp_path: Path, kind: str, largest: int) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        rows = f"({largest}::{kind}, 'x'), ({largest - 1}::{kind}, 'y'), (null, 'z')"
        connection.execute(f'create table t as from (values {rows}) as rows("a.b ""c""", d)')
    copy_table_of(tmp_path / "a.duckdb", ("main", "t"), tmp_path / "t.parquet", Resources())
    (number, _), *_ = found = duckdb.read_parquet(str(tmp_path / "t.parquet")).fetchall()
    assert [(value if value is None else int(value), text) for value, text in found] == [
        *((largest, "x"), (largest - 1, "y")),
        (None, "z"),
    ]
    assert isinstance(number, str) == (largest >= 10**38)
