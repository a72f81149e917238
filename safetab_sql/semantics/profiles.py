"""The budgets that protect one person in a release, from its ledger, an allocation, or one number."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.unit import Unit
from safetab_sql.published.manifest import exact_from_json, unit_from_json
from safetab_sql.published.release_facts import ReleasedLevel, released_level
from safetab_sql.published.released_budgets import budgets_by_level
from safetab_sql.published.released_whole import ReleasedWhole
from safetab_sql.semantics.allocation import Allocation, level_budgets
from safetab_sql.semantics.composition import Calls, Groups
from safetab_sql.semantics.per_attribute import Measurement, Secret, budgets_of_secrets

ADDED = "one person added or removed"
CHANGED = "one record changed"
UNSTATED = "the neighbours for which the budget was computed"
_NATIONS, _STATES = {"USA"}, {"STATE", "PR-STATE"}
_COUNTIES, _TRACTS = {"COUNTY", "PR-COUNTY"}, {"TRACT", "PR-TRACT"}
_OWN_TOTALS = {"one_person", "sum"}  # totals of a ledger that are of no part


@dataclass(frozen=True, slots=True)
class Profile:
    """The budgets that protect one person: rho (zcdp) or epsilon (puredp), exact.

    budget: for `neighbours`. changed: for one changed record. levels: name and budget, for `neighbours`. secrets: name
    and budget if only the attributes of the secret change. compositions: the calls that one person may be in. groups:
    the groups that one person may be in, if some of them may take one call and others two; else none. unit: what the
    budgets protect, if it is no person.
    """

    title: str
    definition: PrivacyDefinition
    neighbours: str
    budget: Fraction
    changed: Fraction
    levels: tuple[tuple[str, Fraction], ...] = ()
    secrets: tuple[tuple[str, Fraction], ...] = ()
    compositions: tuple[tuple[Calls, ...], ...] = ()
    groups: tuple[Groups, ...] = ()
    unit: Unit = field(default_factory=Unit)


def budget_profile(definition: PrivacyDefinition, budget: Fraction) -> Profile:
    """The profile of a budget alone: the noise is not known."""
    unit = UNITS[definition]
    return Profile(f"{unit} = {budget}", definition, UNSTATED, budget, budget)


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
        secrets=_named(allocation.measurements, allocation.secrets),
        compositions=(calls,),
    )


def manifest_profile(manifest: Mapping[str, Any], title: str) -> Profile:
    """The profile of a run, from what its manifest says in `ledger` and `parameters`.

    Raises: KeyError, TypeError or ValueError where that is not the manifest of a run.
    """
    entries = manifest["ledger"]
    definition = cast(PrivacyDefinition, entries["privacy_definition"])
    if definition not in ("zcdp", "puredp"):
        raise ValueError(f"privacy_definition {definition!r}")
    levels = [released_level(level) for level in entries["levels"]]
    named = {level.part.lower(): level.part for level in levels}
    totals = {
        named.get(name, name): exact_from_json(total)
        for name, total in entries["totals"].items()
        if name not in _OWN_TOTALS
    }
    larger = max(totals, key=lambda part: totals[part])
    secrets: dict[str, Fraction] = {}
    for part, total in totals.items():
        if total > 0:
            measurements = _measurements([level for level in levels if level.part == part])
            found = _named(measurements, _secrets(manifest["parameters"], part))
            secrets |= {name: max(budget, secrets.get(name, Fraction(0))) for name, budget in found}
    # With shares, people are in different groups: what is said of them rests on the loss alone.
    has_shares = any(level.whole is not None for level in levels)
    groups = () if has_shares else _groups([level for level in levels if level.part == larger])
    return Profile(
        title=title,
        definition=definition,
        neighbours=ADDED,
        budget=totals[larger],
        changed=2 * totals[larger],
        levels=(*budgets_by_level(levels).items(), *_unequal(levels)),
        secrets=tuple(secrets.items()),
        compositions=() if has_shares else _compositions(groups),
        groups=groups,
        unit=unit_from_json(manifest["parameters"].get("unit", {})),
    )


def _unequal(levels: Sequence[ReleasedLevel]) -> Iterator[tuple[str, Fraction]]:
    """What people in an alone iteration lose at levels with shares, and what they would lose with equal ones."""
    for whole in dict.fromkeys(level.whole for level in levels if level.whole is not None):
        yield f"{whole.name}, of somebody in an alone iteration", whole.alone
        yield f"{whole.name}, the same with equal shares", whole.equal_alone


def _named(measurements: Sequence[Measurement], secrets: Sequence[Secret]) -> tuple[tuple[str, Fraction], ...]:
    return tuple((secret.name, budget) for secret, budget in budgets_of_secrets(measurements, secrets))


def _measurements(levels: Sequence[ReleasedLevel]) -> list[Measurement]:
    """For each level, the totals and the cells of all groups that a person can be in, for one changed record.

    Their budgets are twice the ledger's, which are for one person added or removed: see per_attribute.py. The totals
    (stage 1) do not depend on sex and age; the cells (stage 2) do. A group that only gets a total spends on it what
    other groups spend in both stages; it depends on neither sex nor age. Source: tabulation.md section 5.
    """
    found = []
    seen: set[ReleasedWhole] = set()
    for level in levels:
        region_type, iteration_level = level.level.region_type, level.level.iteration_level
        where = frozenset({region_type, f"iteration level {iteration_level}"})
        budgets = level.calls.budgets
        if level.whole is None:
            totals, cells = (2 * level.stability * budget for budget in (budgets.stage_1, budgets.stage_2))
        elif level.whole in seen:
            continue
        else:
            seen.add(level.whole)
            stage_1 = budgets.stage_1 / budgets.total_only
            totals, cells = 2 * level.whole.budget * stage_1, 2 * level.whole.budget * (1 - stage_1)
        found.append(Measurement(f"{level.name} totals", totals, where))
        found.append(Measurement(f"{level.name} cells", cells, where | {"sex and age"}))
    return found


def _secrets(parameters: Mapping[str, Any], part: str) -> list[Secret]:
    """The secrets that a person of one part may want to hide.

    A region type that a parameter file declares may divide even a tract, so it counts as changed with every "where".
    With a geography of its own, every region type counts: only "where" as a whole is a secret there.
    """
    kinds = {kind["name"] for kind in parameters["region_types"] if kind["part"] == part}
    levels = {"iteration level " + level["level"].rpartition("-")[2] for level in parameters["levels"]}
    is_standard = "run_us" in parameters
    below_state = kinds - _NATIONS - _STATES
    levels |= {"iteration level 1", "iteration level 2"} if "max_race_codes" in parameters else set()
    secrets = [Secret("the whole record, replaced by another", frozenset(kinds | levels | {"sex and age"}))]
    if "max_race_codes" in parameters:
        secrets += [
            Secret("race and ethnicity", frozenset(levels)),
            Secret("the detailed race and ethnicity, given the regional one", frozenset({"iteration level 2"})),
        ]
    else:
        secrets.append(Secret("the answers to all questions", frozenset(levels)))
    secrets.append(Secret("sex and age", frozenset({"sex and age"})))
    if not is_standard:
        return [*secrets, Secret("where", frozenset(kinds))]
    if part == "US":
        secrets.append(Secret("where in the nation", frozenset(kinds - _NATIONS)))
    secrets += [
        Secret("where in the state", frozenset(below_state)),
        Secret("where in the county", frozenset(below_state - _COUNTIES)),
        Secret("where in the tract", frozenset(below_state - _COUNTIES - _TRACTS)),
    ]
    return secrets


def _groups(levels: Sequence[ReleasedLevel]) -> tuple[Groups, ...]:
    """The groups of each level that one person can be in. Source: spec accounting.md, Privacy-loss distribution."""
    return tuple(
        Groups(level.calls.total_only.law, level.calls.stage_1.law, level.calls.stage_2.law, level.stability)
        for level in levels
        if level.calls.stage_1 is not None
    )


def _compositions(groups: Sequence[Groups]) -> tuple[tuple[Calls, ...], tuple[Calls, ...]]:
    """The calls if all groups of a person take both stages, and if all take one total."""
    both = [Calls(law, each.times) for each in groups for law in (each.first, each.second)]
    return tuple(both), tuple(Calls(each.one, each.times) for each in groups)
