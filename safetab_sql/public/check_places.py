"""What the checks call the inputs and the parameters: the names in braces in their headers."""

from collections.abc import Mapping

from safetab_sql.public.list_values import CODES, MEMBERS
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.sources import Source


def places_of(parameters: Parameters, sources: Mapping[str, Source]) -> dict[str, str]:
    """What the checks say of the inputs and the parameters: the names in braces in their headers."""
    shared = parameters.questions.shared
    place = ", ".join(column.name for column in parameters.geography.place)
    iterations = [sources[each.source].given for each in parameters.questions.all if each.source in sources]
    return {
        "parameters": str(parameters.source),
        "place": place,
        "answers": ", ".join(name for each in parameters.questions.all for name in each.columns),
        "universe": ", ".join(parameters.unit.where),
        "iterations": ", ".join(iterations) or str(parameters.source),
        "code_column": shared.code,
        "levels": ", ".join([*shared.untabulated, *shared.levels]) or "a text without a hyphen",
        CODES: str(parameters.source),
        MEMBERS: str(parameters.source),
        **{name: source.given for name, source in sources.items()},
    }
