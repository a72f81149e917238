"""The JSON Schema of parameter files."""

from collections.abc import Mapping

from safetab_sql.public.geography_settings import OWN_KEYS, OWN_REQUIRED, STANDARD_REQUIRED
from safetab_sql.public.parameters import ParameterFile
from safetab_sql.settings.schema import file_schema


def parameters_schema() -> Mapping[str, object]:
    """What `load_parameters` reads of a TOML file."""
    is_own = {"anyOf": [{"required": [key]} for key in OWN_KEYS]}
    conditions: list[Mapping[str, object]] = [
        {"anyOf": [{"required": ["levels"]}, {"required": ["ladders"]}]},
        {
            "if": is_own,
            "then": {"required": list(OWN_REQUIRED)},
            "else": {"required": ["allow_negative_counts", *STANDARD_REQUIRED]},
        },
        {"if": {"required": ["ladders"]}, "then": {"required": ["attributes"]}},
    ]
    return file_schema("Parameters of safetab-sql", ParameterFile, conditions)
