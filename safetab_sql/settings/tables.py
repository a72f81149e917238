"""Tables of files that users write, as frozen dataclasses that pydantic reads.

From the same dataclasses come the JSON Schemas (`jobs/schema.py`). Manifests, which commands write, are such tables
too. A table may have class methods: `exclusive` names pairs of keys of which one may stand in it, `keys_amiss` says
what is wrong with the keys that do, and `filled` adds to them; and methods: `amiss` says what is wrong with its values
together, and `completed` gives it the values that follow from others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, get_args, get_type_hints

from safetab_sql.settings.markers import Name
from safetab_sql.settings.wrong import Wrong, checked_table, core, line, lines_of, together, unknown_key, wrong_table

INLINE = "inline"  # marker of a field whose keys stand in the table itself
REQUIRED = "required"  # marker of a key of a file that has to be there; its default stands in where it is not

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key:
    """Marker of a field that has another name in the file."""

    name: str


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def table(made: type[T]) -> type[T]:
    """A frozen dataclass that is read from a table of a file: a key of the table for each field."""
    made = dataclass(frozen=True, slots=True)(made)
    made.__get_pydantic_core_schema__ = classmethod(_table_schema)  # type: ignore[attr-defined]
    made.__get_pydantic_json_schema__ = classmethod(_table_json_schema)  # type: ignore[attr-defined]
    return made


def inline_fields(kind: type) -> dict[str, type]:
    """The fields of a table whose own keys stand in it, with their tables."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: get_args(hint)[0] for name, hint in hints.items() if INLINE in getattr(hint, "__metadata__", ())}


def keys_of(kind: type) -> tuple[str, ...]:
    """The keys of a table, without the one that is its name."""
    hints, inline = get_type_hints(kind, include_extras=True), inline_fields(kind)
    listed: list[str] = []
    for each in fields(kind):
        marks = getattr(hints[each.name], "__metadata__", ())
        if each.name in inline:
            listed += keys_of(inline[each.name])
        elif not any(isinstance(mark, Name) for mark in marks):
            listed.append(key_of(each.name, marks))
    return tuple(listed)


def key_of(name: str, marks: Iterable[object]) -> str:
    """The key of a field in the file: its name, if no marker says otherwise."""
    return next((mark.name for mark in marks if isinstance(mark, Key)), name)


def required_keys(kind: type) -> tuple[str, ...]:
    """The keys that a file must have."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(name for name, hint in hints.items() if REQUIRED in getattr(hint, "__metadata__", ()))


def _table_schema(kind: Any, source: Any, handler: Any) -> Any:
    known, inline = keys_of(kind), inline_fields(kind)
    hints = get_type_hints(kind, include_extras=True)
    keys = {name: key_of(name, getattr(hint, "__metadata__", ())) for name, hint in hints.items()}
    names = {keys[each.name] for each in fields(kind)} - set(inline)
    inside = {name: set(keys_of(below)) for name, below in inline.items()}

    def read(value: object, handler: Any) -> Any:
        if isinstance(value, kind):
            return value
        given = checked_table(value)
        errors = [line((key,), unknown_key(known)) for key in given if key not in {*known, *names}]
        errors += _complaints(kind, "keys_amiss", given)
        filled = kind.filled(given) if hasattr(kind, "filled") else given
        rest = {key: each for key, each in filled.items() if key in names}
        rest |= {name: {key: given[key] for key in given if key in keys} for name, keys in inside.items()}
        try:
            found = handler(rest)
        except ValueError as error:
            errors += lines_of(error, inline)
        else:
            errors += _complaints(found, "amiss")
        if errors:
            raise together(errors)
        return found.completed(given) if hasattr(found, "completed") else found

    # Where a table stands in several places, pydantic refers to it by `ref`: to all of it, and not to the inner schema.
    inner = dict(handler.resolve_ref_schema(handler(source)))
    for each in inner["schema"]["fields"]:
        name, below = each["name"], each["schema"]
        each.update({"validation_alias": keys[name]} if keys[name] != name else {})
        if name in inline and below["type"] != "default":  # not a reference: its JSON Schema is needed here
            found = handler.resolve_ref_schema(below)
            each["schema"] = {key: value for key, value in found.items() if key != "ref"}
    return core().no_info_wrap_validator_function(read, inner, ref=inner.pop("ref", None))


def _table_json_schema(kind: Any, schema: Any, handler: Any) -> Any:
    found = handler.resolve_ref_schema(handler(schema))
    properties: dict[str, Any] = dict(found.get("properties", {}))
    required = list(found.pop("required", ()))
    for name in inline_fields(kind):
        below = handler.resolve_ref_schema(properties.pop(name))
        properties |= below["properties"]
        required += below.get("required", ()) if name in required else ()
    required = [name for name in required if name in properties]
    exclusive = kind.exclusive() if hasattr(kind, "exclusive") else ()
    found |= {"allOf": [{"not": {"required": [*pair]}} for pair in exclusive]} if exclusive else {}
    found |= {"properties": properties, "additionalProperties": False}
    found |= {"required": required} if required else {}
    for unwanted in ("title", "description"):
        found.pop(unwanted, None)
    return found


def _complaints(of: Any, method: str, *given: object) -> list[Any]:
    complaints: Iterable[Wrong] = getattr(of, method)(*given) if hasattr(of, method) else ()
    return [line(each.place, wrong_table(each.what, each.fix)) for each in complaints]
