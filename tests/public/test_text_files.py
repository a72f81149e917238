"""A record is a line: what is read of a text file is what another reader finds in each line by itself."""

import bz2
import csv
import gzip
import io
import lzma
import random
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public import text_files
from safetab_sql.public.sources import find_code_lists, find_source, form_problem
from safetab_sql.public.text_files import LONGEST_LINE, text_header, text_table, text_tables

Rows = list[tuple[str | None, ...]]


def read(path: Path, content: bytes) -> tuple[list[str], Rows]:
    path.write_bytes(content)
    table = text_table(path)
    return table.column_names, list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def by_another_reader(text: str, delimiter: str) -> Rows:
    """The rows, each line by itself. A line without a sign is a row of one column, and none of several."""
    quoting = csv.QUOTE_NONE if delimiter == "|" else csv.QUOTE_MINIMAL
    header, *lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    each = [next(csv.reader([line], delimiter=delimiter, quoting=quoting, strict=True), []) for line in lines]
    rows = [row or [""] for row in each if row or delimiter not in header]
    return [tuple(field or None for field in row) for row in rows]


FIELDS = ["a", "", '"a"', '""', '""""', '","', '""","""', '"x"",""y"', '",\'"', '" "', "é", f'"{"y," * 20}"', "x" * 30]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.each_time("[1", "[2")
def test_what_a_line_means_does_not_depend_on_where_its_bytes_lie(tmp_path, monkeypatch, seed):
    """Whatever stands before it: files of hostile fields that are read some hundred bytes at a time."""
    draw = random.Random(seed)
    end, width, mark = draw.choice(["\n", "\r\n"]), draw.choice([1, 2, 5]), draw.choice(",;\t|")
    fields = [field.replace(",", mark) for field in FIELDS] if mark != "|" else ["a", "", '"', '"b', 'c"d', "é", ",;\t"]
    if width == 1:  # separated by nothing
        mark, fields = ",", FIELDS
    lines = [mark.join(f"c{place}" for place in range(width))]
    lines += [mark.join(draw.choices(fields, k=width)) if draw.random() > 0.1 else "" for _ in range(80)]
    text = end.join(lines) + draw.choice(["", end])
    monkeypatch.setattr(text_files, "_STRETCH", draw.choice([7, 100, 333]))
    wanted = by_another_reader(text, mark)
    assert read(tmp_path / "a.csv", text.encode())[1] == wanted
    assert len(wanted) > 60


def test_one_record_more_of_any_length_changes_no_acceptance(tmp_path, monkeypatch):
    draw, text = random.Random(1), io.StringIO()
    notes = ['"', "a, b", ",", '","', *("x" * place for place in range(9))]
    records = ((f"p{n}", draw.choice("ab"), draw.choice(notes)) for n in range(30))
    csv.writer(text, lineterminator="\r\n").writerows(records)
    monkeypatch.setattr(text_files, "_STRETCH", 64)
    for pad in (*range(66), 130, 199):  # each place of a stretch, and records longer than one
        whole = f"P,H,NOTE\r\nnew,a,{'y' * pad}\r\n{text.getvalue()}"
        assert read(tmp_path / "a.csv", whole.encode())[1] == by_another_reader(whole, ",")


def named(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


ROWS = b"QAGE,QSEX\n7,1\n8,2\n"
READ = {
    "a mark of UTF-8": (b"\xef\xbb\xbf" + ROWS, ["QAGE", "QSEX"]),
    "a mark before a name in quotation marks": (b'\xef\xbb\xbf"QAGE","QSEX"\n7,1\n8,2\n', ["QAGE", "QSEX"]),
    "no line end at the end": (ROWS[:-1], ["QAGE", "QSEX"]),
    "lines without a sign": (b"QAGE,QSEX\n\n7,1\n\n\n8,2\n\n", ["QAGE", "QSEX"]),
    "line ends of Windows": (ROWS.replace(b"\n", b"\r\n"), ["QAGE", "QSEX"]),
    "line ends of Windows but for the last": (ROWS.replace(b"\n", b"\r\n")[:-2], ["QAGE", "QSEX"]),
    "line ends of Windows in some lines": (b"QAGE,QSEX\r\n7,1\n\r\n8,2\r\n\n", ["QAGE", "QSEX"]),
    "line ends of old computers": (b"QAGE,QSEX\r7,1\r\r8,2", ["QAGE", "QSEX"]),
    "row numbers": (b'"","QAGE","QSEX"\n"1",7,1\n"2",8,2\n', ["QAGE", "QSEX"]),
    "columns of nothing at the end": (b"QAGE|QSEX||\n7|1||\n8|2||\n", ["QAGE", "QSEX"]),
    "names with separators": (b'"QAGE, years";QSEX\n7;1\n8;2\n', ["QAGE, years", "QSEX"]),
    "a long header": (b"QAGE,QSEX," + b"n" * 200_000 + b"\n7,1,\n8,2,\n", ["QAGE", "QSEX", "n" * 200_000]),
}


@pytest.mark.parametrize(("content", "names"), READ.values(), ids=READ)
def test_what_other_programs_write_is_read(tmp_path, content, names):
    found, rows = read(tmp_path / "a.csv", content)
    assert found == names
    assert [[each for each in row if each in ("7", "8")] for row in rows] == [["7"], ["8"]]


NEW, UTF8 = "' > '{}/a.new.csv'", "' > '{}/a.utf8.csv'"
ODD, MISPLACED = "holds an odd number of quotation marks", "holds a quotation mark that neither opens a field nor"
RETURN, OTHER_END = "holds a carriage return (CR)", "has another line end than line 1, which ends in "
REFUSED = {
    "a field that never ends": (b'P,NOTE\n1,x\nme,"begin\n3,end"\n', f"line 3 {ODD}", "a record is one line"),
    "a field of two lines": (b'P,NOTE\n1,"two\nlines"\n', f"line 2 {ODD}", "write the file as Parquet"),
    "a name of two lines": (b'P,"NO\nTE"\n1,x\n', f"line 1 {ODD}", "a record is one line"),
    "a mark and a field that never ends": (b'A,B\na"b,"c\nd",e"f\n', f"line 2 {MISPLACED}", "double those inside"),
    "inches": (b'A,B\n1,5" x 6"\n', f"line 2 {MISPLACED}", "double those inside"),
    "behind a field": (b'A,B\n1,"a"b\n', f"line 2 {MISPLACED}", "double those inside"),
    "a mark in the only column": (b'A\n1\n"\n', f"line 3 {ODD}", "a record is one line"),
    "a field in marks between pipes": (b'A|B\n1|2\n"1"|2\n', "line 3 has a field in quotation marks", "quote = FALSE"),
    "names in marks between pipes": (b'"A"|"B"\n1|2\n', "line 1 has a field in quotation marks", "quote = FALSE"),
    "a line too short": (b"A,B\n1,2\n\n3\n", "line 4 has 1 field, and the header 2", "in a comma-separated table"),
    "a line too long": (b"A|B\r\n1|2|3\r\n", "line 2 has 3 fields, and the header 2", "in a pipe-delimited table"),
    "LF below CR": (b"A,B\r1,2\r3,4\n", f"line 3 {OTHER_END}CR", "let every line end in LF"),
    "CR in a field": (b"A,B\n1,2\n3,x\ry\n", f"line 3 {RETURN}", "take line breaks out of fields"),
    "CR in a field of Windows": (b"A,B\r\n1,x\ry\r\n", f"line 2 {RETURN}", "take line breaks out of fields"),
    "LF in a field of Windows": (b'A,B\r\n1,"x\ny"\r\n', f"line 2 {ODD}", "take line breaks out of it"),
    "a note for Excel": (b"sep=;\nA;B\n1;2\n", "begins with a note, sep=;", "tail -n +2 '{}/a.csv" + NEW),
    "a note, a comma": (b"\xef\xbb\xbfsep=,\r\nA,B\r\n", "begins with a note, sep=,", "tail -n +2"),
    "a note saved again": (b"sep = ,,,,\nA,B,C,D\n", "begins with a note", "tail -n +2"),
    "a note in marks": (b'"sep=|"\nA|B\n', "begins with a note", "tail -n +2"),
    "a note of PowerShell": (b"#TYPE System.Object\nA,B\n1,2\n", "begins with a note, #TYPE System", "tail -n +2"),
    "spaces before fields": (b'"A", "B"\n1,2\n', f"line 1 {MISPLACED}", "without spaces around it"),
    "nothing": (b"", "has no header row", "give the names of the columns in the first line"),
    "no names": (b",,\n1,2,3\n", "has no header row", "give the names"),
    "an empty line first": (b"\nA,B\n1,2\n", "has no header row", "give the names"),
    "a name twice": (b"A,B,a\n1,2,3\n", "has column A, a more than once", "a name of its own"),
    "a header too long": (b"x" + "é".encode() * LONGEST_LINE, "line 1 is longer than 1,048,576 bytes", "nothing reads"),
    "a line beyond all bounds": (b"A,B\n1," + b"x" * 10**7, "line 2 is longer than 1,048,576 bytes", "write Parquet"),
    "UTF-16": ("A,B\n1,2\n".encode("utf-16"), "line 1 is no UTF-8 text", "as UTF-16 by: iconv -f utf-16 -t utf-8"),
    "UTF-16, unmarked": ("A,B\n1,2\n".encode("utf-16-le"), "line 1 is no UTF-8", "-f utf-16le -t utf-8 '{}/a.csv"),
    "UTF-16, the other way": ("A,B\n1,2\n".encode("utf-16-be"), "line 1 is no UTF-8", "iconv -f utf-16be"),
    "UTF-32": ("A,B\n1,2\n".encode("utf-32"), "line 1 is no UTF-8", "iconv -f utf-32 -t"),
    "Latin-1 in the header": ("língua,B\n1,2\n".encode("latin-1"), "line 1 is no UTF-8", "iconv -f latin1 -t utf-8"),
    "Latin-1 below": ("A,B\n1,2\né,\n".encode("latin-1"), "line 3 is no UTF-8", "latin1 -t utf-8 '{}/a.csv" + UTF8),
    "cp1250 as Latin-1": ("A,B\nBre\x9eice,2\n".encode(), "line 2 holds a sign from U+0080", "again: iconv -f cp1252"),
    "a NUL byte": (b"A,B\n1,\0\n", "line 2 holds a NUL byte", "take it out: tr -d '\\000' < '{}/a.csv" + UTF8),
    "files put together": (b"A,B\n1,2\n\xef\xbb\xbfA,B\n3,4\n", "line 3 begins with the sign", "the second header"),
    "gzip": (gzip.compress(ROWS), "is compressed", "gzip -dc '{}/a.csv' > '{}/a.unpacked.csv'"),
    "bzip2": (bz2.compress(ROWS), "is compressed", "bzip2 -dc"),
    "zstd": (pa.compress(ROWS, "zstd", asbytes=True), "is compressed", "zstd -dc"),
    "Parquet": (b"PAR1....PAR1", "is Parquet, and its name says otherwise", "rename it to end in .parquet"),
}


@pytest.mark.parametrize(("content", "what", "fix"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_of_lines_is_refused_with_its_line_and_what_to_do(tmp_path, content, what, fix):
    with pytest.raises(InputError) as refusal:
        read(tmp_path / "a.csv", content)
    (problem,) = refusal.value.problems
    assert problem.where == str(tmp_path / "a.csv")
    assert problem.what.startswith(what)
    assert fix.replace("{}", str(tmp_path)) in problem.fix


SPELT = {
    "cp1250": ("Łódź, Kraków, Gdańsk, Żory", "Székesfehérvár, Győr, Pécs, Sümeg", "Čakovec, Šibenik, Đurđevac"),
    "iso-8859-2": ("Plzeň, České Budějovice, Žďár, Třebíč, Ústí", "Łódź, Żory, Świnoujście"),
    "latin1": ("Évora, São João, Açores", "Málaga, Peñíscola, Cádiz", "Tromsø, Ålesund", "Göteborg, Västerås, Malmö"),
    "cp1252": ("Schœlcher, Besançon, Nîmes, Œuilly",),
    "cp1254": ("Muğla, Şanlıurfa, Iğdır, Kütahya",),
    "cp1257": ("Šiauliai, Panevėžys, Kėdainiai, Ąžuolas", "Rīga, Jēkabpils, Kuldīga, Ķegums"),
    "cp1251": ("Москва, Тверь, Орёл", "Київ, Їжакевич, Чернівці"),
    "koi8-r": ("Москва, Тверь, Самара",),
    "cp1253": ("Αθήνα, Λάρισα, Χανιά",),
    "cp852": ("Plzeň, České Budějovice, Žďár, Třebíč",),
    "macintosh": ("Évora, São João, Açores, Bragança",),
}


@pytest.mark.parametrize(("encoding", "text"), [(each, text) for each, texts in SPELT.items() for text in texts])
def test_an_encoding_is_told_by_the_letters_of_a_language_and_words_of_the_header_are_shown(tmp_path, encoding, text):
    for header, is_shown in (("A|B", False), (f"A|{text.replace(', ', ' ')}", True)):
        with pytest.raises(InputError) as refusal:
            read(tmp_path / "a.csv", f"{header}\n1|{text}\n".encode(encoding))
        (problem,) = refusal.value.problems
        assert f"iconv -f {encoding} -t utf-8" in problem.fix
        assert all(word in text for word in problem.examples)
        assert bool(problem.examples) is is_shown


def test_the_number_of_a_line_counts_from_the_beginning_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_STRETCH", 100)
    with pytest.raises(InputError, match="line 902 holds an odd number"):
        read(tmp_path / "a.csv", b"A,B\n" + b"1,2\n\n" * 450 + b'",\n')


def zipped(content: bytes, name: str = "persons.csv") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


PACKED = {
    "persons.csv.gz": (gzip.compress, "gzip -dc '{0}/persons.csv.gz' > '{0}/persons.csv'"),
    "persons.CSV.GZ": (gzip.compress, "gzip -dc '{0}/persons.CSV.GZ' > '{0}/persons.CSV'"),
    "persons.zip": (zipped, "unpack it: unzip '{0}/persons.zip'; and name"),
    "persons.tar.gz": (gzip.compress, "tar -xf '{0}/persons.tar.gz'; and name"),
    "persons.csv.zst": (lambda rows: pa.compress(rows, "zstd", asbytes=True), "zstd -dc '{0}/persons.csv.zst' > '"),
    "persons.txt.bz2": (bz2.compress, "bzip2 -dc '{0}/persons.txt.bz2' > '{0}/persons.txt'"),
    "persons.txt.xz": (lzma.compress, "xz -dc"),
}
OTHERS = {
    "a workbook": ("a.xlsx", zipped(b""), "is a workbook", "as CSV in UTF-8"),
    "a workbook by what is in it": ("a.csv", zipped(b"", "xl/workbook.xml"), "is a workbook", "as CSV in UTF-8"),
    "an old workbook": ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a workbook", "as CSV in UTF-8"),
    "a file of R": ("a.rds", gzip.compress(b"X"), "is a file of R", "with the program that made it"),
    "text under a packed name": ("a.csv.gz", ROWS, "is text, and its name says otherwise", "a.csv.gz' '{}/a.csv'"),
    "text under the name of Parquet": ("a.parquet", ROWS, "is text, and", "a.parquet' '{}/a.csv'"),
    "packed under the name of Parquet": ("a.parquet", gzip.compress(ROWS), "is compressed", "a.unpacked.csv"),
}


@pytest.mark.parametrize(("name", "content", "what", "fix"), OTHERS.values(), ids=OTHERS)
def test_what_a_file_is_is_told_by_its_first_bytes_and_its_name(tmp_path, name, content, what, fix):
    (tmp_path / name).write_bytes(content)
    problem = form_problem(tmp_path / name)
    assert problem
    assert problem.what.startswith(what)
    assert fix.replace("{}", str(tmp_path)) in problem.fix


@pytest.mark.parametrize(("name", "packed", "fix"), [(name, *each) for name, each in PACKED.items()], ids=PACKED)
def test_a_compressed_file_is_refused_with_the_command_that_unpacks_it(tmp_path, name, packed, fix):
    (tmp_path / name).write_bytes(packed(ROWS))
    finds = [lambda: find_source(tmp_path / name), lambda: find_source(tmp_path)]
    for find in (*finds, lambda: find_code_lists(tmp_path, {"list": "persons"})):
        with pytest.raises(InputError, match="compressed") as refusal:
            find()
        assert fix.format(tmp_path) in refusal.value.problems[0].fix


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ('P,N\na,"two\nlines"\nb,"x ""y"""\n', ["two lines", 'x "y"']),
        ('P,N\r\na,"two\r\nlines"\r\nb,c\r\n', ["two lines", "c"]),
        ('P,N\na,"begin\nb,c\nd,end"\n', None),  # lines in between that could be places
        ('P|N\na|"two\nlines"\n', None),
        ('P\n"a\nb"\n', None),
    ],
)
def test_a_line_break_is_a_blank_in_the_name_of_a_place_and_nowhere_else(tmp_path, content, names):
    (tmp_path / "places.csv").write_bytes(content.encode())
    header = text_header(tmp_path / "places.csv")
    if names is not None:
        read = pa.concat_tables(text_tables(tmp_path / "places.csv", header, 1, folds=True))
        assert read["N"].to_pylist() == names
    for folds in (False,) if names else (False, True):
        with pytest.raises(InputError, match="line "):
            list(text_tables(tmp_path / "places.csv", header, 1, folds=folds))
