"""Budget allocations of releases that are not SafeTab's, such as the 2020 redistricting data: read, checked, exact.

A universe (persons, housing units) has a rho; each level of geography gets a share of it, and each query a share of
the share of its level. rho of a measurement is the product. Source: Kifer, Application to the TopDown Algorithm.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.kit.errors import refuse
from safetab_sql.public.budgets import exact_decimal
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    read_settings,
    table_at,
    text_at,
)
from safetab_sql.semantics.per_attribute import Measurement, Secret

ALLOCATION_KEYS = ("title", "levels", "universes", "secrets")
UNIVERSE_KEYS = ("rho", "levels", "queries")
SHARE = re.compile(r"[0-9]{1,20}(/[1-9][0-9]{0,19})?")
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
    secrets: tuple[Secret, ...]


def load_allocation(path: Path) -> Allocation:
    """The allocation in a TOML file. Raises: InputError with every problem, sums that are not 1 included."""
    settings = read_settings(path)
    document = settings.document
    complain_unknown(settings, (), document, ALLOCATION_KEYS)
    complain_missing(settings, (), ALLOCATION_KEYS, document)
    levels = _texts(settings, ("levels",), document.get("levels", []))
    universes = table_at(settings, ("universes",), document.get("universes", {}))
    rhos: list[tuple[str, Fraction]] = []
    measurements: list[Measurement] = []
    for name, table in universes.items():
        place = ("universes", name)
        entries = table_at(settings, place, table)
        complain_unknown(settings, place, entries, UNIVERSE_KEYS)
        complain_missing(settings, place, UNIVERSE_KEYS, entries)
        rho = _rho(settings, place, entries.get("rho", "1"))
        rhos.append((name, rho))
        shares = _shares(settings, (*place, "levels"), entries.get("levels", []), len(levels))
        _complain_sum(settings, place, "levels", shares)
        measurements += _measurements(settings, place, entries.get("queries", {}), [rho * share for share in shares])
    found = Allocation(
        title=text_at(settings, ("title",), document.get("title", "untitled")),
        universes=tuple(rhos),
        levels=tuple(levels),
        measurements=_named_by_level(measurements, levels),
        secrets=_secrets(settings, document.get("secrets", {}), levels, measurements),
    )
    refuse(settings.problems)
    return found


def _measurements(settings: Settings, place: Place, value: object, budgets: Sequence[Fraction]) -> list[Measurement]:
    """The measurements of a universe, level by level. budgets: rho of its levels; levels are named by their number."""
    queries = table_at(settings, (*place, "queries"), value)
    shares = {name: _shares(settings, (*place, "queries", name), row, len(budgets)) for name, row in queries.items()}
    found = []
    for level, budget in enumerate(budgets):
        _complain_sum(settings, (*place, "queries"), f"column {level + 1}", [row[level] for row in shares.values()])
        for name, row in shares.items():
            words = frozenset(name.replace("*", " ").split()) - {_NO_ATTRIBUTE}
            if row[level] > 0:
                found.append(Measurement(f"{place[-1]}/{level}/{name}", budget * row[level], words | {str(level)}))
    return found


def _named_by_level(measurements: Sequence[Measurement], levels: Sequence[str]) -> tuple[Measurement, ...]:
    """The measurements with the names of their levels in place of the numbers."""
    names = {str(number): name for number, name in enumerate(levels)}
    renamed = []
    for each in measurements:
        universe, number, query = each.name.split("/", 2)
        attributes = frozenset(names.get(attribute, attribute) for attribute in each.attributes)
        renamed.append(Measurement(f"{universe}/{names[number]}/{query}", each.budget, attributes))
    return tuple(renamed)


def _secrets(
    settings: Settings, value: object, levels: Sequence[str], measurements: Sequence[Measurement]
) -> tuple[Secret, ...]:
    words = {word for each in measurements for word in each.attributes if not word.isdecimal()}
    known = (*levels, *sorted(words))
    found = []
    for name, row in table_at(settings, ("secrets",), value).items():
        changed = _texts(settings, ("secrets", name), row)
        complain_unknown(settings, ("secrets",), changed, known)
        found.append(Secret(name, frozenset(changed)))
    return tuple(found)


def _texts(settings: Settings, place: Place, value: object) -> list[str]:
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        if len(set(value)) == len(value):
            return value
        complain_value(settings, place, value, "name each once")
        return []
    complain_value(settings, place, value, 'write a list of names in quotes, such as ["State", "County"]')
    return []


def _rho(settings: Settings, place: Place, value: object) -> Fraction:
    rho = exact_decimal(value)
    if rho is not None and rho > 0:
        return rho
    complain_value(settings, (*place, "rho"), value, "write a decimal above 0, such as 2.56")
    return Fraction(1)


def _shares(settings: Settings, place: Place, value: object, count: int) -> list[Fraction]:
    """The shares in a list of `count` texts such as "104/4099"; zeros where it is none."""
    texts = value if isinstance(value, list) else []
    good = [text for text in texts if isinstance(text, str) and SHARE.fullmatch(text)]
    if len(good) == len(texts) == count:
        return [Fraction(text) for text in good]
    complain_value(settings, place, value, f'write {count} shares in quotes, one a level, such as "104/4099"')
    return [Fraction(0)] * count


def _complain_sum(settings: Settings, table: Place, what: str, shares: Sequence[Fraction]) -> None:
    total = sum(shares, Fraction(0))
    if total != 1:
        complain(settings, table, f"the shares of {what} sum to {total}", "make them sum to 1 exactly")


def level_budgets(allocation: Allocation) -> Mapping[str, Fraction]:
    """The rho that each level of geography spends, all universes together."""
    return {
        level: sum((each.budget for each in allocation.measurements if level in each.attributes), Fraction(0))
        for level in allocation.levels
    }
