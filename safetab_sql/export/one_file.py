"""The release in one file: a DuckDB database, or an Excel workbook.

The database has the tables with comments, and macros that say sums, differences and ratios of their rows. The workbook
has a page to read, a sheet for each table with names first, and what columns and codes mean.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain, islice, product
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.export.contents import TEMPLATES, Contents, Export, exported_tables, shown_ladders, table_name
from safetab_sql.kit.sqlfiles import literal, quoted_name, sql_files
from safetab_sql.kit.words import paragraphs, words
from safetab_sql.laws.noise import TwoSidedGeometric, is_tabulable, variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.file_notes import WHOLE_NUMBERS, templated_columns
from safetab_sql.release.folder import ReleaseFacts
from safetab_sql.settings.ladders import CODES, MEASUREMENTS, Ladder, attributes_of

DATABASE, WORKBOOK = "release.duckdb", "release.xlsx"
MOST_ROWS = 2**20 - 1  # of a sheet, below the names of its columns; a table with more goes on in further sheets
_LONGEST_NAME, _WIDEST = 31, 60  # letters of the name of a sheet, and of a column
_BATCH, _LOOKED_AT = 2**14, 500  # rows; by those that are looked at, columns are as wide as their texts
_OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_FORMS = {"double": "#,##0.00", **dict.fromkeys(WHOLE_NUMBERS, "#,##0")}  # of numbers, by the type of their column
_CODES = ("column_name", "region_type", "code", "meaning")
_FURTHER = {"columns": "What each column holds.", CODES: "What codes mean.", "about": "What the release is, in full."}
_WORDS = words(Path(__file__).parent / "words.toml")


def write_duckdb(export: Export) -> None:
    """Every table with its comments, a view of the cells of each, code lists, what the release is, and macros."""
    database, contents, tables, parts = export.database, export.contents, list[object](), list[dict[str, object]]()
    with database.file(export.target / DATABASE) as stored:
        for ladder in shown_ladders(export):
            names = {}
            for rows, table in exported_tables(contents, ladder).items():
                name, said = table_name(contents, table), {column.name: column.meaning for column in table.columns}
                names[rows] = quoted_name(name)
                stored.make("table", name, rows, table.description, said)
                if "IS_MARGINAL" in said:
                    comment = f"The rows of {name} that are no sums of others: everybody once in each group."
                    stored.make("view", f"{name}_cells", f"stored.{names[rows]} where not IS_MARGINAL", comment, {})
            tables += _with_noise(contents, ladder, names)
            parts += _parts(contents, ladder)
        said = {column.name: column.meaning for column in sql_files()["export_codes"].columns}
        stored.make("table", CODES, "export_codes", "What codes mean.", said)
        about = [{"key": key, "value": value} for key, value in contents.about.items()]
        for name, comment, own in (
            ("about", "What this release is, what it cost, and of which manifest.", about),
            ("row_parts", "Which independent noisy counts of a group each of its rows adds up: for the macros.", parts),
            ("level_laws", "The noise of each independent noisy count: for the macros.", [*_laws(contents.facts)]),
        ):
            database.hand_over(name, pa.Table.from_pylist(own))
            stored.make("table", name, name, comment, {})
        macros = TEMPLATES.get_template("sums.sql.jinja").render(tables=tables)
        stored.connection.execute(f"use stored; {macros}; use work")


def _with_noise(contents: Contents, ladder: Ladder, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """The tables of a ladder, as the view of all rows reads them. names: of stored tables, by what their rows are."""
    columns = ", ".join(map(quoted_name, templated_columns(contents.parameters, ladder)["ladder_columns"]))
    for rows, table, codes, beside in (
        ("labelled_t1", ladder.totals, "", ", LEVEL, STATISTIC"),
        ("labelled_t2", ladder.name, columns, ""),
    ):
        if table:
            said = {"name": literal(table), "rows": names[rows], "codes": codes, "left_out": ladder.counted + beside}
            yield {**said, "ladder": ladder, "names": names, "best": names.get(MEASUREMENTS)}


def _parts(contents: Contents, ladder: Ladder) -> Iterator[dict[str, object]]:
    """Of each row of each table of a ladder, and of totals apart, which measured cells of the table it adds up."""
    rows, found = rows_of(contents.parameters, ladder), dict[tuple[int, tuple[str, ...]], list[int]]()
    for statistic, cell, row in sorted((*rows.measured, *rows.sums)):
        found.setdefault((statistic, rows.codes[row]), []).append(cell)
    sizes, names = (1, *rows.sizes), [ladder.total_name, *(each.name for each in ladder.statistics)]
    if ladder.totals is not None:
        found |= {(statistic, ()): list(range(size)) for statistic, size in enumerate(sizes)}
    for (statistic, codes), parts in found.items():
        said = {"LADDER": ladder.name, "STATISTIC": names[statistic], "CODES": list(codes), "PARTS": parts}
        yield {**said, "WHOLE": sizes[statistic], "IS_TOTAL": statistic == 0}


def _laws(facts: ReleaseFacts) -> Iterator[dict[str, object]]:
    """The noise of each level of each ladder; an infinite budget where macros do not know it."""
    is_geometric, is_reconciled = facts.definition == "puredp", facts.reconciled is not None
    for ladder, is_only in product(facts.parameters.ladders, (False, True)):
        for level in facts.levels_of(ladder.name):
            law = level.measured_law(is_total_only=is_only)
            budget = float(law.epsilon if isinstance(law, TwoSidedGeometric) else law.rho)
            limit = level.total_only_threshold if is_only else level.suppression_threshold
            yield {
                **{"LADDER": ladder.name, "LEVEL": level.level.name, "IS_TOTAL_ONLY": is_only},
                "BUDGET": budget if is_tabulable(law) and (is_geometric or budget < 1) else inf,
                **{"VARIANCE": float(variance(law)), "IS_GEOMETRIC": is_geometric, "IS_CUT": facts.is_clipped},
                **{"IS_SIZED": limit is not None and not is_reconciled, "IS_RECONCILED": is_reconciled},
            }


# --- the workbook ---


def write_excel(export: Export) -> None:
    """Every table of the release in one file. Rows are handed on as they are read, so memory does not grow."""
    sheets, meanings, held = dict[str, str](), list[Sequence[object]](), dict[str, list[str]]()  # held: by column
    with import_module("xlsxwriter").Workbook(str(export.target / WORKBOOK), dict(_OPTIONS)) as workbook:
        workbook.set_properties({"created": datetime.fromisoformat(export.contents.about["date"])})  # and modified
        first = workbook.add_worksheet("read me")
        for ladder in shown_ladders(export):
            used = attributes_of(ladder, export.contents.parameters.attributes)
            numbers = {column for each in used if not each.is_listed for column in each.publish}
            for rows, table in exported_tables(export.contents, ladder).items():
                name = table_name(export.contents, table)
                columns = sorted(table.columns, key=lambda column: not column.name.endswith("_NAME"))
                own = {each.name: _FORMS.get(each.type, "") for each in columns}
                if _write(workbook, name, own, _rows(export, rows, list(own), numbers)):
                    held |= {each: [*held.get(each, ()), name] for each in own}
                sheets[name] = table.description
                meanings += [(name, column.name, column.meaning) for column in columns]
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
