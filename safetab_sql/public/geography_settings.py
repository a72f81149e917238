"""The geography in a parameter file: that of the 2020 Census, or one that the file describes itself.

place.key = { MUNICIPALITY = "text" }      # the columns that records and geography share: digits, or "text"
run = ["mainland"]                         # the parts to tabulate; all by default
[parts]
mainland.where.TERRITORY = ["M"]           # columns of the geography, and their values in this part
islands.where.TERRITORY = ["I"]
[region_types]
COUNTRY = { part = "mainland", id = "'NO'" }
MUNICIPALITY = { part = "mainland", id = "MUNICIPALITY", suppress = true }
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.geography import Geography, standard_geography
from safetab_sql.public.levels import (
    LONGEST_NUMBER,
    REGION_TYPE_NAME,
    STANDARD_PARTS,
    STANDARD_REGION_TYPES,
    WHOLE,
    Part,
    PlaceColumn,
    RegionType,
    below_states,
    like_a_state,
)
from safetab_sql.public.states import US_STATES
from safetab_sql.settings.markers import (
    Checked,
    Depending,
    Fix,
    Means,
    Named,
    ReadAs,
    Sized,
    Switch,
    Text,
    Texts,
    Whole,
    Words,
    among,
    once,
)
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong, shown

STANDARD_REQUIRED = ("run_us", "run_pr")
STANDARD_KEYS = (*STANDARD_REQUIRED, "state_filter_us")
OWN_REQUIRED = ("place", "region_types")
OWN_KEYS = ("place", "parts", "run")
_A_COLUMN_A_REGION_TYPE = "{{ region_types }}"  # how the headers of statements write it
_ABOUT_DIGITS = f'write the number of digits of its codes, 1 to {LONGEST_NUMBER}, or "text"'
_ABOUT_STATE = (
    "write two-digit codes of the 50 states and DC, in quotes; Puerto Rico has run_pr = true instead. Another "
    "country's places, parts and regions are described by place.key, [parts] and [region_types]"
)


def is_own(tables: Mapping[str, object]) -> bool:
    """Whether a file describes a geography of its own."""
    return any(key in tables for key in OWN_KEYS)


def _unknown_states(codes: Sequence[object]) -> Iterator[Wrong]:
    for other in [code for code in codes if code not in US_STATES]:
        yield Wrong(f"{{key}} has {shown(other)}: no such state", _ABOUT_STATE)


@table
class CensusRegionType:
    """A region type that stands beside those of the 2020 Census."""

    name: Annotated[str, REGION_TYPE_NAME]
    id: Annotated[Words, Means("SQL over the columns of the geography; its value names the region")]
    is_sub_state: Annotated[Switch, Means("true: small totals are not published")]
    none_id: Annotated[str | None, Text(), Means("the id that means no region")] = None
    part: Annotated[Literal["US", "PR"], Fix(among(STANDARD_PARTS)), Means("which part the region type belongs to")] = (
        "US"
    )

    @property
    def region_type(self) -> RegionType:
        """What it is in general."""
        made = below_states if self.is_sub_state else like_a_state
        return made(self.name, self.id, self.part, self.none_id)


@table
class PlaceKey:
    """How records and geography name a place."""

    key: Annotated[
        tuple[PlaceColumn, ...],
        ReadAs(
            Annotated[
                dict[
                    str,
                    Annotated[
                        int | Literal["text"],
                        ReadAs(
                            Annotated[int, Whole(1, LONGEST_NUMBER, _ABOUT_DIGITS)] | Literal["text"],
                            lambda digits: digits,
                        ),
                        Fix(_ABOUT_DIGITS),
                    ],
                ],
                Sized(
                    1,
                    fix='name the columns that tell the place of a record, such as key = { MUNICIPALITY = "text" }',
                ),
            ],
            lambda key: tuple(PlaceColumn(name, None if digits == "text" else digits) for name, digits in key.items()),
        ),
        Means("columns that records and geography share: digits of their codes, or text"),
    ]


@table
class Places:
    """The keys of a parameter file that describe the geography."""

    run_us: Annotated[Switch, Means("tabulate the fifty states and DC")] = False
    run_pr: Annotated[Switch, Means("tabulate Puerto Rico")] = False
    state_filter_us: Annotated[
        tuple[str, ...],
        ReadAs(tuple[object, ...], tuple),
        Sized(0, fix='write a list of two-digit state codes, such as ["01", "02"]'),
        Checked(_unknown_states, {"items": {"enum": list(US_STATES)}}),
        once("name each state once"),
        Means("states to tabulate"),
    ] = ()
    place: Annotated[PlaceKey | None, ReadAs(PlaceKey, lambda place: place), Means("how a place is named")] = None
    parts: Annotated[
        tuple[Part, ...],
        Named(),
        Sized(
            1,
            what="holds no part",
            fix='write one, such as mainland.where.TERRITORY = ["M"], or leave [parts] out',
        ),
        Means("the parts of the geography"),
    ] = ()
    run: Annotated[Texts, Means("parts to tabulate; all by default")] = ()
    region_types: Annotated[
        tuple[RegionType, ...],
        Depending(
            lambda _, tables: is_own(tables),
            Annotated[tuple[RegionType, ...], Named()],
            Annotated[
                tuple[RegionType, ...],
                ReadAs(
                    Annotated[tuple[CensusRegionType, ...], Named()],
                    lambda kinds: tuple(kind.region_type for kind in kinds),
                ),
            ],
        ),
        Means("each with its id"),
    ] = ()


def geography_of(places: Places, tables: Mapping[str, object]) -> Geography:
    """The geography that a file describes. tables: of the file."""
    if not is_own(tables):
        runs = dict(zip(STANDARD_PARTS, (places.run_us, places.run_pr), strict=True))
        states = tuple(code for code in US_STATES if code in places.state_filter_us)
        return standard_geography(states, [part for part in runs if runs[part]], places.region_types)
    parts = places.parts or (Part(WHOLE, {}),)
    return Geography(
        place=places.place.key if places.place else (),
        parts=parts,
        run=tuple(part.name for part in parts if part.name in places.run or not places.run),
        region_types=tuple(
            kind if kind.part in [part.name for part in parts] else replace(kind, part=parts[0].name)
            for kind in places.region_types
        ),
        elsewhere={},
    )


def geography_problems(document: Document, places: Places, *, has_parts: bool) -> Iterator[Problem]:
    """What is wrong with the geography as a whole. has_parts: whether its parts could be read."""
    own = [key for key in OWN_KEYS if key in document.tables]
    standard = [key for key in STANDARD_KEYS if key in document.tables]
    if own and standard:
        what = f"{own[0]} and {standard[0]} stand in one file"
        fix = (
            f"keep {', '.join(OWN_KEYS)} for a geography of your own, or {', '.join(STANDARD_KEYS)} for the 2020 Census"
        )
        yield document.problem((), what, fix)
    taken = _taken_names() if places.region_types else set()
    for kind in places.region_types:
        if kind.name.upper() in taken:
            what = f"'{kind.name}' is the name of a column of ours beside which its regions stand"
            fix = "choose another name, such as that name with an S"
            yield document.problem(("region_types", kind.name), what, fix)
    if not own:
        yield from _standard_problems(document, places)
    elif has_parts:
        yield from _own_problems(document, places)


def _standard_problems(document: Document, places: Places) -> Iterator[Problem]:
    for name in [
        kind.name for kind in places.region_types if kind.name in [each.name for each in STANDARD_REGION_TYPES]
    ]:
        yield document.problem(("region_types", name), f"{name} is a standard region type", "choose another name")
    if places.run_us and not document.tables.get("state_filter_us"):
        yield document.problem((), "state_filter_us names no state", "list the states, or set run_us = false")


def _own_problems(document: Document, places: Places) -> Iterator[Problem]:
    parts = [part.name for part in places.parts or (Part(WHOLE, {}),)]
    for key, count in Counter(part.key for part in places.parts).items():
        if count > 1:
            fix = "rename one of them"
            yield document.problem(("parts", key), "differs from another part in capitals alone", fix)
    for name in [name for name in places.run if name not in parts]:
        yield document.value_problem(("run",), name, among(parts))
    for kind in places.region_types:
        place = ("region_types", kind.name)
        if len(parts) > 1 and not kind.part:
            yield document.missing_key(place, "part")
        elif kind.part and kind.part not in parts:
            yield document.value_problem((*place, "part"), kind.part, among(parts))


def declaration(name: str, geography: Geography | None = None) -> str:
    """How to declare a new region type called `name`; with an example name if `name` cannot be used."""
    is_usable = re.fullmatch(REGION_TYPE_NAME.pattern, name) and name.upper() not in _taken_names()
    name = name if is_usable else "SCHOOL"
    if geography is not None and not geography.is_standard:
        column = geography.place[0].name if geography.place else name
        return (
            f"a region type is a table [region_types.{name}] in the parameter file, with an id over the columns of the "
            f'geography, such as id = "{column}"'
        )
    return (
        f"a region type of your own is a table [region_types.{name}] in the parameter file, with is_sub_state = true "
        'or false and an id over the columns of the geography, such as id = "TABBLKST || SDELM"'
    )


def _taken_names() -> set[str]:
    """The columns, in capitals, of all statements that have one column for each region type; SQL ignores case."""
    tables = [file.columns for file in sql_files().values()]
    names = [[column.name for column in columns] for columns in tables]
    return {name.upper() for row in names if _A_COLUMN_A_REGION_TYPE in row for name in row}
