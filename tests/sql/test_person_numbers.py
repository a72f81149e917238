"""person_numbers: the person files with their codes as numbers, whatever type they were stored in."""

import pytest

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import find_source, stored_types
from tests.sql.parameters import parameters

TEXT = """
    QAGE | QSEX | TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | QRACE1 | QRACE2 | QSPAN
      30 |    1 |       01 |       003 |     000400 |   0005 |   1010 |   Null |  0050
"""
NUMBERS = """
  QAGE:int | QSEX:int | TABBLKST:int | TABBLKCOU:int | TABTRACTCE:int | TABBLK:int | QRACE1:int | QRACE2:int | QSPAN:int
        30 |        1 |            1 |             3 |            400 |          5 |       1010 |       NULL |        50
"""
READ_AS = (30, 1, 10030004000005, 1010, *(0,) * 7, 50)


@pytest.fixture
def person_numbers(run_sql, write_parquet):
    def rows(stored, max_race_codes=2):
        source = find_source(write_parquet(stored))
        files = [str(file) for file in source.files]
        types = stored_types(source, source.files)
        values = person_values("persons", files, types, parameters("USA-1", max_race_codes=max_race_codes))
        asked = [name for name in sql_files()["person_numbers"].parameters if name in values]
        return run_sql("person_numbers", **{name: values[name] for name in asked})

    return rows


@pytest.mark.parametrize("stored", [TEXT, NUMBERS], ids=["text", "numbers"])
def test_people_read_the_same_from_text_and_from_numbers(person_numbers, stored):
    assert person_numbers(stored) == [READ_AS]


@pytest.mark.parametrize("text", ["Null", "NULL", "none"])
def test_a_code_that_is_no_number_is_none(person_numbers, text):
    assert person_numbers(TEXT.replace("Null", text)) == [READ_AS]


@pytest.mark.parametrize("age", ["2.5", "-1", "old", "Null"])
def test_an_age_that_spells_no_whole_number_is_null(person_numbers, age):
    assert person_numbers(TEXT.replace("  30", age))[0][0] is None


def test_a_block_with_a_part_that_is_no_number_is_null(person_numbers):
    assert person_numbers(TEXT.replace("000400", "00040X"))[0][2] is None
