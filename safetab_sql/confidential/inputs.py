"""The inputs of a run: public ones, person files and published totals, and who vouches for these."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from safetab_sql.confidential.records import find_records, unread_folders
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.checks import checks_made
from safetab_sql.public.columns import PERSON_ID
from safetab_sql.public.gate import Confidential, Public, public_source, records_at, release_of
from safetab_sql.public.inputs import (
    FoundInputs,
    InputPaths,
    Intake,
    attempt,
    code_lists_of,
    opened_inputs,
    public_parameters,
)
from safetab_sql.public.readers import REGION_NAMES, TOTALS, person_columns
from safetab_sql.public.sources import Source, partition
from safetab_sql.public.text_files import source_columns
from safetab_sql.settings.ladders import amounts
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

OPTION, VOUCHED = "--totals", "--totals-are-public"
_LEAVE_OUT = 'leave it out, or say choose = "published" in a ladder'
_FIX = "name a release, or its totals: OUT, OUT/t1/t1.parquet, or production's pop-group-totals.txt"


def checked_inputs(
    paths: InputPaths, resources: Resources, progress: Progress = SILENT, problems: Sequence[Problem] = ()
) -> AbstractContextManager[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: problems found before. Raises: InputError with every problem of files and parameters; if there is none,
    with every problem of the data. Problems of the data and warnings also go to the confidential log.
    """
    return opened_inputs(_found(paths, problems), resources, progress)


def inputs_in_parts(
    paths: InputPaths, resources: Resources, progress: Progress = SILENT, table: str | None = None
) -> AbstractContextManager[Intake]:
    """The inputs of people who are counted in parts: as `checked_inputs`, but for the checks that the parts make.

    table: what messages call the persons where their file holds columns and no record, because the parts alone can read
    them: then no check looks at records here. Raises: InputError.
    """
    made = [file for file in checks_made(in_parts=False) if table is None or "whole" not in file.fields]
    return opened_inputs(_found(paths, (), table or str(paths.persons)), resources, progress, made)


def _found(paths: InputPaths, problems: Sequence[Problem], table: str | None = None) -> FoundInputs:
    """The files that `paths` names. table: as above. Raises: InputError with `problems` and every further one."""
    found = list(problems)
    records = records_at(paths.persons)
    parameters = attempt(found, lambda: public_parameters(paths.parameters, records))
    wanted = {} if parameters is None else person_columns(parameters)
    persons = attempt(found, lambda: find_records(paths.persons, wanted))
    geography = attempt(found, lambda: public_source("geography", paths.geography, records))
    lists = attempt(found, lambda: code_lists_of(paths.parameters, paths.code_lists, parameters, records))
    totals = names = None
    if parameters is not None and lists is not None:
        totals = attempt(found, lambda: public_totals(paths, parameters, lists, records))
    if (given := paths.region_names) is not None:
        names = attempt(found, lambda: public_source(REGION_NAMES, given, records))
    named = {"geography": geography, **(lists or {}), TOTALS: totals, REGION_NAMES: names}
    public = {name: each for name, each in named.items() if each is not None}
    if found or parameters is None or persons is None:
        raise InputError(found)
    persons = persons if table is None else replace(persons, given=table)
    warnings = list(unread_folders(persons.given, persons.files, wanted)) if persons.is_parquet else []
    if parameters.unit.id is None:
        with suppress(InputError, OSError):
            warnings += several_rows(persons.given, parameters.unit, source_columns(persons), wanted)
    return parameters, {"persons": persons, **public}, warnings


def several_rows(given: str, unit: Unit, stored: Collection[str], read: Collection[str]) -> list[Problem]:
    """A warning where a record is called a person, and a column that nothing reads may hold the id of a person.

    stored: the columns of the records. read: those that are read, an id that may not stand twice among them.
    """
    names = [name for name in stored if name not in read and PERSON_ID.fullmatch(name.lower())]
    if not unit.is_person or unit.id is not None or not names:
        return []
    what = f"each row is taken for one {unit.one}, and {', '.join(names)} looks like the id of a person"
    fix = f'if nobody has two rows, write [unit] id = "{names[0]}"; if not, person = "{names[0]}", and most_records'
    return [Problem(given, what, fix)]


def public_totals(
    paths: InputPaths, parameters: Parameters, lists: Mapping[str, Public], records: Confidential
) -> Public | None:
    """The totals that pick tables; None where no ladder asks for any. lists: the code lists of the run.

    Raises: InputError where totals are asked for and not given, or the reverse; where they may not pass the gate; where
    neither a manifest nor the user vouches for them; or where their release was made with other code lists.
    """
    given, wanted = paths.totals, [ladder.name for ladder in parameters.ladders if ladder.choose == "published"]
    folder = Path(str(given))
    has_t1 = given is not None and (folder / "t1").is_dir()
    if given is not None and wanted and not has_t1 and (folder / "manifest.json").is_file():
        fix = "name its folder of totals, such as OUT/sums, which the ladder has that says totals"
        raise InputError([Problem(str(given), "has a manifest.json, and no folder t1", fix)])
    totals = None if given is None else public_source(TOTALS, folder / "t1" if has_t1 else given, records)
    refuse(list(_option_problems(paths, wanted)))
    if totals is None:
        return None
    manifest = release_of(totals)
    if manifest is None and not paths.totals_are_public:
        what = "no manifest beside it says of which release it is"
        fix = f"{_FIX}; or, if somebody else has published these totals, say {VOUCHED}: the run is then not releasable"
        raise InputError([Problem(str(given), what, fix)])
    refuse(_list_problems(str(given), manifest or {}, lists))
    return totals


def _option_problems(paths: InputPaths, wanted: Sequence[str]) -> Iterator[Problem]:
    """Options that are missing, or that have no effect. wanted: the ladders whose tables published totals pick."""
    if paths.totals is None and wanted:
        yield Problem(OPTION, f"not given, and published totals pick the tables of {', '.join(wanted)}", _FIX)
    if paths.totals is not None and not wanted:
        yield Problem(OPTION, "given, and published totals pick no table", _LEAVE_OUT)
    if paths.totals is None and paths.totals_are_public:
        yield Problem(VOUCHED, f"has no effect without {OPTION}", "leave it out")


def _list_problems(given: str, manifest: Mapping[str, Any], lists: Mapping[str, Public]) -> list[Problem]:
    """The code lists of the run that differ from those that the totals were made with."""
    problems, inputs = [], manifest.get("public_inputs")
    for name, public in lists.items():
        known = {file.get("sha256") for file in inputs.get(name, [])} if isinstance(inputs, Mapping) else set()
        if known and known != {sha256_of(file) for file in public.files}:
            what = f"was made with another {name} than {public.given}: the digests differ"
            problems.append(Problem(given, what, "name totals of the same code lists"))
    return problems


def records_sha256(parameters: Parameters, persons: Source, geography: Source) -> str:
    """Digest of all that decides which records are in which part: so a ledger knows that parts of two runs hold others.

    Of the bytes of person files and geography, the columns of the place, the parts, and which records count. It follows
    from the records, so it belongs into the custodian's ledger and into nothing that is given away. Empty where the run
    has every part of its geography; where a person may have records in several parts; and where the bytes are not at
    hand, in tables of databases. Source: accounting.md section 8.4.
    """
    places = parameters.geography
    is_in_databases = any(source.table is not None for source in (persons, geography))
    if len(places.run) == len(places.parts) or parameters.unit.person is not None or is_in_databases:
        return ""
    said = {
        # Of each file, in any order of the files: the columns in the names of its folders, and its SHA-256.
        "files": [
            sorted([sorted(partition(file.parent).items()), sha256_of(file)] for file in source.files)
            for source in (persons, geography)
        ],
        "place": [asdict(column) for column in places.place],
        "parts": [asdict(part) for part in places.parts],
        "elsewhere": dict(places.elsewhere),
        "unit": asdict(parameters.unit),
        "attributes": [asdict(attribute) for attribute in parameters.attributes],
        "questions": asdict(parameters.questions),
        **({"amounts": [asdict(amount) for amount in added]} if (added := amounts(parameters.ladders)) else {}),
        "software": metadata.version("safetab-sql"),  # which reads place and parts
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
