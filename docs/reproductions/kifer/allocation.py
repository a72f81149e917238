"""The budget allocation of the 2020 redistricting data: how its rho was shared, exactly.

A universe (persons, housing units) has a rho; each level of geography gets a share of it, and each query a share of
the share of its level. rho of a measurement is the product. Source: Kifer, Application to the TopDown Algorithm.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.semantics.composition import Calls
from safetab_sql.semantics.profiles import CHANGED, Measurement, Profile, budget_against

FILE = Path(__file__).parent / "redistricting-2020.toml"
_NO_ATTRIBUTE = "TOTAL"


@dataclass(frozen=True, slots=True)
class Allocation:
    """A release of noisy histograms for neighbours that differ in one changed record.

    universes: name and rho. levels: of geography, coarsest first. measurements: one for each universe, level and query
    with a share above 0; its name is made of these three.
    """

    title: str
    universes: tuple[tuple[str, Fraction], ...]
    levels: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    secrets: Mapping[str, frozenset[str]]


def load_allocation(path: Path = FILE) -> Allocation:
    """The allocation in a TOML file. Raises: ValueError where the shares of levels, or of a level, do not sum to 1."""
    said = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)
    return Allocation(
        title=said["title"],
        universes=tuple((name, universe["rho"]) for name, universe in said["universes"].items()),
        levels=tuple(said["levels"]),
        measurements=tuple(_measurements(said)),
        secrets={name: frozenset(changed) for name, changed in said["secrets"].items()},
    )


def _measurements(said: Mapping[str, Any]) -> Iterator[Measurement]:
    """The measurements of every universe, level by level."""
    for name, universe in said["universes"].items():
        queries = {query: list(map(Fraction, row)) for query, row in universe["queries"].items()}
        shares = _whole(f"levels of {name}", list(map(Fraction, universe["levels"])))
        for place, (level, share) in enumerate(zip(said["levels"], shares, strict=True)):
            of_level = _whole(f"queries of {name} at {level}", [row[place] for row in queries.values()])
            for query, part in zip(queries, of_level, strict=True):
                words = frozenset(query.replace("*", " ").split()) - {_NO_ATTRIBUTE}
                if part > 0:
                    yield Measurement(f"{name}/{level}/{query}", universe["rho"] * share * part, words | {level})


def _whole(what: str, shares: Sequence[Fraction]) -> Sequence[Fraction]:
    if sum(shares) != 1:
        raise ValueError(f"the shares of {what} sum to {sum(shares)}, and not to 1")
    return shares


def allocation_profile(allocation: Allocation) -> Profile:
    """The profile of a release with noise of variance 1 / rho on every cell, for neighbours with one changed record.

    Two cells of each histogram change by 1: two calls, each discrete Gaussian with half the rho. Source: Kifer, TDA
    simplification.
    """
    total = sum((each.budget for each in allocation.measurements), Fraction(0))
    calls = tuple(Calls(DiscreteGaussian(each.budget / 2), 2) for each in allocation.measurements)
    return Profile(
        title=allocation.title,
        definition="zcdp",
        neighbours=CHANGED,
        budget=total,
        changed=total,
        levels=tuple(level_budgets(allocation).items()),
        secrets=tuple(
            (name, budget_against(allocation.measurements, changed)) for name, changed in allocation.secrets.items()
        ),
        calls=calls,
    )


def level_budgets(allocation: Allocation) -> Mapping[str, Fraction]:
    """The rho that each level of geography spends, all universes together."""
    return {
        level: sum((each.budget for each in allocation.measurements if level in each.attributes), Fraction(0))
        for level in allocation.levels
    }
