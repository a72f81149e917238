"""The values that the statements under sql/ need, by name, from public parameters and stored types."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public import columns
from safetab_sql.public.levels import DETAILED_ONLY
from safetab_sql.public.parameters import Parameters, flags_read, tabulated_levels
from safetab_sql.public.place_values import has_number_key, key_expression, place_kinds, place_values

StoredTypes = Sequence[Mapping[str, pa.DataType]]

# The columns that sql/run/1_inputs/person_records.sql adds for the place of a record.
RESERVED_PERSON_COLUMNS = ("person_file", "file_row_number")

LIST_COLUMNS: Mapping[str, tuple[str, Mapping[str, columns.Kind]]] = {
    "codes_list": ("codes_columns", columns.CODES),
    "race_iterations": ("race_columns", columns.RACE_ITERATIONS),
    "ethnicity_iterations": ("ethnicity_columns", columns.ETHNICITY_ITERATIONS),
    "code_iterations": ("code_iterations_columns", columns.CODE_ITERATIONS),
}


def parameter_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the parameters: states, race codes, region types and levels."""
    levels = [level.level for level in tabulated_levels(parameters)]
    kinds = {kind.name: kind for kind in parameters.region_types}
    tabulated_kinds = [kinds[name] for name in dict.fromkeys(level.region_type for level in levels)]
    return {
        **place_values(parameters),
        "max_race_codes": parameters.max_race_codes,
        "code_columns": [*columns.RACE_COLUMNS[: parameters.max_race_codes], "QSPAN"],
        "region_types": [
            {
                "name": kind.name,
                "id": kind.id,
                "none_id": literal(kind.none_id or ""),
                "part": literal(kind.part),
            }
            for kind in tabulated_kinds
        ],
        "level_region_types": [level.region_type for level in levels],
        "level_iteration_levels": [level.iteration_level for level in levels],
        "level_without": [kinds[level.region_type].without or "" for level in levels],
        "total_only": DETAILED_ONLY,
        "withouts": sorted({kind.without or "" for kind in parameters.region_types}),
    }


def list_values(
    name: str, where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters
) -> dict[str, object]:
    """Values that read code list `name` (a key of LIST_COLUMNS). Raises: InputError on missing columns."""
    columns_name, wanted = LIST_COLUMNS[name]
    flags = flags_read(parameters) if "LEVEL" in wanted else ()
    read = columns.column_expressions(where, types, {**wanted, **{flag: columns.Flag() for flag in flags}})
    given = ", ".join(f"{literal(flag)}: {read[flag]}" for flag in flags)
    return {name: list(paths), columns_name: {**read, "FLAGS": f"map {{ {given} }}"}}


def person_values(
    where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters, person_id: str | None = None
) -> dict[str, object]:
    """Values that read the person files. person_id: the column that holds the id of each person, if there is one.

    Raises: InputError on missing columns.
    """
    taken = [name for name in RESERVED_PERSON_COLUMNS if any(name in file for file in types)]
    what = "is the name that statements give to the place of a record"
    refuse([Problem(f"{where} [{name}]", what, "rename it") for name in taken])
    places = place_kinds(parameters.geography)
    wanted = columns.person_columns(parameters.max_race_codes, places)
    unread = {name: "as_text(null)" for name in columns.RACE_COLUMNS if name not in wanted}
    stored = {f"{name}_STORED": quoted_name(name) for name in wanted} | {f"{name}_STORED": "null" for name in unread}
    id_column = {} if person_id is None or person_id in wanted else {person_id: columns.Plain()}
    read = columns.column_expressions(where, types, {**wanted, **id_column})
    return {
        "persons": list(paths),
        "place_columns": [{"name": name, "quoted": quoted_name(name), "read": read[name]} for name in places],
        "person_key": _person_key(parameters, read),
        "person_columns": {
            "QAGE_GIVEN": 'as_text("QAGE")',
            "PERSON_ID": f"as_text({'null' if person_id is None else read[person_id]})",
            **{name: read[name] for name in wanted},
            **unread,
            **stored,
        },
    }


def _person_key(parameters: Parameters, read: Mapping[str, str]) -> str:
    """The key of a person's place. A key that is a number is made of the codes as they are stored, which is fast."""
    place = parameters.geography.place
    stored = [quoted_name(column.name) for column in place]
    return key_expression(place, stored if has_number_key(place) else [read[column.name] for column in place])
