"""What the tables of a release say of themselves: each Parquet file, and all of them as CSV on the Web.

The key-value metadata of a Parquet file say whose release it is, what its rows are, what it cost and which noise its
counts have; the Arrow schema among them describes each column. The digests of the files stand in the manifest, so a
file cannot hold the digest of the whole manifest: it holds the digest of the manifest without its members `files`,
`releasable` and `accounted`, which is known before any file is written.

The metadata of CSV on the Web describe tables that are exported as text to the letter, and Parquet files by the names
of their columns. Code lists are CSV in either case. Source: W3C, Metadata Vocabulary for Tabular Data.
"""

import csv
import hashlib
import json
import re
from base64 import b64encode
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.statement import ONE_PERSON, ONE_RECORD, UNKNOWN
from safetab_sql.kit.database import TYPES
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import Column, sql_files
from safetab_sql.kit.whole_folders import is_litter, sha256_of
from safetab_sql.published.manifest import MANIFEST, Digest, Digests, dated, is_denied, software_versions
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import WHOLE, RegionType
from safetab_sql.settings.ladders import BESIDE, CODES, GROUP_INDEX, MEASUREMENTS, Cells, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

CSVW = "csv-metadata.json"
NAMED_TABLES = ("iterations", "regions", "region_names")  # public tables with the codes and names of a release
WHOLE_NUMBERS = ("tinyint", "smallint", "usmallint", "integer", "bigint")  # types
_TYPES = {"varchar": "string", "boolean": "boolean", "double": "double", **dict.fromkeys(WHOLE_NUMBERS, "integer")}
_REGION, _ITERATION = "REGION_ID", "ITERATION_CODE"
_FURTHER = {_ITERATION: ("ITERATION_LEVEL", "ITERATION_KIND"), _REGION: ("REGION_TYPE",)}  # beside CODE and MEANING
Codes = Mapping[str, Mapping[str, str]]  # by column: its codes, each with its meaning
CodeLists = Mapping[str, Sequence[Sequence[str]]]  # by column: rows of code, meaning, and `_FURTHER`
_MADE_LATER = ("files", "releasable", "accounted")  # members of a manifest that are known when its files are written
_ABOUT = ("title", "publisher", "contact", "note")
_MOST_MEANINGS = 8  # of codes in the comment of a column; the code list of a release has them all
_NONE: Mapping[str, Mapping[str, str]] = {}
_ARROW = "ARROW:schema"  # the key under which readers of Arrow look for a schema


def release_notes(manifest: Mapping[str, Any], unit: Unit, day: date) -> dict[str, str]:
    """What every file says of a run, by key. manifest: of the run, without software and day."""
    levels = manifest["ledger"]["levels"]
    noise = [{"level": level["level"], **_noise(call)} for level in levels for call in level["calls"]]
    rules = [] if unit.is_person else [manifest["ledger"]["person_rule"]]
    return _of_noise(manifest, unit.many, noise, rules, day)


def histogram_notes(manifest: Mapping[str, Any], day: date) -> dict[str, str]:
    """What every file says of a histogram, or of synthetic rows. manifest: without software and day."""
    ledger = manifest["ledger"]
    rules = [ledger["person_rule"], *([ledger["caveat"]] if "caveat" in ledger else [])]
    return _of_noise(manifest, "records", [_noise(call) for call in ledger["histograms"]], rules, day)


def _of_noise(manifest: Mapping[str, Any], many: str, noise: object, rules: Sequence[str], day: date) -> dict[str, str]:
    return {
        **_of_every_release(manifest, many, day),
        "privacy_loss": "; ".join([_loss(manifest["ledger"]), *rules]),
        "noise": json.dumps(noise, ensure_ascii=False),
        "manifest_sha256": manifest_core_digest(dated(manifest, day)),
    }


def _noise(call: Mapping[str, Any]) -> dict[str, object]:
    named = ("statistic", "histogram", "distribution", "sigma2", "scale", "standard_deviation", "moe95")
    said = {key: call[key] for key in named if key in call}
    return {key: value["decimal"] if isinstance(value, Mapping) else value for key, value in said.items()}


def _loss(ledger: Mapping[str, Any]) -> str:
    """The loss of one person, where it is known and another, and of one record; as `neighbours` says."""
    unit, totals = ledger["budget_unit"], ledger["totals"]
    record, person = totals[ONE_RECORD], totals[ONE_PERSON]
    compared = record or person
    of_record = f"{unit} {compared['decimal']} ({ledger['privacy_definition']}): {ledger['neighbours']}"
    if record is None:
        return of_record
    if person is None:
        return f"{of_record}; {UNKNOWN}"
    return of_record if person == record else f"{unit} {person['decimal']} of one person; {of_record}"


def described_counts(notes: Mapping[str, str], description: str) -> dict[str, str]:
    """The key-value metadata of a file with noisy counts of records: `notes`, what a row is, and what columns hold."""
    columns = {
        "COUNT": "records, or the sum of their weights, noisy",
        "VARIANCE": "of the noise in COUNT, its unit squared",
        "MOE95": "half-width of the 95 % margin of error of COUNT",
    }
    return {**notes, "description": description, "columns": json.dumps(columns)}


def reconciled_notes(manifest: Mapping[str, Any], unit: Unit, day: date) -> dict[str, str]:
    """What every file says of a release that was reconciled. manifest: of its run."""
    said = {
        "reconciled": "counts are estimates by least squares from the noisy counts of a release; rows are dependent",
        "release_manifest_sha256": manifest_core_digest(manifest),
    }
    return {**_of_every_release(manifest, unit.many, day), **said}


def _of_every_release(manifest: Mapping[str, Any], counted: str, day: date) -> dict[str, str]:
    about = manifest.get("about") or {}
    return {
        **{key: about[key] for key in _ABOUT if about.get(key)},
        **({"is_simulated": "true"} if about.get("is_simulated") else {}),
        "releasable": json.dumps(manifest.get("releasable") is True),
        "unit": counted,
        "software": f"safetab-sql {software_versions()['safetab-sql']}",
        "date": day.isoformat(),
    }


def manifest_core_digest(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of a manifest without `_MADE_LATER`: of its JSON in UTF-8, keys sorted, without blanks."""
    core = {key: value for key, value in manifest.items() if key not in _MADE_LATER}
    text = json.dumps(core, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def table_notes(notes: Mapping[str, str], statement: str, parameters: Parameters, ladder: Ladder) -> dict[str, str]:
    """The key-value metadata of a file with the rows of a statement."""
    description, columns = described(statement, parameters, ladder)
    fields = (pa.field(each.name, TYPES[each.type], metadata={"description": each.meaning}) for each in columns)
    return {
        **notes,
        "description": description,
        "columns": json.dumps({each.name: each.meaning for each in columns}, ensure_ascii=False),
        _ARROW: b64encode(pa.schema(fields).serialize().to_pybytes()).decode(),
    }


def described(
    statement: str, parameters: Parameters, ladder: Ladder, further: Mapping[str, Mapping[str, str]] = _NONE
) -> tuple[str, list[Column]]:
    """What a file with the rows of a statement holds, and its columns, as the header says of a ladder.

    Columns that stand for a template are written out. further: such columns beside `templated_columns`.
    """
    file, templates = sql_files()[statement], {**templated_columns(parameters, ladder), **further}
    words, columns = {"records": ladder.called(parameters.unit).many, "counted": ladder.counted}, list[Column]()
    for each in file.columns:
        said = {each.name: header_text(each.meaning, words)}
        own = templates[each.name.strip("{ }")] if each.name.startswith("{{") else said
        columns += [Column(name, each.type, meaning) for name, meaning in own.items()]
    texts = (header_text(text, words) for text in (file.title, f"{file.grain}."))
    return " ".join(f"{text[:1].upper()}{text[1:]}" for text in texts), columns


def header_text(text: str, words: Mapping[str, str]) -> str:
    """A text of the header of a statement, with `words` in place of their names in braces."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def templated_columns(parameters: Parameters, ladder: Ladder) -> dict[str, dict[str, str]]:
    """The columns that stand for a template in the header of a published table, and what each holds; by template."""
    numbers = {
        column: f"{what} {attribute.name} of the row, a whole number; NULL for all"
        for attribute in attributes_of(ladder, parameters.attributes)
        for what, column in zip(("first", "last"), attribute.number_columns, strict=False)
    }
    of = "" if ladder.sum is None else f", a {ladder.sum.words}"
    counted = {ladder.counted: f"{ladder.called(parameters.unit).many}{of}, noisy; may be negative"}
    return {"counted": counted, "ladder_columns": column_meanings(parameters, ladder), "number_columns": numbers}


def column_meanings(parameters: Parameters, ladder: Ladder) -> dict[str, str]:
    """What each column of the attributes of a ladder holds in its published table."""
    meanings = {}
    for attribute in attributes_of(ladder, parameters.attributes):
        whats = ("first", "last") if len(attribute.publish) == 2 else ("code",)
        said = dict(parameters.meanings.get(attribute.publish[0], {}))
        every = said.pop(attribute.total, "all")
        listed = ", ".join(f"{code} {meaning}" for code, meaning in islice(said.items(), _MOST_MEANINGS))
        for column, what in zip(attribute.publish, whats, strict=True):
            of = f"{what} {attribute.name} of the range" if what != "code" else listed or f"{attribute.name}, a code"
            more = ", ..." if what == "code" and len(said) > _MOST_MEANINGS else ""
            beside = "".join(f"; {code} beside ranges" for code in attribute.beside) if what != "code" else ""
            meanings[column] = f"{of}{more}{beside}; {attribute.total} for {every}"
    return meanings


def folders_of(ladder: Ladder) -> dict[str, str]:
    """The folders of a ladder's totals, if these are no rows of its table, and table: by what statements call these."""
    return ({} if ladder.totals_folder is None else {"t1": ladder.totals_folder}) | {"t2": ladder.folder}


def ladder_files(parameters: Parameters, ladder: Ladder, made: str = "") -> dict[str, str]:
    """The places of the files of one ladder in a release, and the statements whose rows they hold.

    Those beside its tables come last. made: of what `reconcile` makes of a release, what statements of tables begin
    with.
    """
    tables = {f"{folder}/{folder}.parquet": f"{made}{name}" for name, folder in folders_of(ladder).items()}
    of_release = [name for name in BESIDE if name != MEASUREMENTS or parameters.publish_stage_1]
    beside, own = (GROUP_INDEX,) if made else of_release, ladder.totals_folder or ladder.folder
    return tables | {f"{folder}/{own}.parquet": folder for folder in beside}


# --- CSV on the Web ---


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
    tables = [each.cells for each in ladder.statistics]
    tables += ladder.subtotals if isinstance(ladder.subtotals, tuple) else ()
    for grouping in sorted({grouping for cells in tables for name, grouping in cells if name == attribute.name}):
        of_values = attribute.grouping(grouping)
        for place, (code,) in enumerate(of_values.codes):
            held = [value for value, group in zip(attribute.values, of_values.members, strict=False) if group == place]
            listed = ", ".join(meanings.get(value, value) for value in held)
            found.setdefault(code, meanings.get(code) or listed or f"{attribute.name} {code}")
    return found


# --- the files of a folder, beside what its manifest says of them ---


def file_digests(folder: Path) -> Digests:
    """Place and SHA-256 of every file below a folder, in the order of their places, without litter."""
    places = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    files = sorted(place.as_posix() for place in places if not is_litter(place))
    return tuple(Digest(file, sha256_of(folder / file)) for file in files)


def text_digests(file: Path) -> set[str]:
    """SHA-256 of a text whose lines may have got other ends: as Unix ends a line, and as Windows does."""
    text = re.sub(rb"\r*\n|\r", b"\n", file.read_bytes().removeprefix(BOM_UTF8)).rstrip(b"\n") + b"\n"
    return {hashlib.sha256(each).hexdigest() for each in (text, text.replace(b"\n", b"\r\n"))}


def denials(folder: Path, named: Digests) -> list[Problem]:
    """A problem for each Parquet file of a release that says that it may not be published, or that cannot be read.

    For a release whose manifest says the reverse. A digest covers the word of a file; a manifest can be edited.
    """
    problems, fix = [], "do not publish it; take the release as it was made"
    what = f"says that it is of no release to be published; {MANIFEST} says the reverse"
    for file in [folder / each.file for each in named if each.file.endswith(".parquet")]:
        try:
            problems += [Problem(str(file), what, fix)] if file.is_file() and is_denied(file) else []
        except (OSError, pa.ArrowException) as error:
            problems.append(Problem(str(file), f"is no Parquet file that can be read: {error}", fix))
    return problems


def file_differences(folder: Path, named: Digests) -> list[Problem]:
    """Files of a folder that are missing, others than its manifest names, or not named in it.

    Litter, what git keeps, and a signature of `ssh-keygen -Y sign` are passed over.
    """
    there = [each for each in file_digests(folder) if each.file not in (MANIFEST, f"{MANIFEST}.sig")]
    found = {each.file: each.sha256 for each in there if not each.file.startswith(".git")}
    wanted, problems = {each.file: each.sha256 for each in named}, []
    for file in sorted(file for file in wanted.keys() | found.keys() if found.get(file) != wanted.get(file)):
        fix = "take the release as it was made, whole"
        if file not in found:
            what = "is missing; the manifest names it"
        elif file not in wanted:
            what, fix = "is not named in the manifest", "remove it, if the run did not write it"
        elif wanted[file] in text_digests(folder / file):
            what = "has other line ends (or a byte-order mark) than the file that the manifest names"
            what += "; nothing else has changed"
            fix += "; git leaves line ends as they are where .gitattributes says: * -text"
        else:
            what = f"has another SHA-256 ({found[file]}) than the manifest says ({wanted[file]})"
        problems.append(Problem(str(folder / file), what, fix))
    return problems
