"""export: what is written where, and what is refused, all at once."""

import json
import re
import shutil
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import get_args, get_type_hints
from xml.dom import minidom

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.commands import read
from safetab_sql.export import formats
from safetab_sql.export.contents import Contents
from safetab_sql.export.cubes import Rows, column
from safetab_sql.jobs.export import export
from safetab_sql.kit import whole_folders
from safetab_sql.kit.errors import InputError
from safetab_sql.release.folder import open_folder
from tests.cli.command import call, refusal
from tests.cli.test_marks import days
from tests.export.conftest import ONE
from tests.export.released import labelled, meanings, rows, tables

CENSUS = ("t1/t1.csv", "t2/t2.csv")


def test_an_export_has_every_row_of_its_release(nation: Path, tmp_path: Path) -> None:
    made = export(nation, tmp_path / "out", format="census", resources=ONE)
    assert set(CENSUS) <= set(made.files)
    assert (tmp_path / "out" / "t1" / "t1.csv").read_text().count("\n") == 1 + len(rows(nation / "t1" / "t1.parquet"))


def test_names_that_are_given_stand_over_those_of_the_release(nation: Path, tmp_path: Path) -> None:
    state = next(row["REGION_ID"] for row in rows(nation / "t1" / "t1.parquet") if row["REGION_TYPE"] == "STATE")
    (tmp_path / "regions.csv").write_text(f"REGION_TYPE,REGION_ID,NAME\nSTATE,{state},Freistaat\n")
    (tmp_path / "labels.csv").write_text("COLUMN,CODE,MEANING\nSEX,1,Männer\n", encoding="utf-8")
    names = [tmp_path / "regions.csv", tmp_path / "labels.csv"]
    export(nation, tmp_path / "out", format="csv", names=names, resources=ONE)
    assert meanings(tmp_path / "out", "SEX") == {**meanings(nation, "SEX"), "1": "Männer"}
    assert meanings(tmp_path / "out", "REGION_ID")[state] == "Freistaat"
    assert "Freistaat" in (tmp_path / "out" / "t2" / "t2.csv").read_text(encoding="utf-8")


def test_the_formats_of_the_command_are_those_that_are_written() -> None:
    assert get_args(formats.Format) == get_args(get_type_hints(read.export)["format"]) == (*formats._FORMATS,)


def test_every_problem_is_told_at_once_and_nothing_is_written(nation: Path, tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("REGION_TYPE,REGION_ID,NAME\nSTAAT,1,x\nTRACT,nowhere,y\n")
    (tmp_path / "labels.csv").write_text("COLUMN,CODE,MEANING\nSEX,7,x\nSEXX,1,y\n")
    (tmp_path / "out").mkdir()
    names = [tmp_path / "regions.csv", tmp_path / "labels.csv", tmp_path / "absent.csv"]
    with pytest.raises(InputError) as refused:
        export(nation, tmp_path / "out", format="csv", names=names, resources=ONE)
    said = sorted(problem.what for problem in refused.value.problems)
    assert said == [
        "1 code(s) of SEX are in no list: 7",
        "1 code(s) of TRACT are in no list: nowhere",
        "exists already",
        "no file is there",
        "the release has no column SEXX, or no list of its codes",
        "the release has no region type STAAT",
    ]
    assert list((tmp_path / "out").iterdir()) == []


CONTROLS = "Neu\x0bstadt\x85\u2028\x1f\x7f\ufffe"


@pytest.mark.parametrize("format_", get_args(formats.Format))
@pytest.mark.each_time("excel", "px", "sdmx")
def test_a_format_tells_the_day_of_the_release_and_holds_no_sign_that_its_readers_refuse(
    format_: formats.Format, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of reconciled counts. The day of the export is another one; inner files of a workbook are looked into as well."""
    out, day = tmp_path / "out", json.loads((whole / "manifest.json").read_text(encoding="utf-8"))["date"]
    regions = {"REGION_TYPE": ["STATE"], "REGION_ID": ["01"], "NAME": [CONTROLS]}
    pq.write_table(pa.table(regions), tmp_path / "regions.parquet")
    pq.write_table(pa.table({"COLUMN": ["SEX"], "CODE": ["1"], "MEANING": [CONTROLS]}), tmp_path / "labels.parquet")
    monkeypatch.setattr(whole_folders, "today", lambda: date(2031, 5, 6))
    export(whole, out, format=format_, names=[tmp_path / "regions.parquet", tmp_path / "labels.parquet"], resources=ONE)
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    assert {path.stat().st_mtime for path in [out, *out.rglob("*")]} == {midnight}
    for file in [each for each in out.rglob("*") if zipfile.is_zipfile(each)]:
        with zipfile.ZipFile(file) as inner:
            assert {info.date_time for info in inner.infolist()} == {(1980, 1, 31, 0, 0, 0)}  # always
            inner.extractall(out)
    assert days(out) <= {day, f"{day}T00:00:00", f"{day} 00:00"}
    for file in out.rglob("*"):
        if file.suffix in (".xml", ".rels"):
            minidom.parse(str(file))
        elif file.suffix == ".json":
            json.loads(file.read_text(encoding="utf-8"))
        elif file.suffix == ".px":
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", file.read_text(encoding="utf-8"))


def test_an_export_is_no_release(nation: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    call("export", nation, "--format", "census", "--out", copy, "--quiet")
    assert "manifest.json: cannot be read" in refusal("export", copy, "--format", "csv", "--out", tmp_path / "out")


def test_an_export_is_replaced_by_another_format_and_a_folder_of_something_else_is_not(
    nation: Path, tmp_path: Path
) -> None:
    for format_ in ("px", "csv"):
        export(nation, tmp_path / "out", format=format_, overwrite=True, resources=ONE)
    (tmp_path / "out" / "mine.txt").write_text("")
    said = refusal("export", nation, "--format", "px", "--out", tmp_path / "out", "--overwrite")
    assert "holds mine.txt, which this command does not write" in said


def test_a_release_whose_file_was_changed_is_refused(nation: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(nation, tmp_path / "copy")
    (copy / "codes" / "SEX.csv").write_text("CODE,MEANING\n1,female\n")
    assert "has another SHA-256" in refusal("export", copy, "--format", "csv", "--out", tmp_path / "out")


def test_an_unknown_format_ends_with_2(nation: Path, tmp_path: Path) -> None:
    assert "did you mean 'census'?" in refusal("export", nation, "--format", "censu", "--out", tmp_path / "out")


def test_nothing_is_exported_into_a_release(nation: Path) -> None:
    assert "is given away whole" in refusal("export", nation, "--format", "csv", "--out", nation / "csv")


# --- CSV, read back by the validator of the package csvw: every value, with the types of the metadata ---


def test_in_csv_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
    export(folder, tmp_path / "csv", format="csv", resources=ONE)
    import csvw  # it takes half a second, which the worker without these tests does not need

    group = csvw.TableGroup.from_file(tmp_path / "csv" / "csv-metadata.json")
    read = {
        str(table.url).removesuffix(".csv"): list(table.iterdicts(strict=True))
        for table in group.tables
        if not str(table.url).startswith("codes/")
    }
    assert read.keys() == tables(folder).keys()
    assert read == labelled(folder)
    assert group.check_referential_integrity()


# --- the rows of a ladder as cells of cubes: no two of them have one name ---


def cells_of(nation: Path, **sexes: str) -> Rows:
    names = {("SEX", "", code): name for code, name in zip("12", sexes.values(), strict=False)}
    contents = Contents(nation, open_folder(nation).facts, names)
    return Rows(contents, contents.parameters.ladders[0])


def test_values_that_are_called_alike_have_their_codes_too(nation: Path) -> None:
    found = {each.name: each for each in cells_of(nation, one="adult", other="adult").dimensions(1)}
    assert found["SEX"].labels == ("both, *", "adult, 1", "adult, 2")
    assert {each.name: each for each in cells_of(nation).dimensions(1)}["SEX"].labels == ("both", "male", "female")


def test_an_attribute_has_another_name_where_its_own_is_taken(nation: Path) -> None:
    assert [column(each, ("SEX",)) for each in cells_of(nation).attributes] == ["AGE", "SEX_VALUE"]


def test_a_cell_has_the_row_of_its_values_and_some_have_none(nation: Path) -> None:
    found = cells_of(nation)
    cells, total = found.cells(1), len(found.codes) - 1
    assert cells[:3] == [total, *(found.codes.index(("*", sex)) for sex in "12")]
    assert [cell is None for cell in cells] == [False, False, False, *[True, False, False] * (len(cells) // 3 - 1)]
    assert found.cells(0) == [total]
