"""An allocation of one's own: how the rho of noisy histograms is shared by levels of geography and by queries, exactly.

rho of a measurement is the product of its shares. The file: semantics.md section 4.3. Source: Kifer, TopDown Algorithm.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.semantics.composition import Calls
from safetab_sql.semantics.profiles import CHANGED, Measurement, Profile, budget_against
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.markers import Decimal, Fix, Sized, Texts, Words, text
from safetab_sql.settings.reading import Document, Place, read_as, read_toml
from safetab_sql.settings.tables import REQUIRED, ReadAs, table

_ABOUT_SHARES = 'write a list with a share for each level, such as ["0", "1/3", "0.25"]'
_Share = Annotated[str, text(r"\d{1,18}(/[1-9]\d{0,17}|\.\d{1,18})?", _ABOUT_SHARES)]
_Shares = Annotated[
    tuple[Fraction, ...], ReadAs(tuple[_Share, ...], lambda said: tuple(map(Fraction, said))), Fix(_ABOUT_SHARES)
]


@table
class Universe:
    """What is counted together, such as persons. levels: shares of rho. queries: shares of the rho of each level."""

    rho: Annotated[Fraction, Decimal(0, LARGEST_BUDGET, "write a decimal above 0", without_least=True)]
    levels: _Shares
    queries: Annotated[Mapping[str, _Shares], Sized(1, fix="write the share of a query, of each level")]


@table
class Allocation:
    """The keys of the file."""

    title: Annotated[Words, REQUIRED] = ""
    levels: Annotated[Texts, REQUIRED] = ()
    universes: Annotated[Mapping[str, Universe], REQUIRED] = field(default_factory=dict, hash=False)
    secrets: Mapping[str, Texts] = field(default_factory=dict, hash=False)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One for each universe, level and query with a share above 0, named by these."""
        return tuple(
            Measurement(
                f"{name}/{level}/{query}", budget, frozenset(query.replace("*", " ").split()) - {"TOTAL"} | {level}
            )
            for name, universe in self.universes.items()
            for place, level in enumerate(self.levels)
            for query, shares in universe.queries.items()
            if (budget := universe.rho * universe.levels[place] * shares[place])
        )


def load_allocation(path: Path) -> Allocation:
    """The allocation in a TOML file. Raises: InputError with every problem, such as shares that do not add up to 1."""
    document = read_toml(path)
    read = read_as(Allocation, document)
    refuse(read.problems)
    said, levels = read.found, read.found.levels
    refuse([problem for name, each in said.universes.items() for problem in _wrong(document, levels, name, each)])
    known = frozenset(levels).union(*(each.attributes for each in said.measurements))
    unknown = {name: sorted(set(changed) - known) for name, changed in said.secrets.items()}
    wrong = [f"{name}: nothing depends on {', '.join(each)}" for name, each in unknown.items() if each]
    refuse([document.problem(("secrets",), what, "name words of queries, or levels") for what in wrong])
    return said


def _wrong(document: Document, levels: Sequence[str], name: str, universe: Universe) -> Iterator[Problem]:
    """Rows of another length than the levels, and shares that do not add up to 1."""
    place: Place = ("universes", name)
    rows = {"levels": universe.levels, **universe.queries}
    if short := [row for row, shares in rows.items() if len(shares) != len(levels)]:
        yield document.problem(place, f"{', '.join(short)}: not one share for each level", _ABOUT_SHARES)
        return
    columns = zip(levels, zip(*universe.queries.values(), strict=True), strict=True)
    for what, shares in (("levels", universe.levels), *((f"queries at {level}", column) for level, column in columns)):
        if sum(shares) != 1:
            yield document.problem(place, f"the shares of {what} add up to {sum(shares)}", "make them add up to 1")


def allocation_profile(allocation: Allocation) -> Profile:
    """The profile of a release with noise of variance 1 / rho on every cell, for neighbours with one changed record.

    Two cells of each histogram change by 1: two calls, each discrete Gaussian with half the rho. Source: Kifer, TDA
    simplification.
    """
    measurements = allocation.measurements
    total = sum((each.budget for each in measurements), Fraction(0))

    def costs(changed: Mapping[str, Sequence[str]]) -> tuple[tuple[str, Fraction], ...]:
        return tuple((name, budget_against(measurements, frozenset(each))) for name, each in changed.items())

    return Profile(
        title=allocation.title,
        definition="zcdp",
        neighbours=CHANGED,
        budget=total,
        changed=total,
        levels=costs({level: (level,) for level in allocation.levels}),
        secrets=costs(allocation.secrets),
        calls=tuple(Calls(DiscreteGaussian(each.budget / 2), 2) for each in measurements),
    )
