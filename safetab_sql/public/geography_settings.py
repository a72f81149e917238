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
from collections.abc import Mapping, Sequence

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.geography import Geography, standard_geography
from safetab_sql.public.levels import (
    LONGEST_NUMBER,
    STANDARD_PARTS,
    STANDARD_REGION_TYPES,
    WHOLE,
    Part,
    PlaceColumn,
    RegionType,
    below_states,
    like_a_state,
)
from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    is_true,
    one_of,
    shown,
    table_at,
    text_at,
    texts_at,
)
from safetab_sql.public.states import US_STATES

STANDARD_REQUIRED = ("run_us", "run_pr")
STANDARD_KEYS = (*STANDARD_REQUIRED, "state_filter_us")
OWN_REQUIRED = ("place", "region_types")
OWN_KEYS = ("place", "parts", "run")
STANDARD_REGION_KEYS = ("id", "is_sub_state", "none_id", "part")
OWN_REGION_KEYS = ("id", "part", "none_id", "without", "suppress")
_A_COLUMN_A_REGION_TYPE = "{{ region_types }}"  # how the headers of statements write it
REGION_TYPE_NAME = re.compile(r"[A-Z][A-Z0-9_-]{0,31}")
PART_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_TAKEN_PARTS = ("one_person", "sum")  # manifests have these beside the parts
FLAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def is_own(settings: Settings) -> bool:
    """Whether the file describes a geography of its own."""
    return any(key in settings.document for key in OWN_KEYS)


def geography_at(settings: Settings) -> Geography:
    """The geography in the file. A wrong setting adds a complaint, and gets some valid value."""
    own = [key for key in OWN_KEYS if key in settings.document]
    standard = [key for key in STANDARD_KEYS if key in settings.document]
    if own and standard:
        what = f"{own[0]} and {standard[0]} stand in one file"
        fix = (
            f"keep {', '.join(OWN_KEYS)} for a geography of your own, or {', '.join(STANDARD_KEYS)} for the 2020 Census"
        )
        complain(settings, (), what, fix)
    return _own_geography(settings) if own else _standard_geography(settings)


def _standard_geography(settings: Settings) -> Geography:
    runs = {part: is_true(settings, (key,), settings.document.get(key, False)) for part, key in _run_keys().items()}
    tables = table_at(settings, ("region_types",), settings.document.get("region_types", {}))
    own = [
        _standard_region_type(settings, name, table_at(settings, ("region_types", name), table))
        for name, table in tables.items()
    ]
    return standard_geography(_state_filter(settings), [part for part in runs if runs[part]], own)


def _run_keys() -> dict[str, str]:
    return dict(zip(STANDARD_PARTS, STANDARD_REQUIRED, strict=True))


def _state_filter(settings: Settings) -> tuple[str, ...]:
    """The requested states. A run of Puerto Rico alone needs no state_filter_us."""
    place = ("state_filter_us",)
    value = settings.document.get(place[0], [])
    codes: list[object] = value if isinstance(value, list) else []
    if not isinstance(value, list):
        complain_value(settings, place, value, 'write a list of two-digit state codes, such as ["01", "02"]')
    elif not codes and settings.document.get("run_us") is True:
        complain(settings, (), "state_filter_us names no state", "list the states, or set run_us = false")
    _complain_repeated(settings, (), "state_filter_us", codes)
    for other in [code for code in codes if code not in US_STATES]:
        fix = (
            "write two-digit codes of the 50 states and DC, in quotes; Puerto Rico has run_pr = true instead. Another "
            "country's places, parts and regions are described by place.key, [parts] and [region_types]"
        )
        complain(settings, (), f"state_filter_us has {shown(other)}: no such state", fix)
    return tuple(code for code in US_STATES if code in codes)


def _complain_repeated(settings: Settings, table: tuple[str, ...], key: str, values: Sequence[object]) -> None:
    for value, count in Counter(map(shown, values)).items():
        if count > 1:
            each = "state" if key == "state_filter_us" else "value"
            complain(settings, table, f"{key} has {value} {count} times", f"name each {each} once")


def declaration(name: str, geography: Geography | None = None) -> str:
    """How to declare a new region type called `name`; with an example name if `name` cannot be used."""
    name = name if REGION_TYPE_NAME.fullmatch(name) and name.upper() not in _taken_names() else "SCHOOL"
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


def _standard_region_type(settings: Settings, name: str, table: Mapping[str, object]) -> RegionType:
    """A region type that stands beside those of the 2020 Census."""
    place = ("region_types", name)
    _complain_name(settings, name)
    if name in [kind.name for kind in STANDARD_REGION_TYPES]:
        complain(settings, place, f"{name} is a standard region type", "choose another name")
    complain_unknown(settings, place, table, STANDARD_REGION_KEYS)
    complain_missing(settings, place, ("id", "is_sub_state"), table)
    is_sub_state = is_true(settings, (*place, "is_sub_state"), table.get("is_sub_state", False))
    part = one_of(settings, (*place, "part"), table.get("part", STANDARD_PARTS[0]), STANDARD_PARTS)
    made = below_states if is_sub_state else like_a_state
    return made(name, text_at(settings, (*place, "id"), table.get("id", "'1'")), part, _none_id(settings, place, table))


def _none_id(settings: Settings, place: tuple[str, ...], table: Mapping[str, object]) -> str | None:
    value = table.get("none_id")
    return None if value is None else text_at(settings, (*place, "none_id"), value)


def _complain_name(settings: Settings, name: str) -> None:
    place = ("region_types", name)
    if not REGION_TYPE_NAME.fullmatch(name):
        fix = "use capitals, digits, - and _, a capital first, at most 32 characters"
        complain(settings, place, f"'{name}' is no name for a region type", fix)
    if name.upper() in _taken_names():
        fix = "choose another name, such as that name with an S"
        complain(settings, place, f"'{name}' is the name of a column of ours beside which its regions stand", fix)


def _taken_names() -> set[str]:
    """The columns, in capitals, of all statements that have one column for each region type; SQL ignores case."""
    tables = [file.columns for file in sql_files().values()]
    names = [[column.name for column in columns] for columns in tables]
    return {name.upper() for row in names if _A_COLUMN_A_REGION_TYPE in row for name in row}


def _own_geography(settings: Settings) -> Geography:
    place, parts = _place(settings), _parts(settings)
    names = [part.name for part in parts]
    tables = table_at(settings, ("region_types",), settings.document.get("region_types", {}))
    return Geography(
        place=place,
        parts=parts,
        run=_run(settings, names),
        region_types=tuple(
            _own_region_type(settings, name, table_at(settings, ("region_types", name), table), names)
            for name, table in tables.items()
        ),
        elsewhere={},
    )


def _place(settings: Settings) -> tuple[PlaceColumn, ...]:
    table = table_at(settings, ("place",), settings.document.get("place", {}))
    complain_unknown(settings, ("place",), table, ("key",))
    complain_missing(settings, ("place",), ("key",), table)
    keys = table_at(settings, ("place", "key"), table.get("key", {}))
    if "key" in table and not keys:
        fix = 'name the columns that tell the place of a record, such as key = { MUNICIPALITY = "text" }'
        complain(settings, ("place",), "key names no column", fix)
    return tuple(_place_column(settings, name, digits) for name, digits in keys.items())


def _place_column(settings: Settings, name: str, digits: object) -> PlaceColumn:
    if digits == "text":
        return PlaceColumn(name, None)
    if isinstance(digits, int) and not isinstance(digits, bool) and 1 <= digits <= LONGEST_NUMBER:
        return PlaceColumn(name, digits)
    fix = f'write the number of digits of its codes, 1 to {LONGEST_NUMBER}, or "text"'
    complain_value(settings, ("place", "key", name), digits, fix)
    return PlaceColumn(name, None)


def _parts(settings: Settings) -> tuple[Part, ...]:
    tables = table_at(settings, ("parts",), settings.document.get("parts", {}))
    if "parts" in settings.document and not tables:
        fix = 'write one, such as mainland.where.TERRITORY = ["M"], or leave [parts] out'
        complain(settings, ("parts",), "holds no part", fix)
    parts = tuple(_part(settings, name, table_at(settings, ("parts", name), table)) for name, table in tables.items())
    for key, count in Counter(part.key for part in parts).items():
        if count > 1:
            complain(settings, ("parts", key), "differs from another part in capitals alone", "rename one of them")
    return parts or (Part(WHOLE, {}),)


def _part(settings: Settings, name: str, table: Mapping[str, object]) -> Part:
    place = ("parts", name)
    if not PART_NAME.fullmatch(name) or name.lower() in _TAKEN_PARTS:
        fix = f"use letters, digits, - and _, a letter first, at most 32 characters; not {' or '.join(_TAKEN_PARTS)}"
        complain(settings, place, f"'{name}' is no name for a part", fix)
    complain_unknown(settings, place, table, ("where",))
    complain_missing(settings, place, ("where",), table)
    columns = table_at(settings, (*place, "where"), table.get("where", {}))
    if "where" in table and not columns:
        fix = f'say which places it has, such as where.TERRITORY = ["{name[:1].upper()}"]'
        complain(settings, place, "where names no column", fix)
    return Part(
        name, {column: texts_at(settings, (*place, "where", column), given) for column, given in columns.items()}
    )


def _run(settings: Settings, parts: Sequence[str]) -> tuple[str, ...]:
    if "run" not in settings.document:
        return tuple(parts)
    names = texts_at(settings, ("run",), settings.document["run"])
    for name in names:
        one_of(settings, ("run",), name, parts)
    return tuple(part for part in parts if part in names)


def _own_region_type(settings: Settings, name: str, table: Mapping[str, object], parts: Sequence[str]) -> RegionType:
    place = ("region_types", name)
    _complain_name(settings, name)
    required = ("id",) if len(parts) == 1 else ("id", "part")
    complain_unknown(settings, place, table, OWN_REGION_KEYS)
    complain_missing(settings, place, required, table)
    without = table.get("without")
    if without is not None and not (isinstance(without, str) and FLAG_NAME.fullmatch(without)):
        fix = "name a True/False column of the lists of iterations"
        complain_value(settings, (*place, "without"), without, fix)
        without = None
    return RegionType(
        name=name,
        id=text_at(settings, (*place, "id"), table.get("id", "'1'")),
        part=one_of(settings, (*place, "part"), table.get("part", parts[0]), parts),
        without=without,
        suppress=is_true(settings, (*place, "suppress"), table.get("suppress", False)),
        none_id=_none_id(settings, place, table),
    )
