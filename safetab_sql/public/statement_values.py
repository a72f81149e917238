"""The values that the statements under sql/ need, by name, from public parameters and stored types."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public import columns
from safetab_sql.public.levels import STANDARD_REGION_TYPES
from safetab_sql.public.parameters import Parameters, requested_states, tabulated_levels
from safetab_sql.public.states import PUERTO_RICO, US_STATES

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
        "states": list(requested_states(parameters)),
        "known_states": [*US_STATES, PUERTO_RICO.code],
        "max_race_codes": parameters.max_race_codes,
        "block_columns": [
            {"name": name, "digits": kind.width}
            for name, kind in columns.GEOGRAPHY.items()
            if name.startswith("TAB") and isinstance(kind, columns.Code)
        ],
        "code_columns": [*columns.RACE_COLUMNS[: parameters.max_race_codes], "QSPAN"],
        "region_types": [
            {
                "name": kind.name,
                "id": kind.id,
                "none_id": literal(kind.none_id or ""),
                "is_puerto_rico": literal(kind.part == "PR"),
            }
            for kind in tabulated_kinds
        ],
        "level_region_types": [level.region_type for level in levels],
        "level_iteration_levels": [level.iteration_level for level in levels],
        "level_is_sub_state": [kinds[level.region_type].is_sub_state for level in levels],
    }


def list_values(name: str, where: str, paths: Sequence[str], types: StoredTypes) -> dict[str, object]:
    """Values that read code list `name` (a key of LIST_COLUMNS). Raises: InputError on missing columns."""
    columns_name, wanted = LIST_COLUMNS[name]
    return {name: list(paths), columns_name: columns.column_expressions(where, types, wanted)}


def geography_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """Values that read the geography. Raises: InputError on missing columns.

    Columns besides the six standard ones are kept if the parameters declare region types.
    """
    has_own = any(kind not in STANDARD_REGION_TYPES for kind in parameters.region_types)
    extra = [name for name in types[0] if name not in columns.GEOGRAPHY] if has_own else []
    return {
        "geography": list(paths),
        "geography_columns": columns.column_expressions(where, types, columns.GEOGRAPHY),
        "extra_columns": [quoted_name(name) for name in extra],
    }


def person_values(
    where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters, person_id: str | None = None
) -> dict[str, object]:
    """Values that read the person files. person_id: the column that holds the id of each person, if there is one.

    Raises: InputError on missing columns.
    """
    taken = [name for name in RESERVED_PERSON_COLUMNS if any(name in file for file in types)]
    what = "is the name that statements give to the place of a record"
    refuse([Problem(f"{where} [{name}]", what, "rename it") for name in taken])
    wanted = columns.person_columns(parameters.max_race_codes)
    unread = {name: "as_text(null)" for name in columns.RACE_COLUMNS if name not in wanted}
    stored = {f"{name}_STORED": quoted_name(name) for name in wanted} | {f"{name}_STORED": "null" for name in unread}
    id_column = {} if person_id is None or person_id in wanted else {person_id: columns.Plain()}
    read = columns.column_expressions(where, types, {**wanted, **id_column})
    return {
        "persons": list(paths),
        "person_columns": {
            "QAGE_GIVEN": 'as_text("QAGE")',
            "PERSON_ID": f"as_text({'null' if person_id is None else read[person_id]})",
            **{name: read[name] for name in wanted},
            **unread,
            **stored,
        },
    }
