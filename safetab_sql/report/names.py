"""Names of regions and of iterations: a release has them beside its tables, or somebody gives code lists."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from safetab_sql.public.states import STATE_NAMES

_NATION, _STATES = "USA", ("STATE", "PR-STATE")


@dataclass(frozen=True, slots=True)
class Names:
    """iterations: names by code. regions: by region type and id, as a file of names gave them to the run."""

    iterations: Mapping[str, str] = field(default_factory=dict)
    regions: Mapping[tuple[str, str], str] = field(default_factory=dict)


def iteration_name(names: Names, code: str) -> str:
    """The name of an iteration; its code where nobody gave a name."""
    return names.iterations.get(code) or code


def region_name(names: Names, region_type: str, region_id: str) -> str:
    """The name of a region, with type and id where other regions may have the same name.

    Without a given name: of the nation and of states their own, of any other region its type and id.
    """
    given = names.regions.get((region_type, region_id))
    code = f"{region_type} {region_id}"
    if region_type == _NATION:
        return given or "United States"
    if region_type in _STATES:
        return given or STATE_NAMES.get(region_id, code)
    return f"{given} · {code}" if given else code
