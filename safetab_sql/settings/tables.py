"""Tables of files that users write, as frozen dataclasses that pydantic reads: a key of a table for each field.

From the same dataclasses come the JSON Schemas (`jobs/schema.py`). Manifests, which commands write, are such tables
too. A marker in the annotation of a field says what the values of its key are, and what to do about any other; a text,
what the key means.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, dataclass_transform, get_args, get_type_hints

from pydantic import ConfigDict, GetPydanticSchema, TypeAdapter, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

LARGEST_TABLE = 1_000  # settings
T = TypeVar("T")
adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


class Wrong(NamedTuple):
    """One thing that is wrong with a table, or with what stands at `place` below it. what: found. fix: to do about it.

    of: what `what` speaks of. It follows the name of the key where it is of a key; a name is one that a user chose for
    a key. Of a key that is not known, `known` are those that are.
    """

    what: str
    fix: str
    place: tuple[str | int, ...] = ()
    of: Literal["table", "key", "name", "unknown", "missing"] = "table"
    known: tuple[str, ...] = ()


class Amiss(ValueError):  # noqa: N818  (pydantic takes it for what is wrong with a value)
    """All that is wrong with a value: each argument is a `Wrong`."""


def no_value(value: object, fix: str) -> Amiss:
    """That a value is none. fix: what to write."""
    return Amiss(Wrong(f"is {shown(value)}", fix, of="key"))


def wrongs_of(error: Any) -> Iterator[Wrong]:
    """All that is wrong according to an error of pydantic."""
    for each in error.errors(include_url=False):
        place, found = each["loc"], each.get("ctx", {}).get("error")
        place = place[:-1] if place[-1:] == ("[key]",) else place  # how pydantic says that the key itself is wrong
        if isinstance(found, Amiss):
            yield from (wrong._replace(place=(*place, *wrong.place)) for wrong in found.args)
        elif each["type"] == "missing":
            yield Wrong("is missing", "", place, "missing")
        else:
            is_none_of = each["type"] == "literal_error"
            fix = f"write one of {each['ctx']['expected'].replace(' or ', ', ')}" if is_none_of else each["msg"]
            yield Wrong(f"is {shown(each['input'])}", fix, place, "key")


def repeated(values: Iterable[T]) -> list[T]:
    """The values that stand in it more than once."""
    return [value for value, count in Counter(values).items() if count > 1]


def shown(value: object) -> str:
    """The value as a message shows it: as Python writes what files hold, or a tuple as a list; cut if it is long."""
    try:
        text = repr(list(value) if isinstance(value, tuple) else value)
    except ValueError:  # Python does not print integers of more than 4300 digits; TOML can write them in hex
        return "an enormous integer"
    except RecursionError:
        return "a list of lists of lists, and so on"
    return text if len(text) <= 80 else f"{text[:80]}..."


def checked_table(value: object) -> Mapping[str, object]:
    """`value`, if it is a table. Raises: Amiss."""
    if not isinstance(value, Mapping):
        raise no_value(value, "make it a table")
    return value


# Markers.


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """How a value is read. read: the value, from what stands in a file and the reader of its type. Raises: ValueError.

    inner: the type that stands in the file, where it is another than the one that is marked. says: what the JSON Schema
    says beside what it says of the type. said: what stands in the file, from the value, where a command writes it.
    is_name: whether it is no value but the key under which the table stands.
    """

    read: Callable[[Any, Any], Any]
    inner: Any = None
    says: Mapping[str, object] = field(default_factory=dict)
    said: Callable[[Any], Any] | None = None
    is_name: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler(source) if self.inner is None else handler.generate_schema(self.inner)
        return core_schema.no_info_wrap_validator_function(self.read, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), **self.says}


# The marker of a field whose keys stand in the table itself, to which therefore nothing refers.
INLINE = GetPydanticSchema(
    lambda kind, read: {key: each for key, each in read.resolve_ref_schema(read(kind)).items() if key != "ref"}
)


def via(kind: Any, made: Callable[[Any], Any] = lambda read: read, said: Any = None) -> Marker:
    """The marker of a value that stands in a file as a value of another type. made: the value. said: see `Marker`."""
    return Marker(lambda value, handler: made(handler(value)), kind, said=said)


def depending(on: Callable[[object], bool], first: Any, other: Any) -> Marker:
    """The marker of a value of one of two types. on: whether it is the first, from the value."""
    # The union is what the JSON Schema is made from; nothing is left to it.
    return Marker(lambda value, _: adapter(first if on(value) else other).validate_python(value), first | other)


def checked(check: Callable[[Any], Iterable[Wrong]], says: Mapping[str, object] | None = None) -> Marker:
    """The marker of a value with a check, whose words follow the name of the key. says: in the JSON Schema."""

    def read(value: object, handler: Any) -> object:
        found = handler(value)
        if wrong := [each._replace(of="key") for each in check(found)]:
            raise Amiss(*wrong)
        return found

    return Marker(read, says=says or {})


def sized(
    least: int, most: int = LARGEST_TABLE, what: str = "", fix: str = "", *, kinds: Any = (list, tuple)
) -> Marker:
    """The marker of a list of at least `least` and at most `most` entries; what and fix: where it has others."""

    def read(value: object, handler: Any) -> object:
        if not isinstance(value, kinds):
            raise no_value(value, fix)
        if not least <= len(value) <= most:
            raise Amiss(Wrong(what.format(len(value)), fix)) if what else no_value(value, fix)
        return handler(value)

    return Marker(read, says={"minProperties" if Mapping in kinds else "minItems": least} if least else {})


sized_table = partial(sized, kinds=(list, tuple, Mapping))


def named(key: str = "name", *, is_list: bool = False) -> GetPydanticSchema:
    """The marker of a table of tables: a tuple of these, each with its key as `key`. is_list: as a list of that one."""

    def read(value: object, handler: Any) -> tuple[object, ...]:
        tables = checked_table(value)
        if len(tables) > LARGEST_TABLE:
            raise no_value(value, f"at most {LARGEST_TABLE:,} settings stand in a table")
        given = {name: each for name, each in tables.items() if isinstance(each, Mapping)}
        what, fix = f"unknown key '{key}'", "remove it: the table has its name"
        if twice := [Wrong(what, fix, (name,)) for name, each in given.items() if key in each]:
            raise Amiss(*twice)
        called = {name: {key: [name] if is_list else name, **each} for name, each in given.items()}
        return tuple(handler({**tables, **called}).values())

    def schema(source: Any, handler: Any) -> Any:
        inner = handler.generate_schema(dict[str, Annotated[get_args(source)[0], INLINE]])  # type: ignore[misc]
        return core_schema.no_info_wrap_validator_function(read, inner)

    def described(schema: Any, handler: Any) -> dict[str, Any]:
        """Tables without that key, whose names look as it does."""
        found = handler(schema)
        item = found["additionalProperties"]
        item["required"].remove(key)
        pattern = item["properties"].pop(key).get("pattern")
        return {**found, "propertyNames": {"pattern": pattern}} if pattern else found

    return GetPydanticSchema(schema, described)


# Tables. A table may have `exclusive`: pairs of keys of which one may stand in it, each with what to do where both do,
# "" if `keys_amiss` says it; `required`: keys of a file that have to be there, whose default stands in where they are
# not; `only`: the keys that may stand in it, if not all. Class methods: `keys_amiss` says what else is wrong with the
# keys that stand in it, and `filled` adds to them. Methods: `amiss` says what is wrong with its values together, and
# `completed` gives it the values that follow from others.


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def table(made: type[T]) -> type[T]:
    """A frozen dataclass that is read from a table of a file."""
    made = dataclass(frozen=True, slots=True)(made)
    made.__pydantic_config__ = ConfigDict(extra="forbid", json_schema_extra=_described)  # type: ignore[attr-defined]
    made._read = model_validator(mode="wrap")(_read)  # type: ignore[attr-defined]
    return made


@cache
def marks_of(kind: Any) -> dict[str, tuple[object, ...]]:
    """The markers of each field of a table."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: getattr(hints[each.name], "__metadata__", ()) for each in fields(kind)}


def key_of(name: str, marks: Iterable[object]) -> str:
    """The key of a field in the file: its name, if its markers have no alias."""
    return next((mark.alias for mark in marks if isinstance(mark, FieldInfo) and mark.alias), name)


@cache
def inline_fields(kind: type) -> dict[str, type]:
    """The fields of a table whose own keys stand in it, with their tables."""
    return {name: get_type_hints(kind)[name] for name, marks in marks_of(kind).items() if INLINE in marks}


@cache
def keys_of(kind: type, *, with_name: bool = False) -> tuple[str, ...]:
    """The keys of a table, without the one that is its name."""
    inline, listed = inline_fields(kind), list[str]()
    for name, marks in marks_of(kind).items():
        if name in inline:
            listed += keys_of(inline[name])
        elif with_name or not any(isinstance(mark, Marker) and mark.is_name for mark in marks):
            listed.append(key_of(name, marks))
    return getattr(kind, "only", tuple(listed))


def _read(cls: Any, value: object, handler: Any) -> Any:
    if isinstance(value, cls):
        return value
    given, inline, known = checked_table(value), inline_fields(cls), keys_of(cls, with_name=True)
    wrong = [Wrong("is not known", "", (key,), "unknown", keys_of(cls)) for key in given if key not in known]
    for one, other, fix in getattr(cls, "exclusive", ()):
        wrong += [Wrong(f"{one} and {other} stand together", fix)] if fix and {one, other} <= given.keys() else []
    wrong += getattr(cls, "keys_amiss", lambda _: ())(given)
    filled = getattr(cls, "filled", dict)(given)
    rest = {key: filled[key] for key in known if key in filled}
    rest |= {name: {key: rest.pop(key) for key in keys_of(below) if key in rest} for name, below in inline.items()}
    try:
        found = handler(rest)
    except ValidationError as error:
        wrong += [each._replace(place=each.place[each.place[0] in inline :]) for each in wrongs_of(error)]
    else:
        wrong += getattr(found, "amiss", tuple)()
    if wrong:
        raise Amiss(*wrong)
    return getattr(found, "completed", lambda _: found)(given)


def _described(found: dict[str, Any], kind: type) -> None:
    """Make the JSON Schema of a table say all of its keys, also of inline tables, and what they mean."""
    properties, required = found["properties"], found.setdefault("required", [])
    for name, marks in marks_of(kind).items():
        if name in inline_fields(kind):
            below = properties.pop(name)
            properties |= below["properties"]
            required += below["required"] if name in required else []
        else:
            properties[key_of(name, marks)].update(*({"description": mark} for mark in marks if isinstance(mark, str)))
    found["properties"] = {key: properties[key] for key in getattr(kind, "only", properties)}
    found["required"] = [key for key in required if key in found["properties"]]
    pairs = [[one, other] for one, other, _ in getattr(kind, "exclusive", ())]
    found |= {"allOf": [{"not": {"required": pair}} for pair in pairs]} if pairs else {}
    found.pop("description", None)
