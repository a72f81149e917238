"""SDMX 3.0: an SDMX-CSV 2.0 file for each ladder, another for bounds of groups without a row, and their structure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from safetab_sql.export.contents import Contents, Export, exported_tables, further_columns, shown_ladders
from safetab_sql.export.cubes import Rows, column
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.published.csvw import WHOLE_NUMBERS, described_by_header
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import SUPPRESSED, Ladder
from safetab_sql.settings.parameters import Parameters

STRUCTURE = "structure.xml"
_AGENCY = "SAFETAB"
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FIXED = ("STRUCTURE", "STRUCTURE_ID", "ACTION")  # columns of every SDMX-CSV file
_MEASURE = "OBS_VALUE"
_TYPES = {"double": "Double", "boolean": "Boolean", "varchar": "String", **dict.fromkeys(WHOLE_NUMBERS, "Long")}
# Columns of every ladder that have a code list, and the code list of the release that it is.
_CODED = {"ITERATION": "ITERATION_CODE", "REGION_TYPE": "REGION_TYPE", "STATISTIC": "STATISTIC"}
_REGION = "REGION"  # its code list is of the published groups
_CODES = ("listed_lists", "listed_codes", "listed_meanings")


@dataclass(frozen=True, slots=True)
class Component:
    """A column of a data flow. codelist: of a coded one; else empty. type: of the others, in the words of SDMX."""

    id: str
    kind: Literal["Dimension", "Attribute", "Measure"]
    meaning: str
    codelist: str
    type: str


@dataclass(frozen=True, slots=True)
class Flow:
    """A data flow, whose file is called like it in small letters. rows: the statement of its observations."""

    id: str
    name: str
    rows: str
    components: tuple[Component, ...]


def write_sdmx(export: Export) -> None:
    """A file of observations for each data flow, and structure.xml, which describes all of them."""
    flows, codelists = list[Flow](), dict[str, dict[str, object]]()
    for ladder in shown_ladders(export):
        database, rows = export.database, Rows(export.contents, ladder)
        database.set_values({"sdmx_columns": {name: codes for name, (_, codes) in _attributes(rows).items()}})
        database.create(sql_files()["exported_rows"])
        for flow in _flows(export.contents, rows):
            database.set_values({"dataflow": f"{_AGENCY}:{flow.id}(1.0.0)"})
            database.copy(sql_files()[flow.rows], export.target / f"{flow.id.lower()}.csv", "format csv, header true")
            flows.append(flow)
        listed = dict(zip(_CODES, map(list, zip(*_listed(export.contents, rows), strict=True)), strict=True))
        for row in database.select(sql_files()["sdmx_codes"], listed).to_pylist():
            codelists.setdefault(row["list_name"], {})[row["id"]] = row
    about = export.contents.about
    templates = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined)
    text = templates.get_template("structure.xml.jinja").render(
        flows=flows,
        codelists={name: list(codes.values()) for name, codes in codelists.items()},
        source=about.get("publisher", about["software"]),
        date=about["date"],
        agency=_AGENCY,
    )
    (export.target / STRUCTURE).write_text(_NOT_IN_XML.sub(" ", text) + "\n", encoding="utf-8")


def sdmx_files(parameters: Parameters) -> list[str]:
    """The names of the files that it may write."""
    names = (name for ladder in parameters.ladders for name in (ladder.name, _bounds(ladder)))
    return [STRUCTURE, *(f"{name.lower()}.csv" for name in names)]


def _bounds(ladder: Ladder) -> str:
    return f"{SUPPRESSED.upper()}_{ladder.name}"


def _attributes(rows: Rows) -> dict[str, tuple[Attribute, list[str]]]:
    """The attributes of a ladder by the names of their columns, each with its code in each row."""
    taken = {"NOISY_COUNT", *(each.name for each in sql_files()["sdmx_rows"].columns)}
    return {
        column(each, taken): (each, [codes[place] for codes in rows.codes])
        for place, each in enumerate(rows.attributes)
    }


def _listed(contents: Contents, rows: Rows) -> Iterator[tuple[str, str, str]]:
    """Code list, code and meaning of every code but the regions."""
    for name, listed in _CODED.items():
        yield from ((name, row[0], row[1]) for row in contents.codes[listed])
    for name, (attribute, codes) in _attributes(rows).items():
        for code in dict.fromkeys(codes):
            yield f"{rows.ladder.name}_{name}", code, rows.label(attribute, code)


def _flows(contents: Contents, rows: Rows) -> Iterator[Flow]:
    ladder, tables = rows.ladder, {table.rows: table.described for table in exported_tables(contents, rows.ladder)}
    counted = next(each.type for each in tables["labelled_t2"].columns if each.name == ladder.counted)
    called = {row[0]: row[1] for row in contents.codes["STATISTIC"]}
    title = f"{ladder.name}: {', '.join(called.get(each.name, each.name) for each in ladder.statistics)}"
    yield Flow(ladder.name, title, "sdmx_rows", tuple(_components(contents, rows, "sdmx_rows", counted)))
    if SUPPRESSED in tables:
        bounds = tuple(_components(contents, rows, "sdmx_suppressed", "bigint"))
        yield Flow(_bounds(ladder), tables[SUPPRESSED].description, "sdmx_suppressed", bounds)


def _components(contents: Contents, rows: Rows, statement: str, counted: str) -> Iterator[Component]:
    """The columns of a statement, by its header. counted: the type of counts."""
    own = {name: f"{rows.ladder.name}_{name}" for name in _attributes(rows)}
    further = further_columns(contents, rows.ladder) | {"sdmx_columns": {name: f"{name}, a code" for name in own}}
    described = described_by_header("", statement, contents.parameters, rows.ladder, further)
    codelists = {_REGION: _REGION, **{name: name for name in _CODED}, **own}
    for each in described.columns:
        if each.name == _MEASURE:
            yield Component(each.name, "Measure", each.meaning, "", _TYPES[counted])
        elif each.name not in _FIXED:
            is_key = each.name in codelists and each.name != "STATISTIC"
            kind: Literal["Dimension", "Attribute"] = "Dimension" if is_key else "Attribute"
            yield Component(each.name, kind, each.meaning, codelists.get(each.name, ""), _TYPES[each.type])
