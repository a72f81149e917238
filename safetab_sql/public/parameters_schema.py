"""The JSON Schema of parameter files."""

from collections.abc import Mapping

from safetab_sql.public.census import GEOGRAPHY_KEYS, REQUIRED_IN_SHORT
from safetab_sql.public.geography_settings import REQUIRED
from safetab_sql.public.parameters import ParameterFile
from safetab_sql.settings.schema import file_schema


def parameters_schema() -> Mapping[str, object]:
    """What `load_parameters` reads of a TOML file."""
    is_own = {"anyOf": [{"required": [key]} for key in GEOGRAPHY_KEYS]}
    conditions: list[Mapping[str, object]] = [
        {"anyOf": [{"required": ["levels"]}, {"required": ["ladders"]}]},
        {
            "if": is_own,
            "then": {"required": list(REQUIRED)},
            "else": {"required": list(REQUIRED_IN_SHORT)},
        },
        {"if": {"required": ["ladders"]}, "then": {"required": ["attributes"]}},
    ]
    return file_schema("Parameters of safetab-sql", ParameterFile, conditions)
