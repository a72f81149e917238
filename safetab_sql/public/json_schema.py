"""Parts of the JSON Schemas of the manifests. Source: json-schema.org, draft 2020-12."""

from collections.abc import Collection, Mapping
from re import Pattern

Schema = Mapping[str, object]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def table(keys: Collection[str], properties: Mapping[str, Schema], required: Collection[str] = ()) -> Schema:
    """A table with these keys alone. properties: of each. Raises: ValueError where they are others than the keys."""
    if set(keys) != set(properties):
        raise ValueError(f"keys of a table without a schema, or the reverse: {set(keys) ^ set(properties)}")
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), **needed}


def tables(each: Schema, name: Pattern[str] | None = None, description: str | None = None, least: int = 0) -> Schema:
    """A table whose keys are chosen freely, with values that are alike. name: what its keys look like."""
    names = {} if name is None else {"propertyNames": {"pattern": whole(name)}}
    few = {"minProperties": least} if least else {}
    return {"type": "object", "additionalProperties": each, **names, **few, **_said(description)}


def listed(each: Schema, description: str | None = None, least: int = 1) -> Schema:
    """A list of values that are alike."""
    return {"type": "array", "items": each, "minItems": least, **_said(description)}


def text(description: str | None = None, pattern: Pattern[str] | None = None) -> Schema:
    """Text that is not empty. pattern: what all of it looks like."""
    return {"type": "string", "pattern": r"\S" if pattern is None else whole(pattern), **_said(description)}


def choice(allowed: Collection[str], description: str | None = None) -> Schema:
    """One of some texts."""
    return {"enum": list(allowed), **_said(description)}


def switch(description: str | None = None) -> Schema:
    """True or false."""
    return {"type": "boolean", **_said(description)}


def number(least: int, most: int, description: str | None = None) -> Schema:
    """A whole number in a range, both ends in it."""
    return {"type": "integer", "minimum": least, "maximum": most, **_said(description)}


def present(key: str) -> Schema:
    """The condition that a table has this key."""
    return {"required": [key]}


def whole(pattern: Pattern[str]) -> str:
    """A pattern that matches what `pattern` matches from end to end."""
    return f"^(?:{pattern.pattern})$"


def _said(description: str | None) -> dict[str, str]:
    return {} if description is None else {"description": description}
