"""The JSON Schemas against the readers of the files, what one refuses the other refuses too; and looking at the SQL."""

import json
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from jsonschema import Draft202012Validator

from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.strategies import load_workload
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.jobs.schema import SCHEMAS, schema
from safetab_sql.jobs.sql import display_values, example_parameters, find_statement, script, shown, statements
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import macro_files, sql_files
from safetab_sql.public.columns import GEOGRAPHY
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import REPOSITORY
from tests.empty_tables import empty_database

READERS: dict[str, Callable[[Path], object]] = {
    "parameters": load_parameters,
    "bottom-up": load_bottom_up_spec,
    "synthesize": load_synthesis_spec,
    "strategy": load_workload,
}
CONFIGS = sorted((REPOSITORY / "configs").rglob("*.toml"))
NO_SUCH = {"no": {"such": "key"}}


def kind_of(config: Path) -> str:
    """The schema that a file names in its first line."""
    return Path(config.read_text(encoding="utf-8").splitlines()[0].removeprefix("#:schema ")).stem


@cache
def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(schema(kind))


def toml(document: dict[str, Any], place: str = "") -> str:
    """A document as TOML: values first, then a section for each table."""
    values = {key: value for key, value in document.items() if not isinstance(value, dict)}
    lines = [f"{json.dumps(key)} = {_value(value)}" for key, value in values.items()]
    tables = [(f"{place}{json.dumps(key)}", value) for key, value in document.items() if isinstance(value, dict)]
    sections = [f"[{name}]\n{toml(value, f'{name}.')}" for name, value in tables]
    return "\n".join([*lines, *sections, ""])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + "".join(f"\n{_value(each)}," for each in value) + "]"
    return json.dumps(value)


def places(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every table and value of a document."""
    yield place
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield from places(value, (*place, key))


def spoilt(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document with one table too much at each place: in each table, and instead of each value."""
    for place in places(document):
        copy = deepcopy(document)
        holder = {"whole": copy}
        node: Any = holder
        for key in ("whole", *place[:-1]) if place else ():
            node = node[key]
        last = place[-1] if place else "whole"
        if isinstance(node[last], dict):
            node[last]["no_such_key"] = NO_SUCH
        else:
            node[last] = NO_SUCH
        yield ".".join(map(str, place)), holder["whole"]


def is_read(kind: str, file: Path) -> bool:
    try:
        READERS[kind](file)
    except InputError:
        return False
    return True


def disagreements(kind: str, document: dict[str, Any], folder: Path) -> list[str]:
    """Places at which a spoilt document is read, or valid."""
    checks, file = validator(kind), folder / "spoilt.toml"
    found = []
    for place, each in spoilt(document):
        file.write_text(toml(each), encoding="utf-8")
        if is_read(kind, file) or checks.is_valid(tomllib.loads(file.read_text(encoding="utf-8"))):
            found.append(place)
    return found


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_every_config_names_its_schema_and_is_valid(config):
    first = config.read_text(encoding="utf-8").splitlines()[0]
    assert (config.parent / first.removeprefix("#:schema ")).resolve().is_file()
    found = validator(kind_of(config)).iter_errors(tomllib.loads(config.read_text(encoding="utf-8")))
    assert [error.message for error in found] == []


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_schema_is_one(kind):
    Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("name", ["ladders", "bottom-up", "strategy"])
@pytest.mark.each_time("strategy")
def test_an_unknown_key_and_a_wrong_type_are_refused_by_reader_and_schema(name, tmp_path):
    config = REPOSITORY / "configs" / f"{name}.toml"
    document = tomllib.loads(config.read_text(encoding="utf-8"))
    assert disagreements(kind_of(config), document, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example", "hospitals", "dhcb-2020", "norland/parameters"])
def test_nowhere_in_parameters_is_an_unknown_key_or_a_wrong_type_fine(name, tmp_path):
    document = tomllib.loads((REPOSITORY / "configs" / f"{name}.toml").read_text(encoding="utf-8"))
    assert disagreements("parameters", document, tmp_path) == []


def test_a_file_over_a_base_need_not_say_everything():
    over = {"base": "census-2020.toml", "levels": {"COUNTY-2": {"thresholds": [1, 2, 3]}}}
    checks = validator("parameters")
    assert (checks.is_valid(over), checks.is_valid({"levels": over["levels"]})) == (True, False)


@pytest.mark.parametrize("key", ["gamma", "privacy_definition", "run_us"])
def test_a_number_out_of_range_and_an_unknown_word_are_not_valid(key):
    document = tomllib.loads((REPOSITORY / "configs" / "example.toml").read_text(encoding="utf-8"))
    wrong = {"gamma": 1, "privacy_definition": "dp", "run_us": "yes"}
    assert not validator("parameters").is_valid({**document, key: wrong[key]})


@pytest.mark.parametrize(
    ("table", "first", "second"),
    [
        ("attributes.SEX", {"values": ["1"]}, {"minimum": 0}),
        ("attributes.AGE", {"unknown": [9]}, {"values": ["1"]}),
        ("questions.race", {"column": "RACE"}, {"columns": ["RACE"]}),
        ("questions.race", {"iterations": "races"}, {"values": ["1"]}),
    ],
)
def test_keys_that_exclude_one_another_are_not_valid_together(table, first, second):
    outer, inner = table.split(".")
    files = [{"base": "mine.toml", outer: {inner: keys}} for keys in (first, second, {**first, **second})]
    assert [validator("parameters").is_valid(file) for file in files] == [True, True, False]


def test_the_short_form_is_not_valid_beside_what_it_stands_for():
    short = tomllib.loads((REPOSITORY / "configs" / "example.toml").read_text(encoding="utf-8"))
    files = [short, {**short, "run": ["US"]}, {**short, "ladders": {}}]
    assert [validator("parameters").is_valid(file) for file in files] == [True, False, False]


@pytest.fixture(scope="module")
def values() -> dict[str, object]:
    """Values as the command line shows them when nothing is named."""
    return display_values()


@pytest.fixture
def schools(tmp_path: Path) -> Path:
    """The example's parameters with a region type of one's own."""
    own = '\n[region_types.SCHOOL]\nid = "TABBLKST || SDELM"\nwithout = "DETAILED_ONLY"\nsuppress = true\n'
    level = "[levels.SCHOOL-1]\nbudget = 1\nthresholds = [1, 2, 3]\n"
    path = tmp_path / "schools.toml"
    path.write_text(example_parameters().read_text(encoding="utf-8") + own + level, encoding="utf-8")
    return path


def test_there_is_a_value_for_everything_a_statement_asks_for(values):
    asked = {(file.name, wanted) for file in sql_files().values() for wanted in file.parameters}
    assert {(name, wanted) for name, wanted in asked if wanted not in values} == set()


def test_a_named_input_is_shown_with_its_stored_types(tmp_path):
    blocks = tmp_path / "blocks.parquet"
    columns = "1 as TABBLKST, '001' as TABBLKCOU, '0' as TABTRACTCE, '0' as TABBLK, 'x' as PLACEFP, 'x' as AIANNHCE"
    duckdb.sql(f"copy (select {columns}) to '{blocks}'")
    values = display_values(geography=str(blocks))
    assert values["geography"] == [str(blocks.resolve())]
    assert 'code_from_number("TABBLKST", 2) as "TABBLKST"' in shown(find_statement("geography_rows"), values)


def test_a_named_input_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file is there"):
        display_values(persons=str(tmp_path / "none.parquet"))


def test_a_region_type_of_ones_own_is_shown_with_its_column_and_the_listing_says_every_zone(schools, tmp_path):
    blocks = tmp_path / "blocks.parquet"
    columns = ", ".join(f"'1' as {column}" for column in [*GEOGRAPHY, "SDELM"])
    duckdb.sql(f"copy (select {columns}) to '{blocks}'")
    text = shown(find_statement("geography_rows"), display_values(schools, geography=str(blocks)))
    assert '"SDELM" as "SDELM"' in text
    assert "region_or_none(TABBLKST || SDELM, " in shown(find_statement("area_regions"), display_values(schools))
    zones = [each["zone"] for each in statements()]
    assert zones == [file.zone for file in [*sql_files().values(), *macro_files().values()]]


def test_the_empty_database_has_every_table_and_no_row(values):
    connection = empty_database(values)
    made = {row[0] for row in connection.execute("show tables").fetchall()}
    rows = [connection.execute(f'select count(*) from "{name}"').fetchall()[0][0] for name in made]
    connection.close()
    assert made == {file.name for file in sql_files().values() if file.columns and file.folder != "checks"}
    assert set(rows) == {0}


def test_a_shown_statement_or_script_brings_the_macros_that_it_calls_once_and_no_others(values):
    macro = macro_files()["code_from_text"]
    assert shown(find_statement("code_from_text"), values) == f"{macro.header}\n{macro.body.strip()};\n"
    lines = shown(find_statement("codes"), values).splitlines()
    assert [line for line in lines if "macro" in line] == [
        "create or replace temporary macro code_from_text(given, width) as"
    ]
    made = [line for line in script(values).splitlines() if line.startswith("create or replace")]
    macros = [line for line in made if " macro " in line]
    assert made[: len(macros)] == macros == list(dict.fromkeys(macros)) != []
