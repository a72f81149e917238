"""JSON-stat and PxWeb's px: a cube for each table of a ladder, of the groups that got it, without gaps.

The numbers of a group are a line of the file, which DuckDB writes; what is said of the cube stands around them.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import BinaryIO

from jinja2 import StrictUndefined, Template

from safetab_sql.export.contents import Contents, Export, exported_tables, shown_ladders
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import rows_of
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import SUPPRESSED, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters

GROUP, MEASURE = "GROUP", "MEASURE"
_MARK = re.compile("\x00([a-z]+)\x00")  # where a column of entries stands in a text
_CHUNK = 2**20
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
        return [tuple(self._joined(row)) for row in rows]

    def _joined(self, row: Sequence[str]) -> Iterator[str]:
        place = 0
        for attribute in self.attributes:
            yield "-".join(dict.fromkeys(row[place : place + len(attribute.publish)]))
            place += len(attribute.publish)

    def rows_of_statistic(self, number: int) -> list[int]:
        """The rows that a group with a statistic has, sums and total included. number: 0 of a total alone."""
        rows = rows_of(self.contents.parameters, self.ladder)
        found = {row for statistic, _, row in (*rows.measured, *rows.sums) if statistic == number}
        return sorted(found | ({len(rows.codes)} if self.ladder.totals is not None else set()))

    def dimensions(self, number: int, taken: Collection[str]) -> list[Dimension]:
        """The attributes with the values that the rows of a statistic have, totals first. taken: as of `column`."""
        return [
            Dimension(column(attribute, taken), codes, self._labels(attribute, codes))
            for attribute, codes in zip(self.attributes, self._values(number), strict=True)
        ]

    def _labels(self, attribute: Attribute, codes: Sequence[str]) -> tuple[str, ...]:
        """What codes are called, with the codes where two are called alike."""
        labels = [self.label(attribute, code) for code in codes]
        is_clear = len(set(labels)) == len(labels)
        return tuple(label if is_clear else f"{label}, {code}" for code, label in zip(codes, labels, strict=True))

    def cells(self, number: int) -> list[int | None]:
        """The row of each cell of the cube of a statistic, the last attribute fastest; None where it has none."""
        rows = {self.codes[row]: row for row in self.rows_of_statistic(number)}
        return [rows.get(codes) for codes in product(*self._values(number))]

    def _values(self, number: int) -> list[tuple[str, ...]]:
        """Of each attribute, the codes that the rows of a statistic have, the one for all first."""
        rows = [self.codes[row] for row in self.rows_of_statistic(number)]
        found = [[attribute.total, *(row[place] for row in rows)] for place, attribute in enumerate(self.attributes)]
        return [tuple(dict.fromkeys(codes if codes[0] in codes[1:] else codes[1:])) for codes in found]

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
    """How a format writes cubes. separator: of numbers. lines: of groups. missing: for a number that is not known.

    mark, backslash: for these signs in a text. text: all but the entries of groups, given their number.
    """

    ending: str
    separator: str
    lines: str
    missing: str
    mark: str
    backslash: str
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
    about, template = contents.about, (Path(__file__).parent / "table.px.jinja").read_text(encoding="utf-8")
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
    rendered = Template(template, undefined=StrictUndefined, keep_trailing_newline=True)
    return str(rendered.render(**texts, dimensions=dimensions, marks=marks, date=about["date"].replace("-", "")))


def _in_px(text: str) -> str:
    """A text in quotation marks, as `text_entry` makes it."""
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).replace('"', "'") + '"'


JSON_STAT = _Form(".json", ",", ",\n", "null", '\\"', "\\\\", _json_text)
PX = _Form(".px", " ", "\n", '".."', "'", "\\", _px_text)


def cube_files(parameters: Parameters) -> list[str]:
    """The names of all files that cubes of these parameters may have."""
    names = [name for ladder in parameters.ladders for name in _names(ladder)]
    return [f"{name}{form.ending}" for name, form in product(names, (JSON_STAT, PX))]


def _names(ladder: Ladder) -> list[str]:
    """The name of a cube for each table of a ladder, and of the bounds of groups without a row."""
    statistics = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    names = [f"{ladder.folder}_{number}_{name}" for number, name in enumerate(statistics)]
    return [re.sub(r"[^\w-]+", "_", name) for name in (*names, f"{SUPPRESSED}_{ladder.folder}")]


def write_cubes(export: Export, form: _Form) -> None:
    """A file for each table of a ladder."""
    texts = {"separator": form.separator, "missing": form.missing, "mark": form.mark, "backslash": form.backslash}
    for ladder in shown_ladders(export):
        export.database.set_values(texts)
        export.database.create(sql_files()["exported_rows"])
        for cube in _cubes(export.contents, ladder, form):
            export.database.set_values(cube.values)
            export.database.create(sql_files()[cube.rows])
            if groups := export.database.rows(cube.rows):  # no cube of a table that no group got
                text = form.text(cube, groups, export.contents)
                with (export.target / f"{cube.name}{form.ending}").open("wb") as stream:
                    _write(stream, text, export, cube.rows, form)


def _write(stream: BinaryIO, text: str, export: Export, rows: str, form: _Form) -> None:
    """Write a text with the entries of groups in it."""
    for number, part in enumerate(_MARK.split(text)):
        if number % 2 == 0:
            stream.write(part.encode())
            continue
        entries = export.scratch / "entries.txt"
        export.database.copy_column(rows, part, entries)
        _append(stream, entries, (form.lines if part == "numbers" else ",\n").encode())


def _append(stream: BinaryIO, entries: Path, separator: bytes) -> None:
    """Append lines with another separator, and none after the last; a line holds no sign that breaks it."""
    left = entries.stat().st_size - 1
    with entries.open("rb") as lines:
        while left > 0:
            chunk = lines.read(min(_CHUNK, left))
            stream.write(chunk.replace(b"\n", separator))
            left -= len(chunk)


def _cubes(contents: Contents, ladder: Ladder, form: _Form) -> Iterator[Cube]:
    *names, bounds = _names(ladder)
    tables = {table.rows: table.described for table in exported_tables(contents, ladder)}
    meanings = {column.name: column.meaning for column in tables["labelled_t2"].columns}
    counts = [ladder.counted, "VARIANCE", "MOE95", "LOW95", "HIGH95", "NOISY_COUNT", "IS_MARGINAL"]
    measures = _measures({name: meanings[name] for name in counts if name in meanings})
    no_cell = form.separator.join([form.missing] * len(measures.codes))
    called, rows = {row[0]: row[1] for row in contents.codes["STATISTIC"]}, Rows(contents, ladder)
    statistics = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    for number, (name, statistic) in enumerate(zip(names, statistics, strict=True)):
        dimensions = [each for each in rows.dimensions(number, (GROUP, MEASURE)) if len(each.codes) > 1]
        values = {"table_statistic": statistic, "cell_rows": rows.cells(number), "no_cell": no_cell}
        title = f"{ladder.name}, {called.get(statistic, statistic)}"
        yield Cube(name, title, (*dimensions, measures), "cube_lines", values)
    if SUPPRESSED in tables:
        said = {column.name: column.meaning for column in tables[SUPPRESSED].columns}
        limits = _measures({name: said[name] for name in ("SUPPRESSED_UP_TO", "HIGH95")})
        yield Cube(bounds, tables[SUPPRESSED].description, (limits,), "suppressed_lines")


def _measures(meanings: Mapping[str, str]) -> Dimension:
    return Dimension(MEASURE, tuple(meanings), tuple(f"{name}: {meaning}" for name, meaning in meanings.items()))
