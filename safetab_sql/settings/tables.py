"""Tables of files that users write, as frozen dataclasses that pydantic reads: a key of a table for each field.

From the same dataclasses come the JSON Schemas (`jobs/schema.py`). Manifests, which commands write, are such tables
too. A table may have `exclusive`: pairs of keys of which one may stand in it, each with what to do where both do; "" if
`keys_amiss` says it. Class methods: `keys_amiss` says what else is wrong with the keys that stand in it, and `filled`
adds to them. Methods: `amiss` says what is wrong with its values together, and `completed` gives it the values that
follow from others.
pydantic is imported when a file is read: whoever only uses the models does without it.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import GenericAlias
from typing import Any, Literal, NamedTuple, TypeVar, dataclass_transform, get_args, get_type_hints

LARGEST_TABLE = 1_000  # settings
INLINE = "inline"  # marker of a field whose keys stand in the table itself
REQUIRED = "required"  # marker of a key of a file that has to be there; its default stands in where it is not

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wrong:
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

    def __str__(self) -> str:
        return "; ".join(f"{each.what}: {each.fix}" for each in self.args)


def no_value(value: object, fix: str) -> Amiss:
    """That a value is none. fix: what to write."""
    return Amiss(Wrong(f"is {shown(value)}", fix, of="key"))


def unknown_keys(given: Iterable[str], known: Sequence[str]) -> list[Wrong]:
    """The keys that are none of those that are known."""
    return [Wrong("is not known", "", (key,), "unknown", tuple(known)) for key in given if key not in known]


def wrongs_of(error: Any, inline: Container[object] = ()) -> Iterator[Wrong]:
    """All that is wrong according to an error of pydantic. inline: fields whose keys are keys of the table itself."""
    for each in error.errors(include_url=False):
        place, found = each["loc"], each.get("ctx", {}).get("error")
        place = place[1:] if place and place[0] in inline else place
        place = place[:-1] if place[-1:] == ("[key]",) else place  # how pydantic says that the key itself is wrong
        if isinstance(found, Amiss):
            yield from (replace(wrong, place=(*place, *wrong.place)) for wrong in found.args)
        elif each["type"] == "missing":
            yield Wrong("is missing", "", place, "missing")
        else:
            yield Wrong(f"is {shown(each['input'])}", each["msg"], place, "key")


def repeated(values: Iterable[T]) -> list[T]:
    """The values that stand in it more than once."""
    return [value for value, count in Counter(values).items() if count > 1]


def shown(value: object) -> str:
    """The value as a message shows it: as Python writes it, with lists as files have them; cut if it is long."""
    try:
        text = repr(_with_lists(value))
    except ValueError:  # Python does not print integers of more than 4300 digits; TOML can write them in hex
        return "an enormous integer"
    except RecursionError:
        return "a list of lists of lists, and so on"
    return text if len(text) <= 80 else f"{text[:80]}..."


def _with_lists(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _with_lists(each) for key, each in value.items()}
    return [*map(_with_lists, value)] if isinstance(value, list | tuple) else value


def checked_table(value: object) -> Mapping[str, object]:
    """`value`, if it is a table. Raises: Amiss."""
    if not isinstance(value, Mapping):
        raise no_value(value, "make it a table")
    return value


@cache
def adapter(kind: Any) -> Any:
    """What pydantic reads a model with."""
    from pydantic import TypeAdapter  # noqa: PLC0415  (loaded by whoever reads a file)

    return TypeAdapter(kind)


def wrapped(read: Callable[[Any, Any], Any], schema: Any, ref: str | None = None) -> Any:
    """A schema whose values `read` reads, from what is given and the reader of the inner schema."""
    from pydantic_core import core_schema  # noqa: PLC0415

    return core_schema.no_info_wrap_validator_function(read, schema, ref=ref)


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """How a value is read. read: the value, from what stands in a file and the reader of its type. Raises: ValueError.

    inner: the type, or pydantic's schema of it; the type that is marked, if none is given. says: what the JSON Schema
    says beside what it says of the type.
    """

    read: Callable[[Any, Any], Any]
    inner: Any = None
    says: Mapping[str, object] = field(default_factory=dict)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler(source) if self.inner is None else self.inner
        return wrapped(self.read, inner if isinstance(inner, dict) else handler.generate_schema(inner))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), **self.says}


class Means(NamedTuple):
    """Marker of a field: what its key says, in the JSON Schema."""

    words: str


class Key(NamedTuple):
    """Marker of a field that has another name in the file."""

    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """Marker of the key under which a table stands, which is its name. taken: names in small letters that are ours."""

    of: str
    pattern: str
    fix: str
    taken: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return wrapped(self._read, {"type": "str", "pattern": f"^(?:{self.pattern})$"})

    def _read(self, value: object, handler: Any) -> Any:
        try:
            if str(value).lower() not in self.taken:
                return handler(value)
        except ValueError:
            pass
        not_taken = f"; not {', '.join(self.taken)}" if self.taken else ""
        raise Amiss(Wrong(f"'{value}' is no name for {self.of}", self.fix + not_taken, of="name"))


@dataclass(frozen=True, slots=True)
class Named:
    """Marker of a table of tables: a tuple of these, each with its key as `key`. is_list: as a list of that one key."""

    key: str = "name"
    is_list: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return wrapped(self._read, handler.generate_schema(GenericAlias(dict, (str, get_args(source)[0]))))

    def _read(self, value: object, handler: Any) -> tuple[object, ...]:
        tables = checked_table(value)
        if len(tables) > LARGEST_TABLE:
            raise no_value(value, f"at most {LARGEST_TABLE:,} settings stand in a table")
        given = {name: each for name, each in tables.items() if isinstance(each, Mapping)}
        if twice := [name for name, each in given.items() if self.key in each]:
            what, fix = f"unknown key '{self.key}'", "remove it: the table has its name"
            raise Amiss(*(Wrong(what, fix, (name,)) for name in twice))
        named = {name: {self.key: [name] if self.is_list else name, **each} for name, each in given.items()}
        return tuple(handler({**tables, **named}).values())

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Tables without that key, whose names look as it does."""
        found = handler(schema)
        item = dict(handler.resolve_ref_schema(found["additionalProperties"]))
        properties = dict(item["properties"])
        name = properties.pop(self.key)
        required = [key for key in item.pop("required", []) if key != self.key]
        item |= {"properties": properties, **({"required": required} if required else {})}
        names = {"propertyNames": {"pattern": name["pattern"]}} if "pattern" in name else {}
        return {**found, "additionalProperties": item, **names}


@dataclass(frozen=True, slots=True)
class ReadAs:
    """Marker of a value that stands in a file as a value of the type `written`. made: the value from that one.

    said: that one from the value, in files that commands write.
    """

    written: Any
    made: Callable[[Any], Any] = lambda read: read
    said: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return wrapped(lambda value, inner: self.made(inner(value)), handler.generate_schema(self.written))


@dataclass(frozen=True, slots=True)
class Sized:
    """Marker of a list or table of at least `least` and at most `most` entries; what and fix: where it has others."""

    least: int
    most: int = LARGEST_TABLE
    what: str = ""
    fix: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler(source)
        kinds = (list, tuple) if inner.get("type") in ("list", "tuple") else (list, tuple, Mapping)

        def read(value: object, handler: Any) -> Any:
            if not isinstance(value, kinds):
                raise no_value(value, self.fix)
            if not self.least <= len(value) <= self.most:
                raise Amiss(Wrong(self.what.format(len(value)), self.fix)) if self.what else no_value(value, self.fix)
            return handler(value)

        return wrapped(read, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        found = handler(schema)
        key = "minItems" if found.get("type") == "array" else "minProperties"
        return {**found, **({key: self.least} if self.least else {})}


def checked(check: Callable[[Any], Iterable[Wrong]], says: Mapping[str, object] | None = None) -> Marker:
    """The marker of a value with a check, whose words follow the name of the key. says: in the JSON Schema."""

    def read(value: object, handler: Any) -> object:
        found = handler(value)
        if wrong := [replace(each, of="key") for each in check(found)]:
            raise Amiss(*wrong)
        return found

    return Marker(read, None, says or {})


def depending(on: Callable[[object], bool], first: Any, other: Any) -> Marker:
    """The marker of a value of one of two types. on: whether it is the first, from the value."""
    # The union is what the JSON Schema is made from; nothing is left to it.
    return Marker(lambda value, _: adapter(first if on(value) else other).validate_python(value), first | other)


@dataclass(frozen=True, slots=True)
class SomeKeys:
    """Marker of a table in which only some of its keys may stand. filled: adds to these what is read beside them."""

    keys: tuple[str, ...]
    filled: Callable[[Mapping[str, object]], Mapping[str, object]]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return wrapped(self._read, handler(source))

    def _read(self, value: object, handler: Any) -> Any:
        given = checked_table(value)
        wrong = unknown_keys(given, self.keys)
        try:
            found = handler(self.filled({key: each for key, each in given.items() if key in self.keys}))
        except ValueError as error:
            wrong += wrongs_of(error)
        if wrong:
            raise Amiss(*wrong)
        return found

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        found = dict(handler.resolve_ref_schema(handler(schema)))
        return {**found, "properties": {key: found["properties"][key] for key in self.keys}}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def table(made: type[T]) -> type[T]:
    """A frozen dataclass that is read from a table of a file: a key of the table for each field."""
    made = dataclass(frozen=True, slots=True)(made)
    made.__get_pydantic_core_schema__ = classmethod(_table_schema)  # type: ignore[attr-defined]
    made.__get_pydantic_json_schema__ = classmethod(_table_json_schema)  # type: ignore[attr-defined]
    return made


def marks_of(kind: type) -> dict[str, tuple[object, ...]]:
    """The markers of each field of a table."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: getattr(hints[each.name], "__metadata__", ()) for each in fields(kind)}


def inline_fields(kind: type) -> dict[str, type]:
    """The fields of a table whose own keys stand in it, with their tables."""
    return {name: get_type_hints(kind)[name] for name, marks in marks_of(kind).items() if INLINE in marks}


def keys_of(kind: type) -> tuple[str, ...]:
    """The keys of a table, without the one that is its name."""
    inline, listed = inline_fields(kind), list[str]()
    for name, marks in marks_of(kind).items():
        is_name = any(isinstance(mark, Name) for mark in marks)
        listed += keys_of(inline[name]) if name in inline else () if is_name else (key_of(name, marks),)
    return tuple(listed)


def key_of(name: str, marks: Iterable[object]) -> str:
    """The key of a field in the file: its name, if no marker says otherwise."""
    return next((mark.name for mark in marks if isinstance(mark, Key)), name)


def required_keys(kind: type) -> tuple[str, ...]:
    """The keys that a file must have."""
    return tuple(name for name, marks in marks_of(kind).items() if REQUIRED in marks)


def _table_schema(kind: Any, source: Any, handler: Any) -> Any:
    known, inline = keys_of(kind), inline_fields(kind)
    keys = {name: key_of(name, marks) for name, marks in marks_of(kind).items()}
    names = set(keys.values()) - set(inline)
    inside = {name: set(keys_of(below)) for name, below in inline.items()}

    def read(value: object, handler: Any) -> Any:
        if isinstance(value, kind):
            return value
        given = checked_table(value)
        wrong = unknown_keys([key for key in given if key not in names], known)
        for one, other, fix in getattr(kind, "exclusive", ()):
            wrong += [Wrong(f"{one} and {other} stand together", fix)] if fix and {one, other} <= given.keys() else []
        wrong += getattr(kind, "keys_amiss", _nothing)(given)
        filled = getattr(kind, "filled", lambda given: given)(given)
        rest = {key: each for key, each in filled.items() if key in names}
        rest |= {name: {key: given[key] for key in given if key in below} for name, below in inside.items()}
        try:
            found = handler(rest)
        except ValueError as error:
            wrong += wrongs_of(error, inline)
        else:
            wrong += getattr(found, "amiss", _nothing)()
        if wrong:
            raise Amiss(*wrong)
        return getattr(found, "completed", lambda _: found)(given)

    # Where a table stands in several places, pydantic refers to it by `ref`: to all of it, and not to the inner schema.
    inner = dict(handler.resolve_ref_schema(handler(source)))
    for each in inner["schema"]["fields"]:
        name, below = each["name"], each["schema"]
        each.update({"validation_alias": keys[name]} if keys[name] != name else {})
        if name in inline and below["type"] != "default":  # not a reference: its JSON Schema is needed here
            found = handler.resolve_ref_schema(below)
            each["schema"] = {key: value for key, value in found.items() if key != "ref"}
    return wrapped(read, inner, ref=inner.pop("ref", None))


def _nothing(*_: object) -> tuple[Wrong, ...]:
    return ()


def _table_json_schema(kind: Any, schema: Any, handler: Any) -> Any:
    found = handler.resolve_ref_schema(handler(schema))
    properties: dict[str, Any] = dict(found.get("properties", {}))
    required = list(found.pop("required", ()))
    for name, marks in marks_of(kind).items():
        if INLINE in marks:
            below = handler.resolve_ref_schema(properties.pop(name))
            properties |= below["properties"]
            required += below.get("required", ()) if name in required else ()
        for each in [each for each in marks if isinstance(each, Means)]:
            properties[key_of(name, marks)]["description"] = each.words
    required = [name for name in required if name in properties]
    pairs = [[one, other] for one, other, _ in getattr(kind, "exclusive", ())]
    found |= {"allOf": [{"not": {"required": pair}} for pair in pairs]} if pairs else {}
    found |= {"properties": properties, "additionalProperties": False}
    found |= {"required": required} if required else {}
    for unwanted in ("title", "description"):
        found.pop(unwanted, None)
    return found
