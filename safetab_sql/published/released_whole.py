"""Levels whose budget shares divide by kind of iteration, as the ledger of a release has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from safetab_sql.published.manifest import exact_from_json


@dataclass(frozen=True, slots=True)
class ReleasedWhole:
    """A level whose budget shares divide by kind of iteration. alone: the loss of somebody in an alone iteration.

    others: the loss of everybody else; both at most, rho. equal_alone: what somebody in an alone iteration would lose
    with equal shares.
    """

    name: str
    budget: Fraction
    shares: tuple[tuple[str, Fraction], ...]
    alone: Fraction
    others: Fraction
    equal_alone: Fraction


def released_whole(entry: Mapping[str, Any]) -> ReleasedWhole:
    """The whole of a level in a ledger. Raises: LookupError, TypeError or ValueError where it is ill-formed."""
    return ReleasedWhole(
        str(entry["level"]),
        exact_from_json(entry["budget"]),
        tuple((kind, exact_from_json(share)) for kind, share in entry["shares"].items()),
        exact_from_json(entry["loss_in_an_alone_iteration"]),
        exact_from_json(entry["loss_of_others"]),
        exact_from_json(entry["loss_in_an_alone_iteration_with_equal_shares"]),
    )
