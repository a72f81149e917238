"""The same people give the same exact tables in every form that a file of them may have."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests import nations, oracle

NATION = nations.sample_nation(120)
CODE_COLUMNS = [name for name in nations.PERSON_COLUMNS if name != "QAGE"]


@pytest.fixture(scope="module")
def wanted():
    return oracle.exact_tables(nations.oracle_inputs(NATION))


@pytest.fixture
def inputs(tmp_path):
    return nations.write_nation(NATION, tmp_path / "nation")


def _table(rows: list[oracle.Row], columns: list[str]) -> pa.Table:
    return pa.table({name: [row[name] for row in rows] for name in columns})


def _persons(rows: list[oracle.Row] = NATION.persons) -> pa.Table:
    return _table(rows, nations.PERSON_COLUMNS)


def _cast(table: pa.Table, types: dict[str, pa.DataType]) -> pa.Table:
    """`table` with other types of the named columns; text of digits becomes numbers."""
    columns = {
        name: pa.array([None if value is None else int(value) for value in table[name].to_pylist()], types[name])
        if name in types and pa.types.is_integer(types[name])
        else table[name].cast(types.get(name, table[name].type))
        for name in table.column_names
    }
    return pa.table(columns)


def _glob(folder: Path) -> str:
    for number in range(3):
        pq.write_table(_persons(NATION.persons[number::3]), folder / f"part-{number}.parquet")
    (folder / "readme.md").write_text("not matched by the glob")
    return f"{folder}/part-*.parquet"


def _directory(folder: Path) -> Path:
    (folder / "deep" / "deeper").mkdir(parents=True)
    pq.write_table(_persons(NATION.persons[:50]), folder / "deep" / "a.parquet")
    pq.write_table(_persons(NATION.persons[50:]), folder / "deep" / "deeper" / "a.parquet")
    (folder / "_SUCCESS").touch()
    return folder


def _hive_of_two_columns_with_the_word_null(folder: Path) -> Path:
    """Production's word for no code, in Parquet."""
    spelled = [{**row, **{place: row[place] or "Null" for place in nations.RACE_PLACES}} for row in NATION.persons]
    pq.write_to_dataset(_persons(spelled), folder, partition_cols=["TABBLKST", "TABBLKCOU"])
    return folder


def _narrow_integers(folder: Path) -> Path:
    types = {
        **dict.fromkeys(CODE_COLUMNS, pa.uint16()),
        "QSEX": pa.int8(),
        "TABTRACTCE": pa.int64(),
        "QAGE": pa.uint8(),
    }
    pq.write_table(_cast(_persons(), types), folder / "persons.parquet")
    return folder / "persons.parquet"


def _dictionaries(folder: Path) -> Path:
    types = dict.fromkeys(CODE_COLUMNS, pa.dictionary(pa.int32(), pa.string()))
    pq.write_table(_cast(_persons(), types), folder / "persons.parquet")
    return folder / "persons.parquet"


def _ages_as_text(folder: Path) -> Path:
    padded = [{**row, "QAGE": f"{row['QAGE']:03d}"} for row in NATION.persons]
    pq.write_table(_persons(padded), folder / "persons.parquet")
    return folder / "persons.parquet"


def _other_order_of_columns_and_rows(folder: Path) -> Path:
    return nations.write_text(folder / "persons.txt", nations.PERSON_COLUMNS[::-1], NATION.persons[::-1])


def _extra_columns(folder: Path) -> Path:
    extra = [{**row, "HOUSEHOLDER": "True", "CENRACE": "01", "NAME": "O'Hara"} for row in NATION.persons]
    return nations.write_text(
        folder / "persons.txt", ["NAME", *nations.PERSON_COLUMNS, "HOUSEHOLDER", "CENRACE"], extra
    )


def _several_texts(folder: Path) -> Path:
    nations.write_text(folder / "a.txt", nations.PERSON_COLUMNS, NATION.persons[:30])
    nations.write_text(folder / "b.txt", nations.PERSON_COLUMNS, NATION.persons[30:])
    return folder


# What a form of `make test` has too, or nearly so, is tried in the soak. The geography is text or numbers by turns.
FORMS = [
    *(_glob, _directory, _hive_of_two_columns_with_the_word_null, _narrow_integers, _dictionaries),
    *(_ages_as_text, _other_order_of_columns_and_rows, _extra_columns, _several_texts),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__.strip("_").replace("_", " "))
@pytest.mark.each_time("hive of two columns")
def test_persons_geography_and_lists_in_any_form_give_the_same_tables(form, inputs, tmp_path, wanted):
    (tmp_path / "persons").mkdir()
    (tmp_path / "lists").mkdir()
    types = dict.fromkeys(nations.BLOCK_COLUMNS, pa.int32() if FORMS.index(form) % 2 else pa.string())
    pq.write_table(_cast(_table(NATION.blocks, nations.BLOCK_COLUMNS), types), tmp_path / "geography.parquet")
    for path in [*inputs.code_lists.glob("race-*.txt"), *inputs.code_lists.glob("ethnicity-*.txt")]:
        rows = nations.read_text(path)
        pq.write_table(_table(rows, list(rows[0])), tmp_path / "lists" / f"{path.stem}.parquet")
    given = replace(inputs, persons=form(tmp_path / "persons"), code_lists=tmp_path / "lists")
    made = nations.exact_of(replace(given, geography=tmp_path / "geography.parquet"), tmp_path / "exact")
    assert (made.t1, made.t2) == wanted
