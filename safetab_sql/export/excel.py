"""One Excel workbook: a page to read, a sheet for each table with names first, and what columns and codes mean."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any

from safetab_sql.export.contents import Export, exported_tables, shown_ladders
from safetab_sql.kit.words import paragraphs, words
from safetab_sql.published.csvw import WHOLE_NUMBERS
from safetab_sql.settings.ladders import CODES, attributes_of

FILE = "release.xlsx"
MOST_ROWS = 2**20 - 1  # of a sheet, below the names of its columns; a table with more goes on in further sheets
_LONGEST_NAME, _WIDEST = 31, 60  # letters of the name of a sheet, and of a column
_BATCH, _LOOKED_AT = 2**14, 500  # rows; by those that are looked at, columns are as wide as their texts
_OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_FORMS = {"double": "#,##0.00", **dict.fromkeys(WHOLE_NUMBERS, "#,##0")}  # of numbers, by the type of their column
_CODES = ("column_name", "region_type", "code", "meaning")
_FURTHER = {"columns": "What each column holds.", CODES: "What codes mean.", "about": "What the release is, in full."}
_WORDS = words(Path(__file__).parent / "words.toml")


def write_excel(export: Export) -> None:
    """Every table of the release in one file. Rows are handed on as they are read, so memory does not grow."""
    sheets, meanings, held = dict[str, str](), list[Sequence[object]](), dict[str, list[str]]()  # held: by column
    with import_module("xlsxwriter").Workbook(str(export.target / FILE), dict(_OPTIONS)) as workbook:
        workbook.set_properties({"created": datetime.fromisoformat(export.contents.about["date"])})  # and modified
        first = workbook.add_worksheet("read me")
        for ladder in shown_ladders(export):
            used = attributes_of(ladder, export.contents.parameters.attributes)
            numbers = {column for each in used if not each.is_listed for column in each.publish}
            for table in exported_tables(export.contents, ladder):
                columns = sorted(table.described.columns, key=lambda column: not column.name.endswith("_NAME"))
                own = {each.name: _FORMS.get(each.type, "") for each in columns}
                if _write(workbook, table.name, own, _rows(export, table.rows, list(own), numbers)):
                    held |= {each: [*held.get(each, ()), table.name] for each in own}
                sheets[table.name] = table.described.description
                meanings += [(table.name, column.name, column.meaning) for column in columns]
        _write(workbook, "columns", dict.fromkeys(("table", "column", "meaning"), ""), meanings)
        _write(workbook, CODES, dict.fromkeys(_CODES, ""), _rows(export, "export_codes", _CODES, ()))
        _write(workbook, "about", {"key": "", "value": ""}, export.contents.about.items())
        texts = paragraphs(_WORDS["first"], {"about": export.contents.about, "held": held})
        wrapped, large = map(workbook.add_format, ({"text_wrap": True}, {"bold": True, "font_size": 16}))
        first.set_column(0, 0, 20)
        first.set_column(1, 1, 100)
        for row, (name, text) in enumerate([*(("", text) for text in texts), *(sheets | _FURTHER).items()]):
            first.write_string(row, 1, text, wrapped if row else large)
            if name:
                first.write_url(row, 0, f"internal:'{name}'!A1", string=name)


def _rows(export: Export, name: str, columns: Sequence[str], numbers: Collection[str]) -> Iterator[Sequence[object]]:
    """The rows of a table. numbers: columns of texts that are numbers, as far as they are."""
    for batch in export.database.batches(name, columns, _BATCH):
        read = {each: batch.column(each).to_pylist() for each in columns}
        for each in (each for each in columns if each in numbers):
            read[each] = [int(text) if text.removeprefix("-").isdecimal() else text for text in read[each]]
        yield from zip(*read.values(), strict=True)


def _write(workbook: Any, name: str, forms: Mapping[str, str], rows: Iterable[Sequence[object]]) -> bool:
    """Write a table into a sheet of its name, and longer ones into more; whether it has rows. forms: by column."""
    looked_at = list(islice(rest := iter(rows), _LOOKED_AT))
    widths = [min(_WIDEST, 4 + max(map(len, map(str, column)))) for column in zip(forms, *looked_at, strict=True)]
    sheet = _sheet(workbook, name, forms, widths, 0)
    for number, row in enumerate(chain(looked_at, rest)):
        if number and number % MOST_ROWS == 0:
            sheet = _sheet(workbook, name, forms, widths, number // MOST_ROWS)
        sheet.write_row(1 + number % MOST_ROWS, 0, row)
    return bool(looked_at)


def _sheet(workbook: Any, name: str, forms: Mapping[str, str], widths: Sequence[int], further: int) -> Any:
    taken = {sheet.name.lower() for sheet in workbook.worksheets()}
    wanted = name[:_LONGEST_NAME] if not further else f"{name[: _LONGEST_NAME - 4]} {1 + further}"
    while wanted.lower() in taken:  # of names that differ in what was cut off
        wanted = f"{wanted[: _LONGEST_NAME - 4]}~{len(taken)}"
    sheet = workbook.add_worksheet(wanted)
    sheet.freeze_panes(1, min(2, sum(column.endswith("_NAME") for column in forms)))
    for place, (form, width) in enumerate(zip(forms.values(), widths, strict=True)):
        sheet.set_column(place, place, width, workbook.add_format({"num_format": form}))
    sheet.write_row(0, 0, list(forms), workbook.add_format({"bold": True, "bottom": 1}))
    sheet.autofilter(0, 0, MOST_ROWS, len(forms) - 1)
    return sheet
