"""Input files as the user names them, and the types their columns are stored in."""

import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.confidential import records as copies
from safetab_sql.confidential.inputs import several_rows
from safetab_sql.confidential.records import find_records, unread_folders
from safetab_sql.kit.errors import InputError
from safetab_sql.public.sources import FOLDER_NUMBER, Source, find_code_lists, find_source, stored_types
from safetab_sql.settings.unit import Unit
from tests.census import list_files


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def found(given: str | Path, folder: Path) -> list[str]:
    return [str(file.relative_to(folder.resolve())) for file in find_source(given).files]


def refusal(given: str | Path) -> str:
    with pytest.raises(InputError) as refused:
        find_source(given)
    return str(refused.value)


def test_the_ending_tells_text_from_parquet(tmp_path):
    touch(tmp_path, "a.parquet", "a.txt", "a.CSV")
    assert [find_source(tmp_path / name).is_text for name in ("a.parquet", "a.txt", "a.CSV")] == [False, True, True]


# Files, what is given, and which of them it names.
FOUND = {
    "a directory, to its depths in order": (["b.parquet", "a/c.parquet"], "", ["a/c.parquet", "b.parquet"]),
    **{
        f"beside {hidden}, which a writer left": (["a.parquet", hidden], "", ["a.parquet"])
        for hidden in (".a.parquet.crc", "_SUCCESS", "_temporary/0/part.parquet", ".old/part.parquet", "Thumbs.db")
    },
    "below a hidden folder": ([".cache/_nation/a.parquet"], ".cache/_nation", [".cache/_nation/a.parquet"]),
    **{
        f"glob {pattern}": (["02.parquet", "01.parquet"], pattern, ["01.parquet", "02.parquet"])
        for pattern in ("0*.parquet", "0?.parquet", "0[12].parquet", "*")
    },
    "glob into folders": (["x/01.parquet", "y/z/02.parquet"], "**/*.parquet", ["x/01.parquet", "y/z/02.parquet"]),
    "a file whose name looks like a glob": (["a[1].parquet", "a1.parquet"], "a[1].parquet", ["a[1].parquet"]),
}


@pytest.mark.parametrize(("files", "given", "names"), FOUND.values(), ids=FOUND)
def test_what_is_given_names_these_files(tmp_path, files, given, names):
    touch(tmp_path, *files)
    assert found(str(tmp_path / given), tmp_path) == names


@pytest.mark.parametrize("given", ["none.parquet", "none/*.parquet", "empty", "broken.parquet", "empty/*"])
def test_no_file_is_refused(tmp_path, given):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.parquet").symlink_to(tmp_path / "nowhere")
    assert f"{tmp_path / given}: no file is there" in refusal(str(tmp_path / given))


def test_every_stray_file_is_named(tmp_path):
    touch(tmp_path, "a.parquet", "notes.docx", "b.orc")
    said = refusal(tmp_path)
    assert [word for word in ("notes.docx: neither", "b.orc: is an ORC file", "2 problems") if word not in said] == []


TABLES = {
    "Delta Lake": ["_delta_log/00000000000000000001.json", "part-0.parquet"],
    "a partition of Delta Lake": ["_delta_log/00000000000000000001.json", "STATE=1/DAY=2/part-0.parquet"],
    "changes of Delta Lake": ["_change_data/cdc-0.parquet", "part-0.parquet"],
    "Hudi": [".hoodie/hoodie.properties", "a.parquet"],
    "a partition of Hudi": ["1/.hoodie_partition_metadata", "1/a.parquet"],
    "Iceberg": ["metadata/v2.metadata.json", "data/a.parquet"],
    "Paimon": ["snapshot/snapshot-1", "bucket-0/data-0.parquet"],
    "Spark Structured Streaming": ["_spark_metadata/0", "part-0.parquet"],
    "DuckLake": ["ducklake-0.parquet", "ducklake-0-delete.parquet"],
    "Databricks": ["_committed_1", "part-0.parquet"],
    "Hive with transactions": ["delta_0000001_0000001_0000/bucket_00000.parquet"],
    "a base of Hive with transactions": ["base_0000005/bucket_00000.parquet"],
}


@pytest.mark.parametrize(("name", "files"), TABLES.items(), ids=TABLES)
def test_a_folder_that_may_hold_earlier_versions_is_refused_however_it_is_named(tmp_path, name, files):
    touch(tmp_path / "t", *files)
    last, link = tmp_path / "t" / files[-1], tmp_path / "link.parquet"
    link.symlink_to(last)
    for given in (tmp_path / "t", last, last.with_name("*.parquet"), link):
        said = refusal(given)
        assert f"is a table of {name.rpartition(' of ')[2]}: its folder may" in said, given


@pytest.mark.parametrize("beside", ["metadata/persons.metadata.json", "snapshot/2020.txt", "schema.json", "_SUCCESS"])
def test_other_things_beside_the_files_are_no_sign_of_versions(tmp_path, beside):
    touch(tmp_path, "data/a.parquet", beside)
    assert found(tmp_path / "data", tmp_path) == ["data/a.parquet"]


@pytest.mark.parametrize("other", [".csv", ".parquet", ".xlsx", ".TXT"])
def test_two_files_for_one_list_are_refused(tmp_path, other):
    names = [f"{stem}.txt" for stem in list_files().values()]
    touch(tmp_path, *names, names[0].replace(".txt", other))
    with pytest.raises(InputError, match="stand for one list"):
        find_code_lists(tmp_path, list_files())


def test_parquet_and_text_are_not_mixed(tmp_path):
    touch(tmp_path, "a.parquet", "b.txt")
    assert "holds Parquet and text files" in refusal(tmp_path)


@pytest.mark.parametrize("ending", [".txt", ".parquet"])
def test_four_code_lists_are_found(tmp_path, ending):
    touch(tmp_path, *(f"{stem}{ending}" for stem in list_files().values()))
    found = {name: (each.files[0].name, each.is_text) for name, each in find_code_lists(tmp_path, list_files()).items()}
    assert found == {name: (f"{stem}{ending}", ending == ".txt") for name, stem in list_files().items()}


def test_every_missing_code_list_is_named_and_is_to_be_put_there(tmp_path):
    touch(tmp_path, "race-and-ethnicity-codes.txt")
    with pytest.raises(InputError, match="put it there, beside the other lists") as refused:
        find_code_lists(tmp_path, list_files())
    missing = [f"{stem}.txt" for stem in list(list_files().values())[1:]]
    assert [problem.what.split()[0] for problem in refused.value.problems] == missing


def write(file: Path, **columns: pa.Array) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)
    return file


def types_of(*files: Path) -> list[dict[str, pa.DataType]]:
    return stored_types(Source("given", tuple(files), is_text=False), files)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"QAGE|QSEX\n1|2\n", b"PAR1" * 20], ids=["empty", "4", "text", "80"])
def test_every_file_that_is_not_parquet_is_named(tmp_path, content):
    good = write(tmp_path / "1.parquet", QAGE=pa.array([1]))
    bad = [tmp_path / "2.parquet", tmp_path / "3.parquet"]
    for file in bad:
        file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        types_of(good, *bad)
    assert [problem.where for problem in refused.value.problems] == [str(file) for file in bad]


HIVE = {
    "text, for the leading zero": ["01", "02", "56"],
    "numbers": ["1", "2", "56"],
    "numbers without a leading zero": ["10", "56"],
    "text, for one is no number": ["1", "2a"],
    "negative numbers": ["-1", "2"],
    "a number and no value": ["1", "__HIVE_DEFAULT_PARTITION__"],
    "a signed number": ["+1", "2"],
    "a number too large": ["9" * 30, "2"],
    "one value": ["7"],
    "no value": ["", "2"],
}


@pytest.mark.parametrize("values", HIVE.values(), ids=HIVE)
def test_partition_columns_are_numbers_where_duckdb_would_say_so(tmp_path, values):
    files = [write(tmp_path / f"TABBLKST={value}" / "a.parquet", QAGE=pa.array([1])) for value in values]
    table = duckdb.sql("select TABBLKST from read_parquet($files)", params={"files": [str(file) for file in files]})
    expected = FOLDER_NUMBER if str(table.types[0]) == "BIGINT" else pa.string()
    assert [types["TABBLKST"] for types in types_of(*files)] == [expected] * len(files)


def test_a_folder_of_two_signs_gives_no_column_as_to_the_engine(tmp_path):
    file = write(tmp_path / "place=a=b" / "kind=x" / "a.parquet", QAGE=pa.array([1]))
    columns = duckdb.sql(f"from read_parquet('{file}')").columns
    assert [list(types) for types in types_of(file)] == [columns] == [["QAGE", "kind"]]


def repeated(folder: Path, *columns: str) -> list[str]:
    """What `find_records` says of the files in `folder`, a line a problem."""
    with pytest.raises(InputError) as refused:
        find_records(folder, columns)
    return [f"{Path(each.where).name} {each.what.replace(f'{folder}/', '')}" for each in refused.value.problems]


def ages(file: Path, *years: int) -> Path:
    return write(file, QAGE=pa.array(years, pa.int8()))


def test_every_file_that_a_link_repeats_is_named_with_the_other(tmp_path):
    ages(tmp_path / "06.parquet", 1, 2)
    ages(tmp_path / "07.parquet", 3)
    (tmp_path / "latest.parquet").symlink_to("06.parquet")
    (tmp_path / "same.parquet").hardlink_to(tmp_path / "07.parquet")
    assert repeated(tmp_path) == [
        "latest.parquet is the same file as 06.parquet, by a link",
        "same.parquet is the same file as 07.parquet, by a link",
    ]


def test_a_copy_to_the_byte_is_named_with_the_other_and_with_what_to_do(tmp_path):
    for name in ("06 (1).parquet", "06.parquet", "old/06.parquet"):
        ages(tmp_path / name, 1, 2)
    assert repeated(tmp_path) == [
        "06.parquet holds the same bytes as 06 (1).parquet",
        "06.parquet holds the same bytes as 06 (1).parquet",
    ]
    with pytest.raises(InputError, match="remove one of the two: every record in it would count twice"):
        find_records(tmp_path, ())


@pytest.mark.parametrize("text", ["QAGE|QSEX\n7|1\n", "QAGE\n7\n", "QAGE\n\n"])
def test_a_copy_of_a_text_file_is_repeated(tmp_path, text):
    """Also where an empty line is all there is: in a text of one column, it is a record."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(text)
    assert repeated(tmp_path) == ["b.txt holds the same bytes as a.txt"]


@pytest.mark.parametrize("text", ["QAGE|QSEX\n", "QAGE|QSEX", "QAGE|QSEX\r\n\r\n", "QAGE\n", None])
def test_files_without_a_row_may_be_alike(tmp_path, text):
    """Or it would hang on one person whether a partition without people is refused."""
    for name in ("a", "b"):
        ages(tmp_path / f"{name}.parquet") if text is None else (tmp_path / f"{name}.txt").write_bytes(text.encode())
    assert len(find_records(tmp_path, ()).files) == 2


def test_only_files_of_one_size_are_read_for_copies(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(copies, "sha256_of", lambda file: seen.append(file.name) or file.name)
    touch(tmp_path, "a.parquet", "b.parquet")
    (tmp_path / "c.parquet").write_bytes(b"longer")
    find_records(tmp_path, ())
    assert seen == ["a.parquet", "b.parquet"]


def test_a_hive_folder_tells_records_apart_by_a_column_that_is_read_and_by_no_other(tmp_path):
    for value in ("june", "may"):
        ages(tmp_path / f"extract={value}" / "0.parquet", 7)
    assert len(find_records(tmp_path, ["extract", "QAGE"]).files) == 2
    assert repeated(tmp_path, "TABBLK", "QAGE") == ["0.parquet holds the same bytes as extract=june/0.parquet"]


def test_what_cannot_be_read_among_the_files_of_a_folder_is_named(tmp_path):
    touch(tmp_path, "a.parquet", "elsewhere/b.parquet")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").symlink_to("../a.parquet")
    (tmp_path / "data" / "06.parquet").symlink_to("nowhere.parquet")
    (tmp_path / "data" / "more").symlink_to("../elsewhere")
    (tmp_path / "data" / ".hidden.parquet").symlink_to("nowhere.parquet")
    os.mkfifo(tmp_path / "data" / "pipe.parquet")
    lines = [line for line in refusal(tmp_path / "data").splitlines() if line.startswith(str(tmp_path))]
    assert [line.removeprefix(f"{tmp_path}/data/") for line in lines] == [
        "06.parquet: is a link that leads nowhere",
        "more: is a link to a folder, which is not searched",
        "pipe.parquet: is neither a file nor a folder",
    ]


def test_a_file_that_stores_other_values_than_its_folder_says_is_refused(tmp_path):
    for sex in ("1", "2"):
        write(tmp_path / f"QSEX={sex}" / "a.parquet", QSEX=pa.array(["1", "2"]), QAGE=pa.array([7, 8]))
    assert repeated(tmp_path, "QSEX", "QAGE") == [
        "a.parquet holds the same bytes as QSEX=1/a.parquet",
        "a.parquet stores QSEX = 2, and lies in a folder QSEX=1",
        "a.parquet stores QSEX = 1, and lies in a folder QSEX=2",
    ]


def test_a_file_that_stores_what_its_folder_says_is_fine(tmp_path):
    write(tmp_path / "QSEX=01" / "a.parquet", QSEX=pa.array([1, 1]), QAGE=pa.array([7, 8]))
    write(tmp_path / "QSEX=2" / "a.parquet", qsex=pa.array(["2", "2"]), QAGE=pa.array([7, 8]))
    write(tmp_path / "QSEX=__HIVE_DEFAULT_PARTITION__" / "a.parquet", QSEX=pa.nulls(2, pa.string()))
    assert len(find_records(tmp_path, ["QSEX", "QAGE"]).files) == 3
    write(tmp_path / "QSEX=3" / "a.parquet", QSEX=pa.array(["1", "2"]))
    assert len(find_records(tmp_path / "QSEX=3", ["QSEX"]).files) == 1  # a folder above all files gives no value


def test_folders_of_a_column_that_nothing_reads_are_warned_of_where_they_have_several_values():
    files = [Path(f"/in/vintage={year}/QSEX={sex}/a.parquet") for year in (2020, 2021) for sex in (1, 2)]
    (warning,) = unread_folders("in", files, ["QSEX"])
    assert warning.what == "holds folders vintage=2020, vintage=2021, and nothing reads vintage"
    assert list(unread_folders("in", files[:2], ["QSEX"])) == []


@pytest.mark.parametrize(
    ("unit", "stored", "read", "named"),
    [
        (Unit(), ["BLOCK", "patient"], ["BLOCK"], "patient"),
        (Unit(), ["BLOCK", "Person_ID", "AGE"], ["BLOCK", "AGE"], "Person_ID"),
        (Unit(), ["BLOCK", "patient"], ["BLOCK", "patient"], None),
        (Unit(id="patient"), ["BLOCK", "patient"], ["BLOCK"], None),
        (Unit(one="stay", many="stays", records_of_a_person=None), ["BLOCK", "patient"], ["BLOCK"], None),
        (Unit(), ["BLOCK", "AGE"], ["BLOCK"], None),
    ],
)
def test_a_column_that_may_hold_ids_of_persons_is_told_where_a_row_is_called_a_person(unit, stored, read, named):
    found = several_rows("people.parquet", unit, stored, read)
    assert [f"and {named} looks like the id of a person" in each.what for each in found] == [True] * (named is not None)
