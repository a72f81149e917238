"""The formats of a release beside Parquet, each with its writer. All read a finished release, and nothing else.

Here are formats of text (production's files, the variables of the Census API, CSV with its metadata), and of one file:
a DuckDB database with comments, and macros that say sums, differences and ratios of rows; and an Excel workbook with a
page to read, a sheet for each table with names first, and what columns and codes mean. Cubes and SDMX: cubes.py.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib import import_module
from itertools import chain, islice, product
from math import inf
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from safetab_sql.export.contents import TEMPLATES, Contents, Export
from safetab_sql.export.cubes import JSON_STAT, PX, STRUCTURE, cube_files, write_cubes, write_sdmx
from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.errors import EXCEL, Problem, missing_extras
from safetab_sql.kit.sqlfiles import SqlFile, literal, quoted_name, sql_files
from safetab_sql.kit.words import paragraphs, words
from safetab_sql.laws.noise import TwoSidedGeometric, is_tabulable, variance
from safetab_sql.public.values import rows_of
from safetab_sql.published import file_notes
from safetab_sql.release.folder import ReleaseFacts
from safetab_sql.settings.ladders import BESIDE, CODES, MEASUREMENTS, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters, census

Format = Literal["census", "api", "csv", "duckdb", "excel", "json-stat", "px", "sdmx"]
_CSV = "format csv, header true"
_CENSUS = "format csv, delimiter '|', header true, quote '', escape ''"
_DIALECT = {"dialect": {"encoding": "utf-8", "delimiter": "|", "quoteChar": None, "header": True}}
# What the Census API calls the tables of the 2020 Detailed DHC-A: totals, and sex by 4, 9 and 23 age groups. A variable
# is its table, a number of three digits and N; its margin of error ends in M. The total comes first, then all men, men
# by age, all women, women by age.
_TOTALS_OF_API = "T01001"
_TABLES_OF_API = ("T02001", "T02002", "T02003")
_SEXES = 2
DATABASE, WORKBOOK = "release.duckdb", "release.xlsx"
MOST_ROWS = 2**20 - 1  # of a sheet, below the names of its columns; a table with more goes on in further sheets
_LONGEST_NAME, _WIDEST = 31, 60  # letters of the name of a sheet, and of a column
_BATCH, _LOOKED_AT = 2**14, 500  # rows; by those that are looked at, columns are as wide as their texts
_OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
# Of numbers in a sheet, by the type of their column.
_FORMS = {"double": "#,##0.00", **dict.fromkeys(file_notes.WHOLE_NUMBERS, "#,##0")}
_CODES = ("column_name", "region_type", "code", "meaning")
_FURTHER = {"columns": "What each column holds.", CODES: "What codes mean.", "about": "What the release is, in full."}
_WORDS = words(Path(__file__).parent / "words.toml")


def write_csv(export: Export) -> None:
    """Every table as CSV, code lists, and csv-metadata.json."""
    tables = []
    for ladder in export.ladders():
        for rows, table in export.contents.tables(ladder).items():
            tables.append(replace(table, url=f"{table.url}.csv"))
            _copy(export, tables[-1].url, rows, _CSV)
    _write_csvw(export, tables)


def write_census(export: Export) -> None:
    """The tables in production's format, code lists, and csv-metadata.json.

    Tables whose totals stand apart are one file; others are one file a statistic, in a folder of its own.
    """
    tables = []
    for ladder in export.ladders():
        names = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
        for name, folder in file_notes.folders_of(ladder).items():
            files = (
                {f"{folder}.csv": names} if ladder.totals_folder else {f"{each}/{each}.csv": [each] for each in names}
            )
            for file, held in files.items():
                export.database.set_values({"published_statistics": held})
                _copy(export, f"{folder}/{file}", sql_files()[f"{name}_census"], _CENSUS)
                found = export.contents.described(ladder, f"{folder}/{folder}", f"{name}_census")
                tables.append(replace(found, url=f"{folder}/{file}", form=_DIALECT))
    _write_csvw(export, tables)


def write_api(export: Export) -> None:
    """The tables with the variables of the Census API."""
    for ladder in export.ladders():
        export.database.create(sql_files()["api_groups"])
        _copy(export, f"{ladder.totals_folder}/{_TOTALS_OF_API}.csv", sql_files()["t1_api"], _CSV)
        sizes = rows_of(export.contents.parameters, ladder).sizes  # cells of each, both sexes
        for table, statistic, size in zip(_TABLES_OF_API, ladder.statistics, sizes, strict=True):  # age4, age9, age23
            names = [f"{table}_{place:03}" for place in range(1, 2 + _SEXES + size)]  # of the variables
            counts, margins = ({f"{name}{end}": place for place, name in enumerate(names, start=1)} for end in "NM")
            values = {"published_statistic": statistic.name, "api_counts": counts, "api_margins": margins}
            export.database.set_values(values)
            _copy(export, f"{ladder.folder}/{table}.csv", sql_files()["t2_api"], _CSV)


def _copy(export: Export, place: str, rows: SqlFile | str, options: str) -> None:
    target = export.target / place
    target.parent.mkdir(parents=True, exist_ok=True)
    export.database.copy(rows, target, options)


def _write_csvw(export: Export, tables: Sequence[file_notes.DescribedTable]) -> None:
    codes = export.contents.codes
    file_notes.Metadata(codes, file_notes.metadata_text(export.contents.parameters, codes, tables)).write(export.target)


def write_duckdb(export: Export) -> None:
    """Every table with its comments, a view of the cells of each, code lists, what the release is, and macros."""
    database, contents, tables, parts = export.database, export.contents, list[object](), list[dict[str, object]]()
    with database.file(export.target / DATABASE) as stored:
        for ladder in export.ladders():
            names = {}
            for rows, table in contents.tables(ladder).items():
                name, said = contents.table_name(table), {column.name: column.meaning for column in table.columns}
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
    columns = ", ".join(map(quoted_name, file_notes.templated_columns(contents.parameters, ladder)["ladder_columns"]))
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


def write_excel(export: Export) -> None:
    """Every table of the release in one file. Rows are handed on as they are read, so memory does not grow."""
    sheets, meanings, held = dict[str, str](), list[Sequence[object]](), dict[str, list[str]]()  # held: by column
    with import_module("xlsxwriter").Workbook(str(export.target / WORKBOOK), dict(_OPTIONS)) as workbook:
        workbook.set_properties({"created": datetime.fromisoformat(export.contents.about["date"])})  # and modified
        first = workbook.add_worksheet("read me")
        for ladder in export.ladders():
            used = attributes_of(ladder, export.contents.parameters.attributes)
            numbers = {column for each in used if not each.is_listed for column in each.publish}
            for rows, table in export.contents.tables(ladder).items():
                name = export.contents.table_name(table)
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


_FORMATS: Mapping[str, Callable[[Export], None]] = {
    "census": write_census,
    "api": write_api,
    "csv": write_csv,
    "duckdb": write_duckdb,
    "excel": write_excel,
    "json-stat": partial(write_cubes, form=JSON_STAT),
    "px": partial(write_cubes, form=PX),
    "sdmx": write_sdmx,
}


def format_problems(format_: str, parameters: Parameters, where: str) -> list[Problem]:
    """Why a release with these parameters cannot have a format. where: what names it."""
    problems, fix = missing_extras(EXCEL) if format_ == "excel" else [], "use another format"
    if format_ == "census":
        what = "adds up {}, and the census format has no place for sums"
        added = [(ladder.name, ladder.sum.column) for ladder in parameters.ladders if ladder.sum is not None]
        problems += [Problem(where, f"{name} {what.format(column)}", fix) for name, column in added]
    if format_ == "api" and not parameters.is_sex_by_age:
        ladders = ", ".join(ladder.name for ladder in parameters.ladders)
        problems.append(Problem(where, f"has names for totals and sex by age, and none for {ladders}", fix))
    levels = {level.level.region_type for level in parameters.levels}
    own = [kind.name for kind in parameters.region_types if kind.name in levels and kind not in census().region_types]
    if format_ == "api" and own:
        what = f"has no summary level for the region types {', '.join(own)}"
        problems.append(Problem(where, what, f"{fix}, or leave out their levels"))
    return problems


def folder_contents(parameters: Parameters) -> tuple[str, ...]:
    """What a folder with a release in any of these formats may hold."""
    files = (file for ladder in parameters.ladders for file in (*ladder.folders, *cube_files(ladder)))
    return (*BESIDE, CODES, file_notes.CSVW, DATABASE, WORKBOOK, STRUCTURE, *files)


def write_export(format_: str, contents: Contents, target: Path, resources: Resources, scratch: Path) -> None:
    """Write a release in a format into an empty folder."""
    readable = [file.resolve() for file in contents.folder.glob("*/*.parquet")]
    with open_database(scratch, readable, [target], resources) as database:
        _FORMATS[format_](Export(database, contents, target))
