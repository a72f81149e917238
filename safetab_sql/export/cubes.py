"""JSON-stat and PxWeb's px: a cube for each table of a ladder, of the groups that got it, without gaps; and SDMX 3.0.

The numbers of a group are a line of a cube, which DuckDB writes; what is said of the cube stands around them. SDMX has
an SDMX-CSV 2.0 file for each ladder, another for bounds of groups without a row, and the structure of all.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise, product
from typing import BinaryIO

from safetab_sql.export.contents import TEMPLATES, Contents, Export
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import rows_of
from safetab_sql.published.file_notes import WHOLE_NUMBERS, DescribedTable, described
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import SUPPRESSED, Ladder, attributes_of

GROUP, MEASURE = "GROUP", "MEASURE"
_MEASURES = ("VARIANCE", "MOE95", "LOW95", "HIGH95", "NOISY_COUNT", "IS_MARGINAL")  # beside what is counted
_MARK = re.compile("\x00([a-z]+)\x00")  # where a column of entries stands in a text
_BATCH = 2**14  # rows
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
_NOTED = ("note", "privacy_loss", "quote", "releasable")  # in a px file, of what is said of a release


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension: its codes in their order, and what each is called."""

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]


def column(attribute: Attribute, taken: Collection[str]) -> str:
    """What an attribute is called beside columns whose names are taken."""
    return f"{attribute.name}_VALUE" if attribute.name in taken else attribute.name


@dataclass(frozen=True)
class Rows:
    """The rows of a ladder. One more row, after the last, stands for totals that stand apart from its table."""

    contents: Contents
    ladder: Ladder

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of the ladder."""
        return attributes_of(self.ladder, self.contents.parameters.attributes)

    @cached_property
    def codes(self) -> list[tuple[str, ...]]:
        """Of each row, the code of each attribute; of one with two columns it is as 0-17, or 17."""
        rows = [*rows_of(self.contents.parameters, self.ladder).codes]
        rows.append(tuple(attribute.total for attribute in self.attributes for _ in attribute.publish))
        ends = [*accumulate((len(attribute.publish) for attribute in self.attributes), initial=0)]
        return [tuple("-".join(dict.fromkeys(row[start:end])) for start, end in pairwise(ends)) for row in rows]

    def rows_of_statistic(self, number: int) -> list[int]:
        """The rows that a group with a statistic has, sums and total included. number: 0 of a total alone."""
        rows = rows_of(self.contents.parameters, self.ladder)
        found = {row for statistic, _, row in (*rows.measured, *rows.sums) if statistic == number}
        return sorted(found | ({len(rows.codes)} if self.ladder.totals is not None else set()))

    def dimensions(self, number: int) -> Iterator[Dimension]:
        """The attributes with the values that the rows of a statistic have, totals first.

        Labels have the codes too where two are called alike.
        """
        rows = [self.codes[row] for row in self.rows_of_statistic(number)]
        for attribute, held in zip(self.attributes, zip(*rows, strict=True), strict=True):
            codes = tuple(dict.fromkeys((attribute.total, *held) if attribute.total in held else held))
            labels = tuple(self.label(attribute, code) for code in codes)
            if len(set(labels)) < len(labels):
                labels = tuple(f"{label}, {code}" for label, code in zip(labels, codes, strict=True))
            yield Dimension(column(attribute, (GROUP, MEASURE)), codes, labels)

    def cells(self, number: int) -> list[int | None]:
        """The row of each cell of the cube of a statistic, the last attribute fastest; None where it has none."""
        rows = {self.codes[row]: row for row in self.rows_of_statistic(number)}
        return [rows.get(codes) for codes in product(*(each.codes for each in self.dimensions(number)))]

    def label(self, attribute: Attribute, code: str) -> str:
        """What a code of an attribute is called."""
        listed = self.contents.codes.get(attribute.publish[0], ()) if len(attribute.publish) == 1 else ()
        return next((row[1] for row in listed if row[0] == code and row[1]), "all" if code == attribute.total else code)


@dataclass(frozen=True, slots=True)
class Cube:
    """A table of population groups by `dimensions`. rows: the statement of its entries. values: of the statement."""

    name: str
    title: str
    dimensions: tuple[Dimension, ...]
    rows: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Form:
    """How a format writes cubes. lines: what stands between groups. text: all but their entries, given their number.

    signs: what stands between numbers, for one that is not known, and for quotation marks and backslashes in a text.
    """

    ending: str
    lines: str
    signs: Mapping[str, str]
    text: Callable[[Cube, int, Contents], str]


def _json_text(cube: Cube, groups: int, contents: Contents) -> str:
    about = contents.about
    dimensions: dict[str, object] = {GROUP: {"category": {"index": ["\0code\0"], "label": "\0entry\0"}}}
    dimensions |= {
        each.name: {"category": {"index": each.codes, "label": dict(zip(each.codes, each.labels, strict=True))}}
        for each in cube.dimensions
    }
    said = {
        **{"version": "2.0", "class": "dataset", "label": cube.title, "updated": about["date"]},
        **({"source": about["publisher"]} if "publisher" in about else {}),
        "id": list(dimensions),
        "size": [groups, *(len(each.codes) for each in cube.dimensions)],
        "role": {"metric": [MEASURE]},
        "dimension": dimensions,
        "extension": about,
        "value": ["\0numbers\0"],
    }
    text = json.dumps(said, indent=1, ensure_ascii=False)
    text = text.replace(r'"\u0000entry\u0000"', "{\0entry\0}")
    return re.sub(r'"\\u0000([a-z]+)\\u0000"', "\0\\1\0", text) + "\n"


def _px_text(cube: Cube, _: int, contents: Contents) -> str:
    about = contents.about
    said = {
        **{"matrix": cube.name[:20].upper(), "title": cube.title, "contents": cube.title, "unit": about["unit"]},
        "subject": about.get("title", about["unit"]),
        **{"group": GROUP, "source": about.get("publisher", about["software"]), "contact": about.get("contact", "")},
        "note": "; ".join(f"{key}: {about[key]}" for key in _NOTED if key in about),
    }
    dimensions = [
        {"name": _in_px(each.name), "codes": map(_in_px, each.codes), "labels": map(_in_px, each.labels)}
        for each in cube.dimensions
    ]
    marks = {name: f"\0{name}\0" for name in ("code", "title", "numbers")}
    texts = {key: _in_px(value) for key, value in said.items()}
    date = about["date"].replace("-", "")
    text = TEMPLATES.get_template("table.px.jinja").render(**texts, dimensions=dimensions, marks=marks, date=date)
    return f"{text}\n"


def _in_px(text: str) -> str:
    """A text in quotation marks, as `text_entry` makes it."""
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).replace('"', "'") + '"'


_JSON_SIGNS = {"separator": ",", "missing": "null", "mark": '\\"', "backslash": "\\\\"}
_PX_SIGNS = {"separator": " ", "missing": '".."', "mark": "'", "backslash": "\\"}
JSON_STAT, PX = _Form(".json", ",\n", _JSON_SIGNS, _json_text), _Form(".px", "\n", _PX_SIGNS, _px_text)


def cube_files(ladder: Ladder) -> list[str]:
    """The names of all files that may be written of a ladder, of cubes and of SDMX."""
    flows = [f"{name.lower()}.csv" for name in (ladder.name, _bounds(ladder))]
    return [*flows, *(f"{name}{form.ending}" for name, form in product(_names(ladder), (JSON_STAT, PX)))]


def _names(ladder: Ladder) -> list[str]:
    """The name of a cube for each table of a ladder, and of the bounds of groups without a row."""
    statistics = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    names = [f"{ladder.folder}_{number}_{name}" for number, name in enumerate(statistics)]
    return [re.sub(r"[^\w-]+", "_", name) for name in (*names, f"{SUPPRESSED}_{ladder.folder}")]


def write_cubes(export: Export, form: _Form) -> None:
    """A file for each table of a ladder."""
    for ladder in export.ladders():
        export.database.set_values(form.signs)
        export.database.create(sql_files()["exported_rows"])
        for cube in _cubes(export.contents, ladder, form):
            export.database.set_values(cube.values)
            export.database.create(sql_files()[cube.rows])
            if groups := export.database.rows(cube.rows):  # no cube of a table that no group got
                text = form.text(cube, groups, export.contents)
                with (export.target / f"{cube.name}{form.ending}").open("wb") as stream:
                    _write(stream, text, export, cube.rows, form)


def _write(stream: BinaryIO, text: str, export: Export, rows: str, form: _Form) -> None:
    """Write a text with the entries of groups in it, and separators between them."""
    for number, part in enumerate(_MARK.split(text)):
        if number % 2 == 0:
            stream.write(part.encode())
            continue
        before, separator = "", form.lines if part == "numbers" else ",\n"
        for entries in export.database.batches(rows, [part], _BATCH):
            stream.write(f"{before}{separator.join(entries.column(part).to_pylist())}".encode())
            before = separator


def _cubes(contents: Contents, ladder: Ladder, form: _Form) -> Iterator[Cube]:
    *names, bounds = _names(ladder)
    tables = contents.tables(ladder)
    measures = _measures(tables["labelled_t2"], (ladder.counted, *_MEASURES))
    no_cell = form.signs["separator"].join([form.signs["missing"]] * len(measures.codes))
    rows, statistics = Rows(contents, ladder), [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    for number, (name, statistic) in enumerate(zip(names, statistics, strict=True)):
        dimensions = [each for each in rows.dimensions(number) if len(each.codes) > 1]
        values = {"table_statistic": statistic, "cell_rows": rows.cells(number), "no_cell": no_cell}
        title = f"{ladder.name}, {contents.statistic(statistic)}"
        yield Cube(name, title, (*dimensions, measures), "cube_lines", values)
    if SUPPRESSED in tables:
        limits = _measures(tables[SUPPRESSED], ("SUPPRESSED_UP_TO", "HIGH95"))
        yield Cube(bounds, tables[SUPPRESSED].description, (limits,), "suppressed_lines")


def _measures(table: DescribedTable, names: Sequence[str]) -> Dimension:
    """The columns of these names that a table has."""
    said = {each.name: f"{each.name}: {each.meaning}" for each in table.columns}
    found = [name for name in names if name in said]
    return Dimension(MEASURE, tuple(found), tuple(said[name] for name in found))


@dataclass(frozen=True, slots=True)
class Flow:
    """A data flow, whose file is called like it in small letters. rows: the statement of its observations.

    components: its columns, each with an id, a kind (Dimension, Attribute or Measure), a meaning, and the name of its
    codelist, which is empty where it has none: then with a type, in the words of SDMX.
    """

    id: str
    name: str
    rows: str
    components: tuple[Mapping[str, str], ...]


def write_sdmx(export: Export) -> None:
    """A file of observations for each data flow, and structure.xml, which describes all of them."""
    flows, codelists = list[Flow](), dict[str, dict[str, object]]()
    for ladder in export.ladders():
        database, rows = export.database, Rows(export.contents, ladder)
        database.set_values({"sdmx_columns": {name: codes for name, (_, codes) in _attributes(rows).items()}})
        database.create(sql_files()["exported_rows"])
        for flow in _flows(rows):
            database.set_values({"dataflow": f"{_AGENCY}:{flow.id}(1.0.0)"})
            database.copy(sql_files()[flow.rows], export.target / f"{flow.id.lower()}.csv", "format csv, header true")
            flows.append(flow)
        listed = dict(zip(_CODES, map(list, zip(*_listed(rows), strict=True)), strict=True))
        for row in database.select(sql_files()["sdmx_codes"], listed).to_pylist():
            codelists.setdefault(row["list_name"], {})[row["id"]] = row
    about = export.contents.about
    said = {"source": about.get("publisher", about["software"]), "date": about["date"], "agency": _AGENCY}
    text = TEMPLATES.get_template("structure.xml.jinja").render(said, flows=flows, codelists=codelists)
    (export.target / STRUCTURE).write_text(_NOT_IN_XML.sub(" ", text) + "\n", encoding="utf-8")


def _bounds(ladder: Ladder) -> str:
    return f"{SUPPRESSED.upper()}_{ladder.name}"


def _attributes(rows: Rows) -> dict[str, tuple[Attribute, list[str]]]:
    """The attributes of a ladder by the names of their columns, each with its code in each row."""
    taken = {"NOISY_COUNT", *(each.name for each in sql_files()["sdmx_rows"].columns)}
    return {
        column(each, taken): (each, [codes[place] for codes in rows.codes])
        for place, each in enumerate(rows.attributes)
    }


def _listed(rows: Rows) -> Iterator[tuple[str, str, str]]:
    """Code list, code and meaning of every code but the regions."""
    for name, listed in _CODED.items():
        yield from ((name, row[0], row[1]) for row in rows.contents.codes[listed])
    for name, (attribute, codes) in _attributes(rows).items():
        for code in dict.fromkeys(codes):
            yield f"{rows.ladder.name}_{name}", code, rows.label(attribute, code)


def _flows(rows: Rows) -> Iterator[Flow]:
    ladder, contents, tables = rows.ladder, rows.contents, rows.contents.tables(rows.ladder)
    counted = next(each.type for each in tables["labelled_t2"].columns if each.name == ladder.counted)
    title = f"{ladder.name}: {', '.join(contents.statistic(each.name) for each in ladder.statistics)}"
    yield Flow(ladder.name, title, "sdmx_rows", tuple(_components(rows, "sdmx_rows", counted)))
    if SUPPRESSED in tables:
        bounds = tuple(_components(rows, "sdmx_suppressed", "bigint"))
        yield Flow(_bounds(ladder), tables[SUPPRESSED].description, "sdmx_suppressed", bounds)


def _components(rows: Rows, statement: str, counted: str) -> Iterator[Mapping[str, str]]:
    """The columns of a statement, by its header. counted: the type of counts."""
    own = {name: f"{rows.ladder.name}_{name}" for name in _attributes(rows)}
    further = rows.contents.further_columns(rows.ladder) | {"sdmx_columns": {name: f"{name}, a code" for name in own}}
    _, columns = described(statement, rows.contents.parameters, rows.ladder, further)
    codelists = {_REGION: _REGION, **{name: name for name in _CODED}, **own}
    for each in [each for each in columns if each.name not in _FIXED]:
        is_key = each.name in codelists and each.name != "STATISTIC"
        kind = "Measure" if each.name == _MEASURE else "Dimension" if is_key else "Attribute"
        of = {"codelist": codelists.get(each.name, ""), "type": _TYPES[counted if kind == "Measure" else each.type]}
        yield {"id": each.name, "kind": kind, "meaning": each.meaning, **of}
