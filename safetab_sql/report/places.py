"""What the packed groups of the page share: values that are stored once, and the order of regions."""

from collections.abc import Callable, Sequence
from typing import Any

from safetab_sql.report.release import Reported


class Places:
    """Values in the order in which they were first met, and the place of each."""

    def __init__(self) -> None:
        self.found: dict[tuple[Any, ...], int] = {}

    def of(self, value: tuple[Any, ...]) -> int:
        """The place of a value, a new one at the end."""
        return self.found.setdefault(value, len(self.found))

    @property
    def values(self) -> list[tuple[Any, ...]]:
        """The values in their order."""
        return list(self.found)


def region_order(release: Reported) -> Callable[[Sequence[Any]], tuple[object, ...]]:
    """A sort key of region types and ids: the order of the parameters, but the nation first; then by id."""
    types = [kind.name for kind in release.facts.parameters.region_types]
    places = {name: place for place, name in enumerate(sorted(types, key=lambda name: name != "USA"))}
    return lambda region: (places[region[0]], *_by_number(region[1]))


def _by_number(region_id: str) -> tuple[object, ...]:
    """A sort key of ids that sorts numbers by their size: 2 before 10."""
    is_number = region_id.isascii() and region_id.isdigit()
    return not is_number, len(region_id) if is_number else 0, region_id


def as_shown(value: float) -> float:
    """A count for the page: a whole number where it is one, and otherwise to a tenth."""
    return int(value) if value == int(value) else round(value, 1)
