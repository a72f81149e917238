"""Columns: which ones each input must have, and how each stored type is read."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import macro_files, packaged_folder
from safetab_sql.public.columns import ANSWER, FLAG, GEOGRAPHY, PLAIN, TEXT, WHOLE, Kind, code_of, column_expressions
from safetab_sql.public.readers import list_kinds
from safetab_sql.settings.parameters import load_parameters
from tests.census import list_files


@pytest.fixture(scope="module")
def macros() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for macro in macro_files().values():
            connection.execute(macro.body)
        yield connection


def refusal(files: list[dict[str, pa.DataType]], wanted: dict[str, Kind]) -> str:
    with pytest.raises(InputError) as refused:
        column_expressions("given", files, wanted)
    return str(refused.value)


READINGS = {
    "text code": (code_of(3), pa.array(["001", "12", None]), ["001", "012", None]),
    "code of the word Null": (code_of(4), pa.array(["Null", "1100"]), [None, "1100"]),
    "large text code": (code_of(2), pa.array(["01"], pa.large_string()), ["01"]),
    "view text code": (code_of(2), pa.array(["01"], pa.string_view()), ["01"]),
    "dictionary code": (code_of(2), pa.array(["01", None, "Null"]).dictionary_encode(), ["01", None, None]),
    "dictionary of numbers": (code_of(2), pa.array([1, None]).dictionary_encode(), ["01", None]),
    "whole number code": (code_of(4), pa.array([7, 1100, None], pa.int16()), ["0007", "1100", None]),
    "unsigned code": (code_of(6), pa.array([42], pa.uint32()), ["000042"]),
    "number too wide": (code_of(2), pa.array([123]), ["123"]),
    "negative number": (code_of(4), pa.array([-1]), ["00-1"]),
    "column of nothing": (code_of(4), pa.nulls(2), [None, None]),
    "whole number": (WHOLE, pa.array([0, 115, -1, None], pa.int16()), [0, 115, -1, None]),
    "number beyond 32 bits": (WHOLE, pa.array([2**40]), [None]),
    "number as text": (WHOLE, pa.array(["7", "007", None]), [7, 7, None]),
    "no whole number as text": (WHOLE, pa.array(["2.5", "-1", "x", "", "1e2", " 7"]), [None] * 6),
    "text number beyond 32 bits": (WHOLE, pa.array(["99999999999"]), [None]),
    "nothing for a number": (WHOLE, pa.nulls(1), [None]),
    "whole numbers stored as fractions": (WHOLE, pa.array([12.0, 12.5, float("nan"), None]), [12, None, None, None]),
    "a code stored as a fraction": (code_of(4), pa.array([12.0, 12.5, float("nan")]), ["0012", "12.5", None]),
    "a decimal code": (code_of(4), pa.array([Decimal(12)], pa.decimal128(4, 0)), ["0012"]),
    "any code stored as a fraction": (ANSWER, pa.array([12.0, None], pa.float32()), ["12", None]),
    "flag": (FLAG, pa.array([True, False, None]), [True, False, None]),
    "flag as text": (FLAG, pa.array(["True", "False", "Null", None]), [True, False, None, None]),
    "no flag as text": (FLAG, pa.array(["perhaps", ""]), [None, None]),
    "flag of nothing": (FLAG, pa.nulls(1), [None]),
    "a list of texts": (replace(ANSWER, is_list=True), pa.array([["b", None, "", "a"], []]), [["b", "a"], []]),
    "a list of numbers": (replace(code_of(2), is_list=True), pa.array([[1, 1], None]), [["01", "01"], None]),
    "lists of nothing": (replace(ANSWER, is_list=True), pa.array([[None], None]), [[], None]),
    "free text": (TEXT, pa.array(["Null", "it's", None]), ["Null", "it's", None]),
}


@pytest.mark.parametrize(("kind", "stored", "expected"), READINGS.values(), ids=READINGS)
def test_a_column_is_read_by_the_type_it_is_stored_in(macros, kind, stored, expected):
    expression = column_expressions("given", [{"column": stored.type}], {"column": kind})["column"]
    macros.register("stored", pa.table({"column": stored}))
    assert [value for (value,) in macros.execute(f"select {expression} from stored").fetchall()] == expected


UNUSABLE = {
    "a code as a flag": (code_of(1), pa.bool_(), "text of 1 digits"),
    "a code as bytes": (code_of(4), pa.binary(), "text of 4 digits"),
    "an age as a date": (WHOLE, pa.date32(), "as a number"),
    "a flag as a number": (FLAG, pa.int8(), "True, False or Null"),
    "a name as a number": (TEXT, pa.int8(), "store it as text"),
    "a list": (code_of(4), pa.list_(pa.string()), "column and at_most"),
    "codes as lists": (replace(code_of(4), is_list=True), pa.string(), "text of 4 digits"),
    "lists of lists": (replace(ANSWER, is_list=True), pa.list_(pa.list_(pa.string())), "store it as text"),
}


@pytest.mark.parametrize(("kind", "stored", "fix"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_type_that_cannot_be_read_exactly_is_refused(kind, stored, fix):
    said = refusal([{"COLUMN": stored}], {"COLUMN": kind})
    assert (f"given [COLUMN]: stored as {stored}" in said, fix in said) == (True, True)


@pytest.mark.parametrize("kind", [code_of(4), WHOLE, PLAIN, ANSWER], ids=lambda kind: type(kind).__name__)
def test_a_gap_in_one_file_which_turned_its_numbers_into_fractions_changes_nothing(kind):
    files = [{"COLUMN": pa.int32()}, {"COLUMN": pa.float64()}]
    united, alone = (column_expressions("given", each, {"COLUMN": kind}) for each in (files, files[1:]))
    assert united == alone


@pytest.mark.parametrize("kind", [code_of(4), WHOLE, FLAG, TEXT, PLAIN], ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("stored", [pa.string(), pa.int16(), pa.bool_()], ids=str)
def test_a_file_in_which_a_column_is_null_throughout_changes_nothing(kind, stored):
    """Neither how the others are read, nor whether they are refused."""

    def said(*types: pa.DataType) -> object:
        try:
            return column_expressions("given", [{"COLUMN": one} for one in types], {"COLUMN": kind})
        except InputError as error:
            return str(error)

    assert said(stored, pa.null()) == said(pa.null(), stored) == said(stored)


SAID: dict[str, tuple[list[dict[str, pa.DataType]], dict[str, Kind], str]] = {
    "types that are read differently": (
        [{"QSPAN": pa.int16()}, {"QSPAN": pa.string()}],
        *({"QSPAN": code_of(4)}, "given [QSPAN]: stored as int16, string"),
    ),
    "every missing column, and those that are there": (
        *([{"age": pa.int8(), "QSEX": pa.string()}], {"QAGE": WHOLE, "QSEX": code_of(1), "QSPAN": code_of(4)}),
        "given: missing columns QAGE, QSPAN; found age, QSEX",
    ),
    "in how many files it is missing": (
        [{"QAGE": pa.int8()}, {"age": pa.int8()}, {"QAGE": pa.int8()}],
        *({"QAGE": WHOLE}, "missing column QAGE in 1 of 3 files; found age"),
    ),
    "missing columns and wrong types": ([{"QAGE": pa.date32()}], {"QAGE": WHOLE, "QSEX": code_of(1)}, "2 problems"),
    "a name in other capitals": (
        *([{"qage": pa.int8()}], {"QAGE": WHOLE}),
        "missing column QAGE; found qage\n    rename qage to QAGE: capitals, accents and spaces make a difference",
    ),
    "spaces around a name": (
        *([{"\u00a0QAGE ": pa.int8(), " qsex": pa.int8()}], {"QAGE": WHOLE, "QSEX": WHOLE}),
        "rename '\\xa0QAGE ' to QAGE, ' qsex' to QSEX: capitals, accents and spaces make a difference",
    ),
    "a name with other accents": (
        *([{"língua": pa.string()}], {"LINGUA": PLAIN}),
        "missing column LINGUA; found língua\n    rename língua to LINGUA: capitals, accents and spaces make a "
        "difference; or write língua for LINGUA in the parameters",
    ),
}


@pytest.mark.parametrize(("files", "wanted", "said"), SAID.values(), ids=SAID)
def test_what_is_wrong_with_columns_is_said(files, wanted, said):
    assert said in refusal(files, wanted)


def test_a_name_with_a_quote_is_quoted():
    assert column_expressions("given", [{'a"b': pa.int8()}], {'a"b': WHOLE}) == {'a"b': 'as_whole_number("a""b")'}


def test_the_codes_of_a_block_and_the_code_lists_have_productions_widths_and_columns():
    widths = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4, "PLACEFP": 5, "AIANNHCE": 4}
    assert {name: code_of(width) for name, width in widths.items()} == GEOGRAPHY
    example = load_parameters(packaged_folder("configs") / "example.toml")
    flags = ["DETAILED_ONLY", "COARSE_ONLY"]
    assert {name: list(list_kinds(name, example)) for name in list_files()} == {
        "codes_list": ["RACE_ETH_CODE", "RACE_ETH_NAME"],
        "race_iterations": ["ITERATION_CODE", "ITERATION_NAME", "LEVEL", "ALONE", *flags],
        "ethnicity_iterations": ["ITERATION_CODE", "ITERATION_NAME", "LEVEL", *flags],
        "code_iterations": ["ITERATION_CODE", "RACE_ETH_CODE"],
    }
