"""What statements need to know of the geography: its columns, the key of a place, and the parts."""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

import pyarrow as pa

from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public import columns
from safetab_sql.public.geography import Geography
from safetab_sql.public.levels import LONGEST_NUMBER, Part, PlaceColumn, RegionType
from safetab_sql.public.parameters import Parameters, tabulated_levels
from safetab_sql.public.region_expressions import id_columns

PART_COLUMN = "part_name"  # the column of ours that stands beside the columns of the geography
_JOINABLE = "[^\\x1f]+"  # text that joined_values keeps apart from the values beside it


def place_kinds(geography: Geography) -> dict[str, columns.Kind]:
    """How the columns are read that records and geography share."""
    return {
        column.name: columns.Plain() if column.digits is None else columns.Code(column.digits)
        for column in geography.place
    }


def geography_kinds(parameters: Parameters, available: Collection[str]) -> dict[str, columns.Kind]:
    """How the columns of the geography file are read that a run needs: of places, of parts, and of region ids.

    available: the columns that the file has; ids may name them in other capitals.
    """
    geography = parameters.geography
    spelling = {name.upper(): name for name in available}
    named = [spelling.get(name.upper(), name) for name in id_columns(_kinds_read(parameters))]
    wanted = [*(column for part in geography.parts_run for column in part.where), *named]
    shared = place_kinds(geography)
    return shared | {name: columns.GEOGRAPHY.get(name, columns.Plain()) for name in wanted if name not in shared}


def _kinds_read(parameters: Parameters) -> list[RegionType]:
    """The region types that are tabulated."""
    names = {level.region_type for level in tabulated_levels(parameters)}
    return [kind for kind in parameters.region_types if kind.name in names]


def place_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the geography in the parameters."""
    geography = parameters.geography
    places = [column.name for column in geography.place]
    return {
        "block_columns": [
            {
                "name": column.name,
                "text": literal(column.name),
                "quoted": quoted_name(column.name),
                "pattern": literal(_pattern(column.digits)),
            }
            for column in geography.place
        ],
        "geography_key": key_of_columns(geography.place, "geography_rows."),
        "record_key": key_of_columns(geography.place, "person_records."),
        "parts": [{"name": literal(part.name), "condition": _condition(part)} for part in geography.parts_run],
        "part_values": [
            {"column": literal(column), "quoted": quoted_name(column), "listed": literal(list(listed))}
            for part in geography.parts_run
            for column, listed in part.where.items()
        ],
        "record_part_values": [
            {"column": literal(column), "quoted": quoted_name(column), "listed": literal(list(listed))}
            for part in geography.parts_run
            for column, listed in part.where.items()
            if column in places
        ],
        "known_columns": _known_columns(geography),
        "is_requested": _is_requested(geography, places),
    }


def has_number_key(place: Sequence[PlaceColumn]) -> bool:
    """Whether the key of a place is a number: all its codes are of digits, at most 18 together. Else it is text."""
    digits = [column.digits for column in place if column.digits is not None]
    return len(digits) == len(place) and sum(digits) <= LONGEST_NUMBER


def key_of_columns(place: Sequence[PlaceColumn], of: str) -> str:
    """The key of a place from the columns of table `of`, which ends in a point."""
    return key_expression(place, [f"{of}{quoted_name(column.name)}" for column in place])


def key_expression(place: Sequence[PlaceColumn], values: Sequence[str]) -> str:
    """The key of a place from its codes, each an expression."""
    if not has_number_key(place):
        return reduce(lambda earlier, later: f"joined_values({earlier}, {later})", values)
    digits = [column.digits or 0 for column in place]
    behind = [sum(digits[number:]) for number in range(1, len(digits) + 1)]
    return " + ".join(f"number_in_key({value}, {10**after})" for value, after in zip(values, behind, strict=True))


def _condition(part: Part, of: str = "") -> str:
    """Whether a place is in a part: true, false, or NULL where one of its columns is NULL."""
    terms = [f"list_contains({literal(list(listed))}, {of}{quoted_name(name)})" for name, listed in part.where.items()]
    return " and ".join(terms) or "true"


def _known_columns(geography: Geography) -> list[dict[str, object]]:
    """The columns of a record that tell whether its place exists, without the file of the geography."""
    digits = {column.name: _pattern(column.digits) for column in geography.place}
    return [
        {
            "text": literal(name),
            "quoted": quoted_name(name),
            "pattern": literal(digits[name]),
            "listed": literal(sorted({*others, *(value for part in geography.parts for value in part.where[name])})),
        }
        for name, others in geography.elsewhere.items()
    ]


def _is_requested(geography: Geography, places: Collection[str]) -> str:
    """Whether the geography file must list the place of a record; places: the columns that a record has.

    A record is known to be of no part that is run if its own columns say so.
    """
    if geography.elsewhere:
        return " or ".join(_condition(part, "person_records.") for part in geography.parts_run)
    others = [part for part in geography.parts if part not in geography.parts_run and part.where.keys() <= set(places)]
    known = " or ".join(_condition(part, "person_records.") for part in others)
    return f"({known}) is not true" if known else "true"


def geography_values(
    where: str, paths: Sequence[str], types: Sequence[Mapping[str, pa.DataType]], parameters: Parameters
) -> dict[str, object]:
    """Values that read the geography. Raises: InputError on missing columns."""
    wanted = geography_kinds(parameters, types[0])
    read = columns.column_expressions(where, types, wanted)
    return {
        "geography": list(paths),
        "geography_columns": [{"name": name, "quoted": quoted_name(name), "read": read[name]} for name in wanted],
        "coded_columns": [
            {"text": literal(name), "quoted": quoted_name(name), "pattern": literal(_pattern(digits))}
            for name, kind in wanted.items()
            for digits in [kind.width if isinstance(kind, columns.Code) else None]
            if digits is not None or name in place_kinds(parameters.geography)
        ],
    }


def _pattern(digits: int | None) -> str:
    return _JOINABLE if digits is None else f"[0-9]{{{digits}}}"
