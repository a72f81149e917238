"""What the checks of attributes are made with: each of these checks is made once for every attribute of its kind."""

from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.attributes import Attribute, columns_of
from safetab_sql.public.checks import Each
from safetab_sql.public.parameters import Parameters

_MOST_SHOWN = 8  # values of a list in a message


def checked_attributes(parameters: Parameters) -> dict[str, list[Each]]:
    """The attributes by their kind, as the field `each` of a check calls it."""
    listed = [attribute for attribute in parameters.attributes if attribute.is_listed]
    numbers = [attribute for attribute in parameters.attributes if not attribute.is_listed]
    return {
        "listed_attributes": [_each(attribute, _shown(attribute.values)) for attribute in listed],
        "number_attributes": [_each(attribute, f"{attribute.minimum} to {attribute.maximum}") for attribute in numbers],
    }


def _each(attribute: Attribute, values: str) -> Each:
    number, given = columns_of(attribute.name)
    leave = attribute.name.lower()
    return Each(
        values={
            "attribute": {
                "column": literal(attribute.column),
                "quoted": quoted_name(number),
                "given": quoted_name(given),
                "first": attribute.minimum,
                "last": attribute.maximum,
            }
        },
        places={
            "attribute": attribute.name,
            "column": attribute.column,
            "values": values,
            "leave": f'unit.leave_out = ["{leave}"]',
        },
        leave=leave,
    )


def _shown(values: tuple[str, ...]) -> str:
    more = ", ..." if len(values) > _MOST_SHOWN else ""
    return ", ".join(values[:_MOST_SHOWN]) + more
