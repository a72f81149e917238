"""What the JSON Schemas of manifests have in common."""

from collections.abc import Mapping

from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.public import json_schema as of
from safetab_sql.public.about import ABOUT_KEYS
from safetab_sql.public.json_schema import Schema

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
OBJECT: Schema = {"type": "object"}
LIST: Schema = {"type": "array"}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_DAY: Schema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


def members(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these members alone."""
    properties = {**needed, **(optional or {})}
    return of.table(properties, properties, needed)


def made() -> dict[str, Schema]:
    """What every manifest ends with."""
    return {"files": digests(), "software": of.tables(TEXT), "date": _DAY}


def about() -> Schema:
    """The texts of the publisher."""
    texts: dict[str, Schema] = {key: {"type": ["string", "null"]} for key in ABOUT_KEYS}
    return members({**texts, "is_simulated": FLAG})


def digests() -> Schema:
    """Files with their SHA-256."""
    return of.listed(members({"file": TEXT, "sha256": _SHA256}), least=0)


def with_person(schema: Schema) -> Schema:
    """An object whose members have this schema, by name: of one record, and of one person, where null means unknown."""
    person: Schema = {"anyOf": [schema, {"type": "null"}]}
    return {**of.tables(schema), "properties": {ONE_PERSON: person}, "required": [ONE_RECORD, ONE_PERSON]}


def exact() -> Schema:
    """A number as exact text, and as a decimal that is not below it."""
    return members({"exact": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"}, "decimal": TEXT})
