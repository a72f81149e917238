"""One workbook, read back by openpyxl."""

from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from safetab_sql.export import one_file
from safetab_sql.jobs.export import export
from tests.export.conftest import ONE
from tests.export.released import Row, labelled
from tests.export.test_database_file import name_of


def sheets(out: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for sheet in openpyxl.load_workbook(out / "release.xlsx", read_only=True).worksheets[1:]:
        head, *rows = sheet.iter_rows(values_only=True)
        yield sheet.title, [dict(zip(head, row, strict=True)) for row in rows]


def is_same(read: Row, wanted: Row) -> bool:
    """Excel has 15 digits of a number, which all but some variances have; ages and the like are numbers there."""
    return read.keys() == wanted.keys() and all(
        isclose(read[name], value, rel_tol=1e-14)
        if isinstance(value, float)
        else read[name] == value or (isinstance(value, str) and str(read[name]) == value)
        for name, value in wanted.items()
    )


def test_a_person_reads_names_first_and_is_led_to_every_sheet(plain: Path, tmp_path: Path) -> None:
    export(plain, tmp_path / "out", format="excel", resources=ONE)
    first, *others = openpyxl.load_workbook(tmp_path / "out" / "release.xlsx").worksheets
    said = " ".join(str(cell.value) for row in first.iter_rows() for cell in row if cell.value)
    assert "in at least 95 of 100 cases; MOE95 is the margin of error" in said
    assert "Quote epsilon 44.1 at delta 1e-10, of one person." in said
    assert "add up rows of t2, keep IS_MARGINAL = FALSE. Otherwise persons are counted twice." in said
    links = [cell.hyperlink.location for row in first.iter_rows() for cell in row if cell.hyperlink]
    assert links == [f"'{sheet.title}'!A1" for sheet in others]
    t2 = next(sheet for sheet in others if sheet.title == "t2")
    names = [cell.value for cell in t2[1]]
    assert (names[:3], t2.freeze_panes) == (["REGION_NAME", "ITERATION_NAME", "SEX_NAME"], "C2")
    assert t2.auto_filter.ref.startswith("A1:")
    ages = {row[names.index("AGESTART")] for row in t2.iter_rows(min_row=2, values_only=True)}
    assert {type(age) for age in ages - {"*"}} == {int}


@pytest.mark.slow
def test_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
    export(folder, tmp_path / "out", format="excel", resources=ONE)
    wanted, read = labelled(folder), dict(sheets(tmp_path / "out"))
    for place, rows in wanted.items():
        found = read[name_of(place, folder)]
        assert len(found) == len(rows)
        assert all(map(is_same, found, rows))
    assert {row["table"] for row in read["columns"]} == {name_of(place, folder) for place in wanted}


@pytest.mark.slow
def test_a_table_that_is_longer_than_a_sheet_goes_on_in_another(
    nation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = len(labelled(nation)["group_index/t1"])
    monkeypatch.setattr(one_file, "MOST_ROWS", rows - 1)
    export(nation, tmp_path / "out", format="excel", resources=ONE)
    read = dict(sheets(tmp_path / "out"))
    assert read["group_index"] + read["group_index 2"] == labelled(nation)["group_index/t1"]
    assert len(read["group_index"]) == rows - 1
