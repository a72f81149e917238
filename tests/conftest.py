"""Shared by the tests: where things lie, and statements of sql/ run on literal tables."""

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import duckdb
import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling, Scheduling

from safetab_sql.kit.sqlfiles import macros_called, render, sql_files
from tests.literal_tables import create_table, literal_table

REPOSITORY = Path(__file__).parents[1]
SHARED = REPOSITORY / ".." / "shared"
# Folders whose tests share releases that take seconds.
ONE_WORKER = tuple(
    f"tests/{name}/" for name in ("cli", "export", "golden", "jobs", "published", "report", "simulation")
)
# `make soak-part` runs the slow tests in an order that its number decides, for so long.
SOAK_PART = os.environ.get("SOAK_PART")
SOAK_SECONDS = 120
_START = time.monotonic()
Row = tuple[object, ...]


def pytest_configure() -> None:
    """A hundred processes start in these tests: where bytecode may not be written, each compiles the package again."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if (worker := os.environ.get("PYTEST_XDIST_WORKER")) and hasattr(os, "sched_setaffinity"):
        # A core for each worker: DuckDB would start as many threads as there are cores for data of a few rows.
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
    # No deadline: on a busy machine an example takes as long as it takes.
    settings.register_profile("usual", deadline=None, max_examples=20 * int(os.environ.get("SOAK", "1")))
    settings.load_profile("usual")
    # What is collected stays: the garbage collector would look at all of it again and again, and find nothing.
    gc.disable()


def pytest_unconfigure() -> None:
    """Hypothesis' callback of the garbage collector keeps modules alive until DuckDB reports them as leaks."""
    gc.callbacks.clear()
    gc.unfreeze()


def pytest_collection_finish() -> None:
    """What has been imported and collected stays: the garbage collector need not look at it."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`each_time(words)`: of the variants of a test, those whose name holds none of the words are slow."""
    without = set()
    kept = set()
    for item in items:
        if mark := item.get_closest_marker("each_time"):
            is_kept = any(word in item.name for word in mark.args)
            (kept if is_kept else without).add(item.nodeid.partition("[")[0])
            if not is_kept:
                item.add_marker("slow")
    items.sort(key=lambda item: not item.nodeid.startswith(ONE_WORKER))  # at the end, the other worker would wait
    if SOAK_PART is not None:
        _rotate(items, int(SOAK_PART))
    if without - kept and not any("::" in argument for argument in config.args):
        raise pytest.UsageError(f"each_time: its words name no variant of {', '.join(sorted(without - kept))}")


def _rotate(items: list[pytest.Item], part: int) -> None:
    """Begin with another file of slow tests each time: five files further on, as many as a part has time for."""
    files = sorted({item.path for item in items if item.get_closest_marker("slow")})
    place = {file: (number - 5 * part) % len(files) for number, file in enumerate(files)}
    items.sort(key=lambda item: place.get(item.path, len(files)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling | None:
    """`--dist loadfile`, with one worker for all files of a folder whose tests share costly releases."""

    class ByFolder(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return next((folder for folder in ONE_WORKER if nodeid.startswith(folder)), super()._split_scope(nodeid))

    return ByFolder(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_runtest_setup() -> None:
    """A part of the soak begins no test when its time is over."""
    if SOAK_PART is not None and time.monotonic() - _START > SOAK_SECONDS:
        pytest.skip("left to another part of the soak")


class RunSql(Protocol):
    """Runs one statement of sql/ on literal tables."""

    def __call__(self, name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        """The rows of statement `name` on the tables `given`, exactly those it reads, with exactly its `values`."""


@pytest.fixture(scope="session")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One empty database for every statement: to open one takes longer than to run most of them."""
    with duckdb.connect(":memory:", config={"threads": 1}) as opened:
        yield opened


@pytest.fixture(scope="session")
def run_sql_in_order(connection: duckdb.DuckDBPyConnection) -> RunSql:
    """The rows of a statement as they come; what the CLI shows, the inlined text, gives the same rows at first."""

    def run(name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        return _rows(connection, name, given, **values)

    return run


@pytest.fixture(scope="session")
def run_sql(run_sql_in_order: RunSql) -> RunSql:
    """The rows of a statement, sorted (NULL last); what the CLI shows, the inlined text, must give the same rows."""

    def run(name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        return _sorted(run_sql_in_order(name, given, **values))

    return run


@pytest.fixture
def write_parquet(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> Callable[..., str]:
    """Writes literal tables to Parquet: text, and a file name -> path of the file."""

    def write(text: str, name: str = "input.parquet") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        create_table(connection, "drawn", literal_table(text))
        connection.execute("copy drawn to $path (format parquet)", {"path": str(path)})
        connection.execute("drop table drawn")
        return str(path)

    return write


# Read where codes are no digits, places are looked up, or records name the person; in the 2020 Census they do not.
_LOOKED_UP = {"code_numbers", "geography_rows", "bounded_persons", "kept_records", "kept_codes"}
# What the parameters say of the questions of the 2020 Census, where a statement reads it and a test gives nothing else.
_ASKED = {
    "iteration_kinds": """
        iteration_kind | question_name | is_of_several | is_alone | codes_read
                 alone |          race |          true |     true |          8
           combination |          race |          true |    false |          8
             ethnicity |     ethnicity |         false |    false |          1
    """
}
_MOST_PASTED, _called = 2, Counter[str]()  # so often the text that the CLI shows is run as well; calls of a statement
_NO_PERSON: Mapping[str, object] = {"part_read": [], "record_keys": {}, "are_united": True}


@cache
def census() -> Mapping[str, object]:
    """What statements ask for of the questions and tables of the 2020 Census: eight race codes, sex by age."""
    from safetab_sql.public.values import bound_values, parameter_values, question_values
    from safetab_sql.settings.parameters import load_parameters
    from safetab_sql.settings.unit import Unit

    parameters = load_parameters(REPOSITORY / "configs" / "example.toml")
    tables = {
        name: parameter_values(parameters)[name]
        for name in (
            *("attributes", "attribute_numbers", "ladder_columns", "number_columns", "share_columns", "other_columns"),
            *("amounts", "counted", "measure"),
        )
    }
    values = question_values(parameters)
    asked = {name: value for name, value in values.items() if name != "code_columns"}
    slots = {f"one_{number}": f"code_tallies.tally_ids[{number}]" for number in range(1, 4)}
    return {**tables, **asked, **bound_values(Unit()), "tally_slots": slots, **_NO_PERSON}


def _rows(
    connection: duckdb.DuckDBPyConnection, name: str, /, given: Mapping[str, str] | None = None, **values: object
) -> list[Row]:
    file = sql_files()[name]
    values = {**{name: value for name, value in census().items() if name in file.parameters}, **values}
    given = {**{table: text for table, text in _ASKED.items() if table in file.tables_read}, **(given or {})}
    missing = set(file.tables_read) - set(given) - _LOOKED_UP
    assert (missing, set(given) - set(file.tables_read)) == (set(), set()), "give the tables that it reads"
    assert set(values) == set(file.parameters), "give the values that the statement asks for, and no others"
    try:
        for table, text in given.items():
            create_table(connection, table, literal_table(text, declared_columns(table, values)))
        statement = render(file, values)
        _called[name] += 1
        is_pasted = _called[name] <= _MOST_PASTED
        pasted = connection.execute(statement.pasteable).fetchall() if is_pasted else []  # it brings its macros
        for macro in () if is_pasted else macros_called(statement.text):
            connection.execute(macro.body)
        rows = connection.execute(statement.text, dict(statement.bound)).fetchall()
    finally:
        for table in given:
            connection.execute(f'drop table if exists "{table}"')
        for macro in macros_called(file.body):
            connection.execute(f"drop macro if exists {macro.name}")
    assert not is_pasted or _sorted(pasted) == _sorted(rows), "the text to be pasted does something else"
    return rows


AS_READ = "as read"


def declared_columns(table: str, values: Mapping[str, object]) -> dict[str, str]:
    """Columns and types of a table as its header declares them; one column a region type where it says so.

    as read: a column has the type that it has in a table that the statement reads.
    """
    file, declared = sql_files()[table], dict[str, str]()
    for column in file.columns:
        declared |= {name: column.type for name in _names(column.name, values)}
    if AS_READ in declared.values():
        read = [declared_columns(other, values) for other in file.tables_read]
        declared = {
            name: next(each[name] for each in read if name in each) if kind == AS_READ else kind
            for name, kind in declared.items()
        }
    return declared


_PLACES = ["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK"]
_RACES = [f"QRACE{place}" for place in range(1, 9)]
_USUAL_COLUMNS = {
    "code_columns": [*_RACES, "QSPAN"],
    "single_codes": ["ethnicity_code"],
    "single_values": ["ethnicity_code"],
    "packed_columns": ["codes_1_to_4", "codes_5_to_8"],
    "several_codes": [f"answer_{place}" for place in range(1, 9)],
    "code_values": [f"code_{place}" for place in range(1, 9)],
    "counted_columns": ["geo_unit_id", "finest_position", "codes_1_to_4", "codes_5_to_8", "ethnicity_code"],
    "geography_columns": [*_PLACES, "PLACEFP", "AIANNHCE"],
    "area_columns": [*_PLACES, "PLACEFP", "AIANNHCE"],
    "place_columns": _PLACES,
    "block_columns": _PLACES,
    "attribute_numbers": ["AGE_number", "SEX_number"],
    "attribute_reads": ["AGE_number", "SEX_number"],
    "mapped_reads": ["AGE_mapped"],
    "given_values": ["AGE_given", "SEX_given"],
    "ladder_columns": ["AGESTART", "AGEEND", "SEX"],
    "number_columns": ["AGE_START", "AGE_END"],
    "other_columns": [],
    "counted": ["COUNT"],
    "record_keys": ["person_key", "kept_1"],
    "share_columns": [f"share_stat_level_{stat_level}" for stat_level in range(4)],
}


def _names(column: str, values: Mapping[str, object]) -> Sequence[str]:
    """The column itself, or those that a templated one stands for: of the 2020 Census, unless `values` has others."""
    if not column.startswith("{{"):
        return [column]
    from tests.empty_tables import column_name

    key = column.strip("{ }")
    return list(map(column_name, values[key])) if key in values else _USUAL_COLUMNS.get(key, [])


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: [(value is None, 0 if value is None else value) for value in row])
