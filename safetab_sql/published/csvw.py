"""CSV on the Web: metadata of the tables of a release as JSON, and its code lists as tables of their own.

The metadata describe tables that are exported as text to the letter. Parquet files they describe by the names of their
columns. Code lists are CSV in either case. Source: W3C, Metadata Vocabulary for Tabular Data.
"""

import csv
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.kit.sqlfiles import Column
from safetab_sql.published.file_notes import column_meanings, described
from safetab_sql.published.tables import ladder_files
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import WHOLE, RegionType
from safetab_sql.settings.ladders import CODES, Cells, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters

CSVW = "csv-metadata.json"
NAMED_TABLES = ("iterations", "regions", "region_names")  # public tables with the codes and names of a release
WHOLE_NUMBERS = ("tinyint", "smallint", "usmallint", "integer", "bigint")  # types
_TYPES = {"varchar": "string", "boolean": "boolean", "double": "double", **dict.fromkeys(WHOLE_NUMBERS, "integer")}
_REGION, _ITERATION = "REGION_ID", "ITERATION_CODE"
_FURTHER = {_ITERATION: ("ITERATION_LEVEL", "ITERATION_KIND"), _REGION: ("REGION_TYPE",)}  # beside CODE and MEANING
Codes = Mapping[str, Mapping[str, str]]  # by column: its codes, each with its meaning
CodeLists = Mapping[str, Sequence[Sequence[str]]]  # by column: rows of code, meaning, and `_FURTHER`


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table of a folder as metadata describe it. url: its place. ladder: whose columns it has.

    form: how it is written, in the words of the vocabulary.
    """

    url: str
    description: str
    columns: Sequence[Column]
    ladder: Ladder
    form: Mapping[str, object] = field(default_factory=lambda: {"dc:format": "application/vnd.apache.parquet"})


@dataclass(frozen=True, slots=True)
class Metadata:
    """The code lists of a release, and the text of its metadata, which are known before anybody is counted."""

    lists: CodeLists
    text: str

    def write(self, folder: Path) -> None:
        """Write both into the folder whose tables they describe, the lists a file a column."""
        (folder / CODES).mkdir()
        for column, rows in self.lists.items():
            with (folder / CODES / f"{column}.csv").open("w", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerows([_code_columns(column), *rows])
        (folder / CSVW).write_text(self.text, encoding="utf-8")


def release_metadata(parameters: Parameters, public: Mapping[str, pa.Table]) -> Metadata:
    """What describes the tables of a release. public: NAMED_TABLES. Regions are listed where some have a name."""
    iterations, names = public["iterations"], public["region_names"]
    rows = iterations.to_pylist()
    more = {_ITERATION: {row["iteration_code"]: (row["iteration_level"], row["iteration_kind"]) for row in rows}}
    lists: dict[str, list[tuple[str, ...]]] = {
        column: [(code, meaning, *more.get(column, {}).get(code, ())) for code, meaning in meanings.items()]
        for column, meanings in published_codes(parameters, iterations).items()
    }
    if names.num_rows:
        named = {(row["region_id"], row["region_type"]): row["region_name"] or "" for row in names.to_pylist()}
        regions = sorted(public["regions"].to_pylist(), key=lambda row: row["region_key"])
        keys = ((row["region_id"], row["region_type"]) for row in regions)
        lists[_REGION] = [(region, named.get((region, kind), ""), kind) for region, kind in keys]
    return Metadata(lists, metadata_text(parameters, lists, _described(parameters, "")))


def write_reconciled_csvw(folder: Path, parameters: Parameters, *, integers: bool) -> None:
    """Write the metadata of reconciled tables and of what was copied into their folder. integers: of their counts."""
    codes = [list_.stem for list_ in sorted((folder / CODES).glob("*.csv"))]
    text = metadata_text(parameters, codes, _described(parameters, "whole_" if integers else "reconciled_"))
    (folder / CSVW).write_text(text, encoding="utf-8")


def published_codes(parameters: Parameters, iterations: pa.Table) -> Codes:
    """The codes that the columns of the tables may have, each with its meaning."""
    names = zip(iterations["iteration_code"].to_pylist(), iterations["iteration_name"].to_pylist(), strict=True)
    codes: dict[str, dict[str, str]] = {
        "REGION_TYPE": {kind.name: _regions(kind) for kind in parameters.region_types},
        _ITERATION: {code: name or "" for code, name in sorted(names)},
        "STATISTIC": {},
    }
    for ladder in parameters.ladders:
        codes["STATISTIC"][ladder.total_name] = "a total alone"
        codes["STATISTIC"] |= {each.name: _in_words(each.cells, parameters.attributes) for each in ladder.statistics}
        for attribute in attributes_of(ladder, parameters.attributes):
            if len(attribute.publish) == 1:
                meanings = parameters.meanings.get(attribute.publish[0], {})
                found = _codes(attribute, ladder, {attribute.total: "all", **meanings})
                codes.setdefault(attribute.publish[0], {}).update(found)
    for column in ("REGION_TYPE", "STATISTIC"):
        codes[column] |= parameters.labels.get(column, {})
    return codes


def metadata_text(parameters: Parameters, codes: Collection[str], tables: Sequence[DescribedTable]) -> str:
    """The metadata of tables. codes: columns with a code list."""
    about = parameters.about
    texts = {"dc:title": about.title, "dc:publisher": about.publisher, "dc:description": about.note}
    metadata = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        **{key: text for key, text in texts.items() if text},
        "tables": [*(_table(each, parameters, codes) for each in tables), *map(_code_table, codes)],
    }
    return json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"


def _described(parameters: Parameters, made: str) -> list[DescribedTable]:
    """The Parquet files of a release, by the headers of their statements. made: as of `ladder_files`."""
    return [
        DescribedTable(place, *described(statement, parameters, ladder), ladder)
        for ladder in parameters.ladders
        for place, statement in ladder_files(parameters, ladder, made).items()
    ]


def _table(table: DescribedTable, parameters: Parameters, codes: Collection[str]) -> dict[str, object]:
    many = table.ladder.called(parameters.unit).many
    columns = []
    for each in table.columns:
        own = {"name": each.name, "titles": each.name, "dc:description": each.meaning, "datatype": _TYPES[each.type]}
        if each.type != "varchar" and many in each.meaning:
            own["schema:unitText"] = f"{many} squared" if "squared" in each.meaning else many
        columns.append(own)
    names = [column.name for column in table.columns]
    of_attributes = [name for name in names if name in column_meanings(parameters, table.ladder)]
    return {
        "url": table.url,
        "dc:description": table.description,
        **table.form,
        "tableSchema": {
            "columns": columns,
            "primaryKey": [name for name in ("REGION_TYPE", _REGION, _ITERATION, *of_attributes) if name in names],
            "foreignKeys": [_foreign_key(name) for name in names if name in codes],
        },
    }


def _code_table(column: str) -> dict[str, object]:
    columns = [{"name": name, "titles": name, "datatype": "string"} for name in _code_columns(column)]
    return {
        "url": f"{CODES}/{column}.csv",
        "dc:description": f"The codes of {column}.",
        "tableSchema": {"columns": columns, "primaryKey": _foreign_key(column)["reference"]["columnReference"]},
    }


def _code_columns(column: str) -> tuple[str, ...]:
    return ("CODE", "MEANING", *_FURTHER.get(column, ()))


def _foreign_key(column: str) -> dict[str, Any]:
    """From a column to its code list. Regions of two types may have one id."""
    ours, theirs = (["REGION_TYPE", _REGION], ["REGION_TYPE", "CODE"]) if column == _REGION else (column, "CODE")
    return {"columnReference": ours, "reference": {"resource": f"{CODES}/{column}.csv", "columnReference": theirs}}


def _regions(kind: RegionType) -> str:
    one = re.fullmatch(r"'([^']*)'", kind.id)
    regions = f"a region for each value of {kind.id} of the geography" if one is None else f"one region, {one[1]}"
    return regions if kind.part == WHOLE else f"{regions}, in part {kind.part}"


def _in_words(cells: Cells, attributes: Sequence[Attribute]) -> str:
    """The attributes of a table, each with the number of its groups where some hold several values."""
    by_name = {attribute.name: attribute for attribute in attributes}
    sizes = [(by_name[name], len(by_name[name].grouping(how).codes)) for name, how in cells]
    return " by ".join(each.name if size == each.size else f"{each.name} ({size} groups)" for each, size in sizes)


def _codes(attribute: Attribute, ladder: Ladder, meanings: Mapping[str, str]) -> dict[str, str]:
    """The codes of an attribute in the tables of a ladder: what each stands for. meanings: of those that have one."""
    found = {attribute.total: meanings[attribute.total]}
    groupings = {grouping for each in ladder.statistics for name, grouping in each.cells if name == attribute.name}
    subtotals: Sequence[Cells] = ladder.subtotals if isinstance(ladder.subtotals, tuple) else ()
    groupings |= {grouping for cells in subtotals for name, grouping in cells if name == attribute.name}
    for grouping in sorted(groupings):
        of_values = attribute.grouping(grouping)
        for place, (code,) in enumerate(of_values.codes):
            held = [value for value, group in zip(attribute.values, of_values.members, strict=False) if group == place]
            listed = ", ".join(meanings.get(value, value) for value in held)
            found.setdefault(code, meanings.get(code) or listed or f"{attribute.name} {code}")
    return found
