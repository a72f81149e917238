"""What somebody who mistyped a name most likely meant."""

import difflib
from collections.abc import Iterable

_LIKENESS = 0.65  # the least of two names of which one is taken for the other: COUNTRY is COUNTY, DISTRICT is no TRACT


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The name among `known` that is most like `given`; None where none is."""
    near = difflib.get_close_matches(given, list(known), n=1, cutoff=_LIKENESS)
    return near[0] if near else None
