"""geography_codes_malformed: blocks whose codes are not digits of the right number."""

from dataclasses import replace

import pyarrow as pa
import pytest

from safetab_sql.public.readers import geography_values
from safetab_sql.settings.geography import PlaceColumn
from tests.sql.parameters import parameters

GOOD = ("44", "007", "000101", "1000", "59000", "9999")
NAMES = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE")
HEADER = " | ".join(NAMES) + "\n-\n"
COLUMNS = geography_values("g", [], [dict.fromkeys(NAMES, pa.string())], parameters("PLACE-1", "AIANNH-1"))


def malformed(run_sql, row):
    given = {"geography_rows": HEADER + " | ".join(row)}
    return run_sql("geography_codes_malformed", given=given, coded_columns=COLUMNS["coded_columns"])


@pytest.mark.parametrize("column", range(6), ids=["state", "county", "tract", "block", "place", "AIANNH"])
@pytest.mark.parametrize("spoil", [lambda code: code[1:], lambda code: code + "0", lambda code: "x" + code[1:]])
def test_a_code_that_is_too_short_too_long_or_no_number_is_returned(run_sql, column, spoil):
    row = tuple(spoil(code) if place == column else code for place, code in enumerate(GOOD))
    assert malformed(run_sql, row) == [(NAMES[column], row[column])]


@pytest.mark.parametrize("column", range(6), ids=["state", "county", "tract", "block", "place", "AIANNH"])
def test_a_missing_code_is_returned(run_sql, column):
    row = tuple("NULL" if place == column else code for place, code in enumerate(GOOD))
    assert malformed(run_sql, row) == [(NAMES[column], None)]


def test_digits_of_the_right_number_are_fine(run_sql):
    assert malformed(run_sql, GOOD) == []


def test_a_place_of_text_is_anything_but_what_joined_values_would_take_for_two(run_sql):
    """Otherwise the places `a, b+c` and `a+b, c`, with character 31 for +, would have one key."""
    usual = parameters("STATE-1")
    place = (PlaceColumn("TABBLKST", None), PlaceColumn("TABBLKCOU", None))
    own = replace(usual, geography=replace(usual.geography, place=place))
    columns = geography_values("g", [], [dict.fromkeys(NAMES[:2], pa.string())], own)["coded_columns"]
    rows = "TABBLKST | TABBLKCOU\n-\na | b\x1fc\nÅ b, 12 | d"
    assert run_sql("geography_codes_malformed", given={"geography_rows": rows}, coded_columns=columns) == [
        ("TABBLKCOU", "b\x1fc")
    ]
