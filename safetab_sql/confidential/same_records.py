"""How a ledger knows that the parts of two runs hold different records: both read the same records, divided alike."""

import hashlib
import json
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from safetab_sql.kit.objects import is_object
from safetab_sql.public.sources import Source, partition
from safetab_sql.settings.parameters import Parameters


def records_sha256(parameters: Parameters, persons: Source, geography: Source) -> str:
    """Digest of everything that decides which records a run counts in which part, exactly.

    Person files and geography by their bytes, the columns of the place, the parts, and which records count. It follows
    from the records, so it belongs into the custodian's ledger and into nothing that is given away.

    Empty where it cannot matter, because the run has every part of its geography; where a person may have records in
    several parts; and where the bytes are not at hand: in object storage and in tables of databases.
    Source: accounting.md section 8.4.
    """
    places = parameters.geography
    if (
        len(places.run) == len(places.parts)
        or parameters.unit.person is not None
        or not (_is_at_hand(persons) and _is_at_hand(geography))
    ):
        return ""
    said = {
        "files": [_digests(source) for source in (persons, geography)],
        "place": [asdict(column) for column in places.place],
        "parts": [asdict(part) for part in places.parts],
        "elsewhere": dict(places.elsewhere),
        "unit": asdict(parameters.unit),
        "attributes": [asdict(attribute) for attribute in parameters.attributes],
        "questions": asdict(parameters.questions),
        "software": metadata.version("safetab-sql"),  # which reads place and parts
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_at_hand(source: Source) -> bool:
    return source.table is None and not any(map(is_object, source.files))


def _digests(source: Source) -> list[list[object]]:
    """Of each file, in any order of the files: the columns in the names of its folders, and its SHA-256."""
    return sorted([sorted(partition(file.parent).items()), _sha256(file)] for file in source.files)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
