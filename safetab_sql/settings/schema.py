"""The JSON Schemas of files, made from their models: with these, editors check and complete what users write.

A schema knows keys, types and ranges of single settings. What settings mean together the models know, which refuse
everything that a schema refuses. Source: json-schema.org, draft 2020-12.
"""

from collections.abc import Collection, Mapping
from typing import Any

from safetab_sql.settings.reading import BASE
from safetab_sql.settings.tables import required_keys

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_schema(title: str, kind: type, conditions: Collection[Mapping[str, object]] = ()) -> dict[str, object]:
    """The schema of a file. kind: its model. conditions: of a file that is not laid over another one.

    Such a file has all keys that its tables require.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415  (loaded by whoever asks for a schema)

    whole = _tidy(TypeAdapter(kind).json_schema())
    needed = {"required": list(required_keys(kind))} if required_keys(kind) else {}
    alone = [each for each in (_required(whole), needed, *conditions) if each]
    over = {"if": {"not": {"required": [BASE]}}, "then": {"allOf": alone}}
    return {"$schema": DIALECT, "title": title, **_optional(whole), **over}


def written_schema(title: str, kind: Any) -> dict[str, object]:
    """The schema of a file that a command writes. kind: its model, or a union of models."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    return {"$schema": DIALECT, "title": title, **_tidy(TypeAdapter(kind).json_schema())}


def _tidy(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without the titles and defaults that pydantic adds."""
    found = {key: value for key, value in schema.items() if key not in ("title", "default")}
    if "patternProperties" in found:
        found["additionalProperties"] = False
    shared = {name: _tidy(each) for name, each in found.get("$defs", {}).items()}
    return _below({**found, **({"$defs": shared} if shared else {})}, _tidy)


def _optional(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema none of whose keys is required."""
    return _below({key: value for key, value in schema.items() if key != "required"}, _optional)


def _below(schema: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """A schema whose inner ones are changed."""
    found = dict(schema)
    for key, value in schema.items():
        if key in ("properties", "patternProperties"):
            found[key] = {name: change(each) for name, each in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            found[key] = change(value)
        elif key == "anyOf":
            found[key] = [change(each) for each in value]
    return found


def _required(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a schema requires, and the schemas in it; nothing where there are none."""
    below = {key: _required(each) for key, each in schema.get("properties", {}).items()}
    needed = {key: each for key, each in below.items() if each}
    inner = {
        key: found
        for key in ("items", "additionalProperties")
        if isinstance(schema.get(key), Mapping) and (found := _required(schema[key]))
    }
    required = {"required": schema["required"]} if "required" in schema else {}
    either = [_required(each) for each in schema.get("anyOf", ())]
    return {
        **required,
        **({"properties": needed} if needed else {}),
        **inner,
        **({"anyOf": either} if any(either) and all(either) else {}),
    }
