"""Budget allocations of releases that are not SafeTab's, such as the 2020 redistricting data: read, checked, exact.

A universe (persons, housing units) has a rho; each level of geography gets a share of it, and each query a share of
the share of its level. rho of a measurement is the product. Source: Kifer, Application to the TopDown Algorithm.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.semantics.per_attribute import Measurement, Secret
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Base, Fix, Means, ReadAs, Text, Words, texts
from safetab_sql.settings.reading import Document, Read, read_as, read_toml
from safetab_sql.settings.tables import REQUIRED, table
from safetab_sql.settings.wrong import Place

_NO_ATTRIBUTE = "TOTAL"
_LARGEST_RHO = 10**50  # decimals are no larger
_ABOUT_SHARES = 'write shares in quotes, one a level, such as "104/4099"'

_Names = Annotated[
    tuple[str, ...],
    ReadAs(texts('write a list of names in quotes, such as ["State", "County"]', once_fix="name each once"), tuple),
]
_Shares = Annotated[
    tuple[Fraction, ...],
    ReadAs(
        tuple[Annotated[str, Text("[0-9]{1,20}(/[1-9][0-9]{0,19})?")], ...],
        lambda shares: tuple(Fraction(share) for share in shares),
    ),
    Fix(_ABOUT_SHARES),
]


@table
class Universe:
    """A budget, and how levels and queries share it."""

    rho: Annotated[
        Fraction,
        Decimal(0, _LARGEST_RHO, "write a decimal above 0, such as 2.56", without_least=True),
        Means("of the whole universe"),
    ]
    levels: Annotated[_Shares, Means("one for each level, such as 104/4099")]
    queries: Annotated[Mapping[str, _Shares], Means("by query, its share of each level")]


@table
class AllocationFile:
    """The keys of a budget allocation."""

    title: Annotated[Words, REQUIRED, Means("of the release")] = "untitled"
    levels: Annotated[_Names, REQUIRED, Means("of geography, coarsest first")] = ()
    universes: Annotated[Mapping[str, Universe], REQUIRED, Means("such as persons")] = field(
        default_factory=dict, hash=False
    )
    secrets: Annotated[Mapping[str, _Names], REQUIRED, Means("by name: the attributes that it changes")] = field(
        default_factory=dict, hash=False
    )
    base: Base = None


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
    secrets: tuple[Secret, ...]


def load_allocation(path: Path) -> Allocation:
    """The allocation in a TOML file. Raises: InputError with every problem, sums that are not 1 included."""
    document = read_toml(path)
    read = read_as(AllocationFile, document)
    file = read.found
    measurements = tuple(_measurements(file))
    is_whole = read.is_sound(("levels",)) and read.is_sound(("universes",))
    secrets = _secret_problems(document, file, measurements) if is_whole else ()
    refuse([*read.problems, *_share_problems(document, read), *secrets])
    return Allocation(
        title=file.title,
        universes=tuple((name, universe.rho) for name, universe in file.universes.items()),
        levels=file.levels,
        measurements=measurements,
        secrets=tuple(Secret(name, frozenset(changed)) for name, changed in file.secrets.items()),
    )


def _measurements(file: AllocationFile) -> Iterator[Measurement]:
    """The measurements of every universe, level by level."""
    for universe, each in file.universes.items():
        for place, (level, share) in enumerate(zip(file.levels, each.levels, strict=False)):
            for query, row in each.queries.items():
                words = frozenset(query.replace("*", " ").split()) - {_NO_ATTRIBUTE}
                if place < len(row) and row[place] > 0:
                    yield Measurement(f"{universe}/{level}/{query}", each.rho * share * row[place], words | {level})


def _share_problems(document: Document, read: Read[AllocationFile]) -> Iterator[Problem]:
    """Shares of more or fewer levels than there are, and shares that do not sum to 1."""
    if not read.is_sound(("levels",)):
        return
    count = len(read.found.levels)
    for name, universe in read.found.universes.items():
        place = ("universes", name)
        rows: dict[Place, tuple[Fraction, ...]] = {("levels",): universe.levels}
        rows |= {("queries", query): row for query, row in universe.queries.items()}
        wrong = [inside for inside, row in rows.items() if len(row) != count]
        for inside in wrong:
            fix = f'write {count} shares in quotes, one a level, such as "104/4099"'
            yield document.value_problem((*place, *inside), list(map(str, rows[inside])), fix)
        if not wrong and read.is_sound(place):
            yield from _sum_problems(document, place, "levels", universe.levels)
            for level, column in enumerate(zip(*universe.queries.values(), strict=True), start=1):
                yield from _sum_problems(document, (*place, "queries"), f"column {level}", column)


def _sum_problems(document: Document, table: Place, what: str, shares: Sequence[Fraction]) -> Iterator[Problem]:
    total = sum(shares, Fraction(0))
    if total != 1:
        yield document.problem(table, f"the shares of {what} sum to {total}", "make them sum to 1 exactly")


def _secret_problems(
    document: Document, file: AllocationFile, measurements: Sequence[Measurement]
) -> Iterator[Problem]:
    """Attributes of secrets that no query has."""
    known = (*file.levels, *sorted({word for each in measurements for word in each.attributes} - set(file.levels)))
    for name in [name for changed in file.secrets.values() for name in changed if name not in known]:
        yield document.unknown_key(("secrets",), name, known)


def level_budgets(allocation: Allocation) -> Mapping[str, Fraction]:
    """The rho that each level of geography spends, all universes together."""
    return {
        level: sum((each.budget for each in allocation.measurements if level in each.attributes), Fraction(0))
        for level in allocation.levels
    }
