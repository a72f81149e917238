"""The inputs of a run: public ones, and the person files beside them."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from importlib import metadata

from safetab_sql.confidential.records import find_records, unread_folders
from safetab_sql.confidential.totals import public_totals
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.checks import checks_of_the_whole
from safetab_sql.public.columns import PERSON_ID
from safetab_sql.public.gate import public_source, records_at
from safetab_sql.public.inputs import (
    FoundInputs,
    InputPaths,
    Intake,
    attempt,
    code_lists_of,
    opened_inputs,
    public_parameters,
)
from safetab_sql.public.published_totals import TOTALS
from safetab_sql.public.readers import REGION_NAMES, person_columns
from safetab_sql.public.sources import Source, partition
from safetab_sql.public.text_files import source_columns
from safetab_sql.settings.ladders import amounts
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit


@contextmanager
def checked_inputs(
    paths: InputPaths, resources: Resources, progress: Progress = SILENT, problems: Sequence[Problem] = ()
) -> Iterator[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: problems found before. Raises: InputError with every problem of files and parameters; if there is none,
    with every problem of the data. Problems of the data and warnings also go to the confidential log.
    """
    with opened_inputs(_found(paths, problems), resources, progress) as intake:
        yield intake


@contextmanager
def inputs_in_parts(
    paths: InputPaths,
    resources: Resources,
    progress: Progress = SILENT,
    problems: Sequence[Problem] = (),
    table: str | None = None,
) -> Iterator[Intake]:
    """The inputs of people who are counted in parts: as `checked_inputs`, but for the checks that the parts make.

    table: what messages call the persons where their file holds columns and no record, because the parts alone can read
    them: then no check looks at records here. Raises: InputError.
    """
    refuse(problems)
    found = _found_of_table(paths, table or str(paths.persons))
    made = [file for file in checks_of_the_whole() if table is None or "whole" not in file.fields]
    with opened_inputs(found, resources, progress, made) as intake:
        yield intake


def _found(paths: InputPaths, problems: Sequence[Problem]) -> FoundInputs:
    """The files that `paths` names. Raises: InputError with `problems` and every further one."""
    found = list(problems)
    records = records_at(paths.persons)
    parameters = attempt(found, lambda: public_parameters(paths.parameters, records))
    wanted = {} if parameters is None else person_columns(parameters)
    persons = attempt(found, lambda: find_records(paths.persons, wanted))
    geography = attempt(found, lambda: public_source("geography", paths.geography, records))
    lists = attempt(found, lambda: code_lists_of(paths.parameters, paths.code_lists, parameters, records))
    totals = names = None
    if parameters is not None and lists is not None:
        are_public = paths.totals_are_public
        totals = attempt(found, lambda: public_totals(paths.totals, parameters, lists, records, are_public=are_public))
    if (given := paths.region_names) is not None:
        names = attempt(found, lambda: public_source(REGION_NAMES, given, records))
    named = {"geography": geography, **(lists or {}), TOTALS: totals, REGION_NAMES: names}
    public = {name: each for name, each in named.items() if each is not None}
    if found or parameters is None or persons is None:
        raise InputError(found)
    warnings = list(unread_folders(persons.given, persons.files, wanted)) if persons.is_parquet else []
    if parameters.unit.id is None:
        with suppress(InputError, OSError):
            warnings += several_rows(persons.given, parameters.unit, source_columns(persons), wanted)
    return FoundInputs(parameters, public, {"persons": persons}, tuple(warnings))


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


def _found_of_table(paths: InputPaths, table: str) -> FoundInputs:
    """As `_found`; it calls the file of the persons by the name of their table."""
    file = str(paths.persons)
    try:
        found = _found(paths, ())
    except InputError as error:
        named = [replace(each, what=each.what.replace(file, table)) for each in error.problems]
        raise InputError([replace(each, where=table) if each.where == file else each for each in named]) from error
    return replace(found, records={name: replace(each, given=table) for name, each in found.records.items()})


def records_sha256(parameters: Parameters, persons: Source, geography: Source) -> str:
    """Digest of everything that decides which records a run counts in which part, exactly.

    By it a ledger knows that the parts of two runs hold different records: both read the same records, divided alike.

    Person files and geography by their bytes, the columns of the place, the parts, and which records count. It follows
    from the records, so it belongs into the custodian's ledger and into nothing that is given away.

    Empty where it cannot matter, because the run has every part of its geography; where a person may have records in
    several parts; and where the bytes are not at hand, in tables of databases.
    Source: accounting.md section 8.4.
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
