"""One Excel workbook: what the release is, a sheet for each table, and what columns and codes mean."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from safetab_sql.export.contents import Export, exported_tables, shown_ladders
from safetab_sql.settings.ladders import CODES

FILE = "release.xlsx"
MOST_ROWS = 2**20 - 1  # of a sheet, below the names of its columns; a table with more goes on in further sheets
_LONGEST_NAME = 31  # of a sheet
_BATCH = 2**14
_OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_COLUMNS = "columns"
Row = Sequence[object]  # of a table


def write_excel(export: Export) -> None:
    """Every table of the release in one file. Rows are handed on as they are read, so memory does not grow."""
    with import_module("xlsxwriter").Workbook(str(export.target / FILE), dict(_OPTIONS)) as workbook:
        workbook.set_properties({"created": datetime.fromisoformat(export.contents.about["date"])})  # and modified
        _write(workbook, "about", ("key", "value"), export.contents.about.items())
        meanings: list[Row] = []
        for ladder in shown_ladders(export):
            for table in exported_tables(export.contents, ladder):
                columns = table.described.columns
                _write(workbook, table.name, [column.name for column in columns], _rows(export, table.rows))
                meanings += [(table.name, column.name, column.meaning) for column in columns]
        _write(workbook, _COLUMNS, ("table", "column", "meaning"), meanings)
        _write(workbook, CODES, ("column_name", "region_type", "code", "meaning"), _rows(export, "export_codes"))


def _rows(export: Export, name: str) -> Iterator[Row]:
    for batch in export.database.batches(name, (), _BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _write(workbook: Any, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write a table into a sheet of its name, and into further ones where it is longer than a sheet."""
    sheet: Any = None
    for number, row in enumerate(rows):
        place = number % MOST_ROWS
        if place == 0:
            sheet = _sheet(workbook, name, columns, number // MOST_ROWS)
        sheet.write_row(1 + place, 0, row)
    if sheet is None:
        _sheet(workbook, name, columns, 0)


def _sheet(workbook: Any, name: str, columns: Sequence[str], further: int) -> Any:
    taken = {sheet.name.lower() for sheet in workbook.worksheets()}
    wanted = name[:_LONGEST_NAME] if not further else f"{name[: _LONGEST_NAME - 4]} {1 + further}"
    while wanted.lower() in taken:  # of names that differ in what was cut off
        wanted = f"{wanted[: _LONGEST_NAME - 4]}~{len(taken)}"
    sheet = workbook.add_worksheet(wanted)
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(columns):
        sheet.set_column(
            place, place, 40 if column.endswith(("NAME", "value", "meaning")) else max(10, 2 + len(column))
        )
    sheet.write_row(0, 0, columns, workbook.add_format({"bold": True}))
    sheet.autofilter(0, 0, 0, len(columns) - 1)
    return sheet
