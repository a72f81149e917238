"""What one record is, and which records count.

[unit]
one = "stay"                         # what messages, ledger and report call a record
many = "stays"
person_replaces = false              # true: one person can turn one record into another, as a household's
where = { KIND = ["inpatient"] }     # other records are outside the universe; the confidential log counts them
id = "STAY_NO"                       # a column in which no value may stand twice
leave_out = ["age", "sex"]           # records without a usable age or sex are left out, and no error
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeVar, cast

from safetab_sql.public.attribute_settings import ATTRIBUTES_KEY
from safetab_sql.public.attributes import Attribute
from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    is_true,
    table_at,
    text_at,
    texts_at,
)

UNIT_KEY = "unit"
UNUSABLE = ("place", "codes")  # what of a record may be unusable beside its attributes: see the checks of sql/checks
UNIT_KEYS = ("one", "many", "person_replaces", "where", "id", "leave_out")
_NOUN = re.compile(r"[^\W\d_](?:[^\W\d_]| |-){0,29}")
_PERSON = re.compile(r"(?<![-\w])(?:person|persons|people)(?![-\w])", re.IGNORECASE)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    """What one record is, and which records count.

    one, many: what a record and several are called. person_replaces: whether one person can turn one record into
    another, so that the loss of one person is twice that of a record. where: columns of a record, each with its values
    in the universe; records with other values are not counted. id: a column in which no value may stand twice.
    leave_out: what of a record may be unusable without an error: attributes in small letters, and some of `UNUSABLE`;
    such records are not counted.
    """

    one: str = "person"
    many: str = "persons"
    person_replaces: bool = False
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    id: str | None = None
    leave_out: tuple[str, ...] = ()


def unit_at(settings: Settings, attributes: Sequence[Attribute]) -> Unit:
    """The unit in the file, whose records have these attributes.

    A wrong setting adds a complaint, and gets some valid value.
    """
    table = table_at(settings, (UNIT_KEY,), settings.document.get(UNIT_KEY, {}))
    complain_unknown(settings, (UNIT_KEY,), table, UNIT_KEYS)
    columns = table_at(settings, (UNIT_KEY, "where"), table.get("where", {}))
    if "where" in table and not columns:
        fix = 'say which records count, such as where = { KIND = ["inpatient"] }, or leave it out'
        complain(settings, (UNIT_KEY,), "where names no column", fix)
    named = ("one", "many") if {"one", "many"} & table.keys() else ()
    complain_missing(settings, (UNIT_KEY,), named, table)
    return Unit(
        **{key: _noun(settings, key, table) for key in named},
        person_replaces=is_true(settings, (UNIT_KEY, "person_replaces"), table.get("person_replaces", False)),
        where={name: texts_at(settings, (UNIT_KEY, "where", name), given) for name, given in columns.items()},
        id=text_at(settings, (UNIT_KEY, "id"), table["id"]) if "id" in table else None,
        leave_out=_leave_out(settings, table, _names(settings, attributes)),
    )


def _names(settings: Settings, attributes: Sequence[Attribute]) -> list[str]:
    """The attributes by the names that `leave_out` gives them; those that have a complaint, too."""
    declared = table_at(settings, (ATTRIBUTES_KEY,), settings.document.get(ATTRIBUTES_KEY, {}))
    return list(dict.fromkeys(name.lower() for name in (*(each.name for each in attributes), *declared)))


def _noun(settings: Settings, key: str, table: Mapping[str, object]) -> str:
    value = table.get(key, "person")
    if isinstance(value, str) and _NOUN.fullmatch(value):
        return value
    complain_value(settings, (UNIT_KEY, key), value, 'write a noun in small letters, such as "household"')
    return "person"


def in_words(unit: Unit, said: T) -> T:
    """`said`, a text or a structure of texts, with the unit's words in place of person, persons and people.

    Keys of mappings, and words that a hyphen joins to others, as in the name of a level, stay.
    """
    if unit.one == "person":
        return said
    if isinstance(said, str):
        return cast(T, _PERSON.sub(lambda found: _word(unit, found[0]), said))
    if isinstance(said, Mapping):
        return cast(T, {key: in_words(unit, value) for key, value in said.items()})
    if isinstance(said, list | tuple):
        return cast(T, type(said)(in_words(unit, value) for value in said))
    if is_dataclass(said) and not isinstance(said, type):
        return cast(T, replace(said, **{each.name: in_words(unit, getattr(said, each.name)) for each in fields(said)}))
    return said


def _word(unit: Unit, found: str) -> str:
    word = unit.one if found.lower() == "person" else unit.many
    return word[:1].upper() + word[1:] if found[:1].isupper() else word


def _leave_out(settings: Settings, table: Mapping[str, object], attributes: Sequence[str]) -> tuple[str, ...]:
    if "leave_out" not in table:
        return ()
    place = (UNIT_KEY, "leave_out")
    named = texts_at(settings, place, table["leave_out"])
    known = (*attributes, *UNUSABLE)
    if not set(named) <= set(known):
        fix = f"name some of {', '.join(known)}: records in which that is missing or wrong are left out"
        complain_value(settings, place, table["leave_out"], fix)
    return tuple(name for name in known if name in named)
