"""person_records: the person files with their codes as text, whatever type they were stored in."""

import pyarrow as pa
import pyarrow.parquet as pq
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
READ_AS = (30, 1, "01", "003", "000400", "0005", "1010", None, "0050")


@pytest.fixture
def person_records(run_sql):
    def rows(path, max_race_codes):
        source = find_source(path)
        types = stored_types(source, source.files)
        files = [str(file) for file in source.files]
        values = person_values(path, files, types, parameters("USA-1", max_race_codes=max_race_codes))
        asked = [name for name in sql_files()["person_records"].parameters if name in values]
        return run_sql("person_records", **{name: values[name] for name in asked})

    return rows


@pytest.mark.parametrize("stored", [TEXT, NUMBERS], ids=["text", "numbers"])
def test_people_read_the_same_from_text_and_from_numbers(person_records, write_parquet, stored):
    (row,) = person_records(write_parquet(stored), 2)
    assert row[2:] == (*READ_AS, "30", "1", None)


def test_people_keep_the_file_and_the_row_they_stand_in(person_records, write_parquet, tmp_path):
    two_people = TEXT.rstrip() + "\n" + TEXT.rstrip().splitlines()[-1]
    write_parquet(two_people, "persons/state=01/a.parquet")
    write_parquet(TEXT, "persons/state=44/b.parquet")
    rows = person_records(str(tmp_path / "persons"), 2)
    assert [(row[0].rpartition("/")[2], row[1]) for row in rows] == [
        ("a.parquet", 1),
        ("a.parquet", 2),
        ("b.parquet", 1),
    ]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")], ids=["null first", "null last"])
def test_a_column_of_nothing_in_one_file_is_read_beside_text_in_another(person_records, write_parquet, tmp_path, names):
    nothing, something = (f"persons/{name}.parquet" for name in names)
    write_parquet(TEXT.replace("Null", "1020"), something)
    table = pq.read_table(write_parquet(TEXT, nothing))
    place = table.column_names.index("QRACE2")
    pq.write_table(table.set_column(place, "QRACE2", pa.nulls(1)), tmp_path / nothing)
    rows = person_records(str(tmp_path / "persons"), 2)
    assert {row[0].rpartition("/")[2]: row[9] for row in rows} == {
        f"{names[0]}.parquet": None,
        f"{names[1]}.parquet": "1020",
    }
