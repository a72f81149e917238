"""The geography in a parameter file.

place.key = { MUNICIPALITY = "text" }      # the columns that records and geography share: digits, or "text"
place.null = "9999"                        # what means no place, as an empty column does; else that is an error
place.other = "9999"                       # what a place that the geography lacks counts as; else that is an error
run = ["mainland"]                         # the parts to tabulate; all by default
[parts]
mainland.where.TERRITORY = ["M"]           # columns of the geography, and their values in this part
islands.where.TERRITORY = ["I"]
[region_types]
COUNTRY = { part = "mainland", id = "'NO'" }
MUNICIPALITY = { part = "mainland", id = "MUNICIPALITY", name = "MUNICIPALITY_NAME", suppress = true }
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.settings.markers import Switch, Texts, Word, Words, called, one_or_more, otherwise, text, texts, whole
from safetab_sql.settings.reading import Document, Problems
from safetab_sql.settings.tables import named, repeated, shown, sized_table, table, via

WHOLE = "all"  # the part of a geography that is not divided
_PART_TITLES = {"PR": "Puerto Rico"}
LONGEST_NUMBER = 18  # decimal digits that fit into int64
_REGION_TYPE_NAME = "[A-Z][A-Z0-9_-]{0,31}"
_ABOUT_REGION_TYPE = "use capitals, digits, - and _, a capital first, at most 32 characters"
_PART_FIX = "use letters, digits, - and _, a letter first, at most 32 characters"


@dataclass(frozen=True, slots=True)
class PlaceColumn:
    """A column that records and geography share. digits: the number of digits of its codes; None for any text."""

    name: str
    digits: int | None


@table
class Part:
    """A piece of the geography with budgets of its own; one without columns is the whole geography."""

    # Manifests have what is taken beside the parts.
    name: Annotated[
        str, called("a part", "[A-Za-z][A-Za-z0-9_-]{0,31}", _PART_FIX, ("one_record", "one_person", "sum"))
    ]
    where: Annotated[
        Mapping[str, Texts],
        sized_table(1, what="where names no column", fix='say which places it has, such as where.TERRITORY = ["M"]'),
        "columns of the geography, each with its values in this part; no place may lie in two parts",
    ]

    @property
    def key(self) -> str:
        """The name in manifests: lower case."""
        return self.name.lower()


@table
class RegionType:
    """A kind of geography, and how to tell the region of a place."""

    name: Annotated[str, Field(alias="type"), called("a region type", _REGION_TYPE_NAME, _ABOUT_REGION_TYPE)]
    id: Annotated[Words, "SQL over the columns of the geography: the region that a place lies in; NULL for none"]
    part: Annotated[Words, "the part that it belongs to; required if there are several"] = ""
    without: Annotated[
        str | None,
        text("[A-Za-z][A-Za-z0-9_]{0,63}", "name a True/False column of the lists of iterations"),
        "True/False column of the lists of iterations: those with True there are not tabulated at these regions",
    ] = None
    suppress: Annotated[Switch, "true: small totals are suppressed, see zero_suppression_chance"] = False
    none_id: Annotated[Word, "an id that means no region"] = None
    region_name: Annotated[
        str | None,
        Field(alias="name"),
        text(fix='write SQL over the columns of the geography, such as name = "DISTRICT_NAME"'),
        "SQL as in id, mostly a column of the geography: the name of the region; places of a region have one",
    ] = field(default=None, compare=False)

    @property
    def no_region(self) -> str:
        """The text that means no region."""
        return self.none_id or ""


def part_title(name: str) -> str:
    """What texts call a part: its name."""
    return _PART_TITLES.get(name, name)


@dataclass(frozen=True, slots=True)
class Geography:
    """What a run knows of the geography before it reads it.

    place: the columns that tell the place of a record. parts: every part; no place is in two. run: the names of the
    parts that are tabulated. region_types: of all parts. elsewhere: of a geography whose places are known without its
    file: columns of `place` and the values that they have in no part; records with these are left out, and records
    with any other are wrong. It is empty where every record must have a place of the geography file. null: values in
    `place` that mean none, or () where that is an error. other: whether a place that the geography lacks is none.
    """

    place: tuple[PlaceColumn, ...]
    parts: tuple[Part, ...]
    run: tuple[str, ...]
    region_types: tuple[RegionType, ...]
    elsewhere: Mapping[str, tuple[str, ...]]
    null: tuple[str, ...] = ()
    other: bool = False

    @property
    def parts_run(self) -> tuple[Part, ...]:
        """The parts that are tabulated."""
        return tuple(part for part in self.parts if part.name in self.run)

    def part_of(self, region_type: str) -> str:
        """The name of the part that a region type belongs to."""
        return next(kind.part for kind in self.region_types if kind.name == region_type)


REQUIRED = ("place", "region_types")
_A_COLUMN_A_REGION_TYPE = "{{ region_types }}"  # how the headers of statements write it
_ABOUT_DIGITS = f'write the number of digits of its codes, 1 to {LONGEST_NUMBER}, or "text"'
_ABOUT_PLACE = 'name the columns that tell the place of a record, such as key = { MUNICIPALITY = "text" }'
_Digits = Annotated[
    int | Literal["text"],
    via(Annotated[int, whole(1, LONGEST_NUMBER, _ABOUT_DIGITS)] | Literal["text"]),
    otherwise(_ABOUT_DIGITS),
]


@table
class PlaceKey:
    """How records and geography name a place."""

    key: Annotated[
        tuple[PlaceColumn, ...],
        via(
            Annotated[dict[str, _Digits], sized_table(1, fix=_ABOUT_PLACE)],
            lambda key: tuple(PlaceColumn(name, None if digits == "text" else digits) for name, digits in key.items()),
        ),
        "columns that records and geography share: digits of their codes, or text",
    ]
    values: Annotated[
        Mapping[str, Texts], "every value of some of these columns: a record with another one is wrong"
    ] = field(default_factory=dict, hash=False)
    null: Annotated[
        tuple[str, ...],
        one_or_more(Words, Annotated[tuple[str, ...], texts(item=Words)]),
        otherwise('write a value in quotes, such as "999999", or a list of values'),
        "values that mean no place, as an empty column does; by default `other`; without both it is an error",
    ] = ()
    other: Annotated[Word, "the code of places that the geography lacks; without it they are an error"] = None


@table
class Places:
    """The keys of a parameter file that describe the geography."""

    place: Annotated[PlaceKey, "how a place is named"] = PlaceKey(())
    parts: Annotated[
        tuple[Part, ...],
        named(),
        sized_table(
            1, what="holds no part", fix='write one, such as mainland.where.TERRITORY = ["M"], or leave [parts] out'
        ),
        "the parts of the geography",
    ] = ()
    run: Annotated[Texts, "parts to tabulate; all by default"] = ()
    region_types: Annotated[tuple[RegionType, ...], named("type"), "each with its id"] = ()


def geography_of(places: Places) -> Geography:
    """The geography that a file describes."""
    parts = places.parts or (Part(WHOLE, {}),)
    known, other = places.place.values, places.place.other
    return Geography(
        place=places.place.key,
        parts=parts,
        run=tuple(part.name for part in parts if part.name in places.run or not places.run),
        region_types=tuple(
            kind if kind.part in [part.name for part in parts] else replace(kind, part=parts[0].name)
            for kind in places.region_types
        ),
        elsewhere={
            column: tuple(each for each in listed if not any(each in part.where.get(column, ()) for part in parts))
            for column, listed in known.items()
        },
        null=tuple(dict.fromkeys([*places.place.null, *([] if other is None else [other])])),
        other=other is not None,
    )


def geography_problems(document: Document, places: Places, *, has_parts: bool) -> Problems:
    """What is wrong with the geography as a whole. has_parts: whether its parts could be read."""
    taken = taken_names() if places.region_types else set()
    for kind in places.region_types:
        if kind.name.upper() in taken:
            what = f"'{kind.name}' is the name of a column of ours beside which its regions stand"
            fix = "choose another name, such as that name with an S"
            yield document.problem(("region_types", kind.name), what, fix)
    if has_parts:
        yield from _part_problems(document, places)
        yield from _value_problems(document, places)


def _part_problems(document: Document, places: Places) -> Problems:
    if places.parts and (places.place.null or places.place.other):
        fix = "take null and other out: nobody knows of which part a record without a place is"
        yield document.problem(("place",), "null or other stands beside [parts]", fix)
    parts = [part.name for part in places.parts or (Part(WHOLE, {}),)]
    among = f"write one of {', '.join(map(repr, parts))}"
    for key in repeated(part.key for part in places.parts):
        yield document.problem(("parts", key), "differs from another part in capitals alone", "rename one of them")
    for name in [name for name in places.run if name not in parts]:
        yield document.value_problem(("run",), name, among)
    for kind in places.region_types:
        place = ("region_types", kind.name)
        if len(parts) > 1 and not kind.part:
            yield document.missing_key(place, "part")
        elif kind.part and kind.part not in parts:
            yield document.value_problem((*place, "part"), kind.part, among)


def _value_problems(document: Document, places: Places) -> Problems:
    known = places.place.values
    if not known.keys() <= {column.name for column in places.place.key}:
        yield document.value_problem(("place", "values"), list(known), "name columns of place.key")
        return
    for part in places.parts if known else ():
        if part.where.keys() != known.keys():
            fix = f"say which values of {', '.join(known)} it has: place.values lists all that there are"
            yield document.problem(("parts", part.name), f"where names {', '.join(part.where)}", fix)
        for column, listed in part.where.items():
            place, own = ("parts", part.name, "where", column), known.get(column, ())
            others = [each.name for each in places.parts if each is not part for _ in each.where.get(column, ())]
            held = [value for each in places.parts if each is not part for value in each.where.get(column, ())]
            for value in [value for value in listed if value not in known.get(column, listed) or value in held]:
                why = f", which is in part {others[held.index(value)]}" if value in held else ": no such value"
                some = f"{', '.join(own[:3])}, ... {own[-1]}" if len(own) > 4 else ", ".join(own)
                fix = f"write some of {some}, none of them in two parts"
                yield document.key_problem(place, f"has {shown(value)}{why}", fix)


def declaration(name: str, geography: Geography) -> str:
    """How to declare a new region type called `name`; with an example name if `name` cannot be used."""
    is_usable = re.fullmatch(_REGION_TYPE_NAME, name) and name.upper() not in taken_names()
    name = name if is_usable else "SCHOOL"
    column = geography.place[0].name if geography.place else name
    return (
        f"a region type is a table [region_types.{name}] in the parameter file, with an id over the columns of the "
        f'geography, such as id = "{column}"'
    )


def taken_names() -> set[str]:
    """The columns, in capitals, of all statements that have one column for each region type; SQL ignores case."""
    tables = [file.columns for file in sql_files().values()]
    names = [[column.name for column in columns] for columns in tables]
    return {name.upper() for row in names if _A_COLUMN_A_REGION_TYPE in row for name in row}
