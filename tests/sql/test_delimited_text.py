"""delimited_text: text of the production system, or of commas, every field as text."""

import duckdb
import pytest

COLUMNS = "{'A': 'varchar', 'B': 'varchar'}"


def read(run_sql, path):
    return run_sql("delimited_text", text_file=path, text_columns=COLUMNS, delimiter="|", quotation_mark="")


@pytest.fixture
def text_file(tmp_path):
    def write(text):
        path = tmp_path / "person-records.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_the_header_is_no_row_and_every_field_is_text(run_sql, text_file):
    assert read(run_sql, text_file("A|B\n01|2\n")) == [("01", "2")]


@pytest.mark.parametrize("field", ['"quoted"', "it's", "# no comment", "back\\slash", "a,b;c\td", "Ñandú"])
def test_a_field_means_every_character_of_it(run_sql, text_file, field):
    assert read(run_sql, text_file(f"A|B\n{field}|2\n")) == [(field, "2")]


def test_an_empty_field_is_null(run_sql, text_file):
    assert read(run_sql, text_file("A|B\n1|\n")) == [("1", None)]


@pytest.mark.parametrize("line", ["1", "1|2|3"], ids=["too few", "too many"])
@pytest.mark.parametrize("good_lines", [1, 50_000], ids=["at the top", "far down"])
def test_a_line_with_another_number_of_fields_is_an_error(run_sql, text_file, line, good_lines):
    path = text_file("A|B\n" + "1|2\n" * good_lines + f"{line}\n" + "1|2\n")
    with pytest.raises(duckdb.InvalidInputException, match=r"person-records\.txt"):
        read(run_sql, path)


@pytest.mark.parametrize(
    ("line", "row"),
    [('"x, y",2', ("x, y", "2")), ('"he said ""no""",', ('he said "no"', None)), ('"",Null', (None, "Null"))],
)
def test_between_commas_a_field_may_stand_in_quotation_marks(run_sql, text_file, line, row):
    path = text_file(f"A,B\n{line}\n")
    values = {"text_columns": COLUMNS, "delimiter": ",", "quotation_mark": '"'}
    assert run_sql("delimited_text", text_file=path, **values) == [row]
