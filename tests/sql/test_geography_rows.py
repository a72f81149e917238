"""geography_rows: the geography file with its codes as text, and the part of each row."""

import pyarrow.parquet as pq
import pytest

from safetab_sql.public.readers import geography_values
from safetab_sql.public.values import place_values
from tests.sql.parameters import SCHOOL, parameters

TEXT = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE | SDELM
          01 |       003 |     000400 |   0005 |   00006 |     0007 | 00008
"""
NUMBERS = """
    TABBLKST:tinyint | TABBLKCOU:smallint | TABTRACTCE:integer | TABBLK:smallint | PLACEFP:integer | AIANNHCE:bigint
                   1 |                  3 |                400 |               5 |               6 |              7
"""
PLACE = ("01", "003", "000400", "0005")


@pytest.fixture
def geography_rows(run_sql, write_parquet):
    def rows(text, *levels, files=1, **settings):
        settings = parameters(*levels, **settings)
        paths = [write_parquet(text, f"{number}.parquet") for number in range(files)]
        types = [{field.name: field.type for field in pq.read_schema(paths[0])}]
        values = geography_values("g", paths, types, settings)
        names = ("geography", "geography_columns")
        parts = place_values(settings)["parts"]
        return run_sql("geography_rows", **{name: values[name] for name in names}, parts=parts)

    return rows


@pytest.mark.parametrize("stored", [TEXT, NUMBERS], ids=["text", "numbers"])
def test_codes_are_text_with_their_leading_zeros_whatever_they_are_stored_as(geography_rows, stored):
    assert geography_rows(stored, "PLACE-1", "AIANNH-1") == [(*PLACE, "00006", "0007", "US")]


def test_columns_are_read_that_region_types_of_the_run_read_and_no_others(geography_rows):
    assert geography_rows(TEXT, "COUNTY-1") == [(*PLACE, "US")]
    assert geography_rows(TEXT, "SCHOOL-1", own=(SCHOOL,)) == [(*PLACE, "00008", "US")]


@pytest.mark.parametrize(("state", "part"), [("44", "US"), ("72", "PR"), ("06", "")])
def test_a_row_is_of_the_part_whose_values_it_has_or_of_none(geography_rows, state, part):
    assert geography_rows(TEXT.replace(" 01 ", f" {state} "), "COUNTY-1")[0][-1] == part


def test_the_blocks_of_all_files_stand_one_under_another(geography_rows):
    assert geography_rows(TEXT, "COUNTY-1", files=2) == [(*PLACE, "US")] * 2
