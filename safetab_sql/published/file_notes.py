"""What a published Parquet file says of itself, so that it explains itself where it stands alone.

Its key-value metadata say whose release it is, what its rows are, what it cost and which noise its counts have; the
Arrow schema among them describes each column. The digests of the files stand in the manifest, so a file cannot hold the
digest of the whole manifest: it holds the digest of the manifest without its members `files`, `releasable` and
`accounted`, which is known before any file is written.
"""

import hashlib
import json
import re
from base64 import b64encode
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
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
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

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


def _of_noise(
    manifest: Mapping[str, Any], counted: str, noise: object, rules: Sequence[str], day: date
) -> dict[str, str]:
    return {
        **_of_every_release(manifest, counted, day),
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


# The files of a folder, beside what its manifest says of them.


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
