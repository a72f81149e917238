"""Parts of JSON Schemas of the TOML files, with which editors check and complete them.

A schema knows keys, types and ranges of single settings. What settings mean together the readers know, which refuse
everything that a schema refuses. Each schema takes its keys from its reader. Source: json-schema.org, draft 2020-12.
"""

from collections.abc import Collection, Mapping
from re import Pattern

from safetab_sql.public.about import ABOUT_KEYS, LONGEST
from safetab_sql.public.settings import BASE

Schema = Mapping[str, object]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DECIMAL_TEXT = r"^[+-]?[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?$"


def toml_file(title: str, content: Schema, conditions: Collection[Schema]) -> Schema:
    """The schema of a TOML file. title: what it describes. conditions: of a file that is not laid over another one."""
    return {
        "$schema": DIALECT,
        "title": title,
        **content,
        "if": {"not": present(BASE)},
        "then": {"allOf": list(conditions)},
    }


def base() -> Schema:
    """The key by which a file names another one."""
    return text("a TOML file in the same folder, over which this one is laid")


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


def texts(description: str | None = None) -> Schema:
    """A list of texts."""
    return listed({"type": "string"}, description)


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


def decimal(
    most: int, description: str | None = None, *, is_zero_allowed: bool, is_most_allowed: bool = True
) -> Schema:
    """A decimal number, or the text of one, from 0 up to a largest value."""
    lower = {"minimum" if is_zero_allowed else "exclusiveMinimum": 0}
    upper = {"maximum" if is_most_allowed else "exclusiveMaximum": most}
    as_text = {"type": "string", "pattern": _DECIMAL_TEXT}
    return {"anyOf": [{"type": "number", **lower, **upper}, as_text], **_said(description)}


def about_properties() -> dict[str, Schema]:
    """The texts of a publisher."""
    what = {
        "title": "of the release, in its manifest and its report",
        "publisher": "who publishes it",
        "contact": "whom to ask",
        "note": "whom it counts, when, under which law",
        "is_simulated": "true: the people are made up, and the report says so",
    }
    lengths: dict[str, Schema] = {key: {"maxLength": most} for key, most in LONGEST.items()}
    return {key: {**text(what[key]), **lengths[key]} if key in lengths else switch(what[key]) for key in ABOUT_KEYS}


def present(key: str) -> Schema:
    """The condition that a table has this key."""
    return {"required": [key]}


def whole(pattern: Pattern[str]) -> str:
    """A pattern that matches what `pattern` matches from end to end."""
    return f"^(?:{pattern.pattern})$"


def _said(description: str | None) -> dict[str, str]:
    return {} if description is None else {"description": description}
