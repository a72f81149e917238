"""The statements of sql/run/1_inputs: files of any type, read as records and places."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.readers import geography_values, person_values
from safetab_sql.public.sources import find_source, stored_types
from safetab_sql.public.values import place_values
from tests.sql.parameters import SCHOOL, parameters

# --- text ---


@pytest.fixture
def read(run_sql, tmp_path):
    def rows(text, delimiter="|", quotation_mark=""):
        path = tmp_path / "person-records.txt"
        path.write_text(text, encoding="utf-8")
        values = {"text_columns": "{'A': 'varchar', 'B': 'varchar'}", "delimiter": delimiter}
        return run_sql("delimited_text", text_file=str(path), quotation_mark=quotation_mark, **values)

    return rows


@pytest.mark.parametrize("field", ["01", '"quoted"', "it's", "# no comment", "back\\slash", "a,b;c\td", "Ñandú", ""])
def test_the_header_is_no_row_and_a_field_means_every_character_of_it_and_null_if_it_has_none(read, field):
    assert read(f"A|B\n1|{field}\n") == [("1", field or None)]


@pytest.mark.parametrize("line", ["1", "1|2|3"], ids=["too few", "too many"])
@pytest.mark.parametrize("good_lines", [1, 50_000], ids=["at the top", "far down"])
def test_a_line_with_another_number_of_fields_is_an_error(read, line, good_lines):
    with pytest.raises(duckdb.InvalidInputException, match=r"person-records\.txt"):
        read("A|B\n" + "1|2\n" * good_lines + f"{line}\n" + "1|2\n")


@pytest.mark.parametrize(
    ("line", "row"),
    [('"x, y",2', ("x, y", "2")), ('"he said ""no""",', ('he said "no"', None)), ('"",Null', (None, "Null"))],
)
def test_between_commas_a_field_may_stand_in_quotation_marks(read, line, row):
    assert read(f"A,B\n{line}\n", ",", '"') == [row]


# --- geography ---

BLOCKS = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE | SDELM
          01 |       003 |     000400 |   0005 |   00006 |     0007 | 00008
"""
BLOCKS_AS_NUMBERS = """
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
        asked = {name: values[name] for name in ("geography", "geography_columns")}
        return run_sql("geography_rows", **asked, parts=place_values(settings)["parts"])

    return rows


@pytest.mark.parametrize("stored", [BLOCKS, BLOCKS_AS_NUMBERS], ids=["text", "numbers"])
def test_codes_are_text_with_their_leading_zeros_whatever_they_are_stored_as(geography_rows, stored):
    assert geography_rows(stored, "PLACE-1", "AIANNH-1") == [(*PLACE, "00006", "0007", "US")]


def test_columns_are_read_that_region_types_of_the_run_read_and_no_others_of_all_files(geography_rows):
    assert geography_rows(BLOCKS, "COUNTY-1", files=2) == [(*PLACE, "US")] * 2
    assert geography_rows(BLOCKS, "SCHOOL-1", own=(SCHOOL,)) == [(*PLACE, "00008", "US")]


@pytest.mark.parametrize(("state", "part"), [("44", "US"), ("72", "PR"), ("06", "")])
def test_a_row_is_of_the_part_whose_values_it_has_or_of_none(geography_rows, state, part):
    assert geography_rows(BLOCKS.replace(" 01 ", f" {state} "), "COUNTY-1")[0][-1] == part


# --- persons ---

TEXT = """
    QAGE | QSEX | TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | QRACE1 | QRACE2 | QSPAN
      30 |    1 |       01 |       003 |     000400 |   0005 |   1010 |   Null |  0050
"""
NUMBERS = """
  QAGE:int | QSEX:int | TABBLKST:int | TABBLKCOU:int | TABTRACTCE:int | TABBLK:int | QRACE1:int | QRACE2:int | QSPAN:int
        30 |        1 |            1 |             3 |            400 |          5 |       1010 |       NULL |        50
"""


@pytest.fixture
def rows_of(run_sql):
    """The rows of person_numbers or person_records of a file or a folder."""

    def rows(name, path):
        source = find_source(path)
        files, types = [str(file) for file in source.files], stored_types(source, source.files)
        values = person_values("persons", files, types, parameters("USA-1", max_race_codes=2))
        return run_sql(name, **{each: values[each] for each in sql_files()[name].parameters if each in values})

    return rows


@pytest.mark.parametrize("stored", [TEXT, NUMBERS, TEXT.replace("Null", "NULL"), TEXT.replace("Null", "none")])
def test_numbers_are_read_the_same_from_text_and_from_numbers_and_a_code_that_is_none_is_none(
    rows_of, write_parquet, stored
):
    assert rows_of("person_numbers", write_parquet(stored)) == [(30, 1, 10030004000005, 1010, *(0,) * 7, 50)]


@pytest.mark.parametrize(
    ("good", "bad", "place"), [*(("  30", age, 0) for age in ("2.5", "-1", "old", "Null")), ("000400", "00040X", 2)]
)
def test_an_age_or_a_block_that_spells_no_whole_number_is_null(rows_of, write_parquet, good, bad, place):
    assert rows_of("person_numbers", write_parquet(TEXT.replace(good, bad)))[0][place] is None


@pytest.mark.parametrize("stored", [TEXT, NUMBERS], ids=["text", "numbers"])
def test_records_are_read_the_same_from_text_and_from_numbers(rows_of, write_parquet, stored):
    ((_, _, *row),) = rows_of("person_records", write_parquet(stored))
    assert row == [30, 1, "01", "003", "000400", "0005", "1010", None, "0050", "30", "1", None]


def test_people_keep_the_file_and_the_row_they_stand_in(rows_of, write_parquet, tmp_path):
    two_people = TEXT.rstrip() + "\n" + TEXT.rstrip().splitlines()[-1]
    write_parquet(two_people, "persons/state=01/a.parquet")
    write_parquet(TEXT, "persons/state=44/b.parquet")
    found = [(row[0].rpartition("/")[2], row[1]) for row in rows_of("person_records", str(tmp_path / "persons"))]
    assert found == [("a.parquet", 1), ("a.parquet", 2), ("b.parquet", 1)]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")], ids=["null first", "null last"])
def test_a_column_of_nothing_in_one_file_is_read_beside_text_in_another(rows_of, write_parquet, tmp_path, names):
    nothing, something = (f"persons/{name}.parquet" for name in names)
    write_parquet(TEXT.replace("Null", "1020"), something)
    table = pq.read_table(write_parquet(TEXT, nothing))
    place = table.column_names.index("QRACE2")
    pq.write_table(table.set_column(place, "QRACE2", pa.nulls(1)), tmp_path / nothing)
    found = {row[0].rpartition("/")[2]: row[9] for row in rows_of("person_records", str(tmp_path / "persons"))}
    assert found == {f"{names[0]}.parquet": None, f"{names[1]}.parquet": "1020"}


def test_a_record_with_another_value_or_none_in_a_column_of_the_universe_is_outside(run_sql, write_parquet):
    stays = write_parquet("KIND | WARD\ninpatient | a\noutpatient | a\nNULL | a\ninpatient | b")
    universe = ("""coalesce("KIND" = 'inpatient', false)""", """coalesce("WARD" = 'a', false)""")
    for asked, inside in ((universe, [1]), ((), [1, 2, 3, 4])):
        values = {"universe": asked, "universe_columns": [], "unread_columns": {}}
        rows = run_sql("person_universe", persons=[stays], **values)
        assert [row for _, row, is_inside in rows if is_inside] == inside
