"""Level budgets, gamma, thresholds and shares by kind that make the weighted error of stated uses small for one loss.

Given gamma and thresholds, and so the chances of each table, the weighted squared error is a sum of a / b^p over groups
(p = 1 under zCDP, 2 under pure DP), convex in the budgets b, and its least value under a fixed loss has a closed form.
Given the budgets, the best thresholds of a level are found exactly among many. The two take turns for each gamma of a
list: a local search, whose result is the best that it saw, no proved optimum. Source: accounting.md section 5.4.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.expected_errors import (
    Sizes,
    UseAtLevel,
    at_least,
    query_variance,
    unit_variance,
)
from safetab_sql.settings.budgets import PrivacyDefinition

GAMMAS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
_ROUNDS = 40
_ENOUGH = 1e-5  # of the error: a turn that gains less is the last
_CANDIDATES = 300  # thresholds between the smallest and the largest group
_STEPS = np.arange(0, 6.01, 0.25)  # standard deviations of stage 1 below the sizes where uses begin
_LEAST = 1e-6  # of the level: no kind of iteration counts for less, so that each has a budget
_TIE = 1e-9  # of the error: a threshold that gains less is left as it is


@dataclass(frozen=True)
class Groups:
    """The groups of a level, or of one kind of iteration there, and their uses.

    name: of the level and the kind. is_chosen: whether a noisy total picks the table. cells: of each table, the total
    alone first. suppressed_chance: that a total of nobody is not published; 0 if all are. suppressed_below: a total
    below it is not published, people. publishes_stage_1: whether the noisy total that picks the table is used too.
    """

    name: str
    sizes: Sizes
    uses: tuple[UseAtLevel, ...]
    is_chosen: bool
    cells: tuple[int, ...]
    suppressed_chance: float = 0.0
    suppressed_below: int = 0
    publishes_stage_1: bool = False


@dataclass(frozen=True)
class Kinds:
    """How the groups of a level share its budget by kind of iteration. groups: one a kind, in the order of `names`.

    singles: of each kind that is neither alone nor in combination, in how many such groups a record is. most: in how
    many in combination, if in none alone. factor: what one record loses, if a group of it loses 1.
    """

    names: tuple[str, ...]
    singles: Mapping[str, int]
    most: int
    factor: int = 1


@dataclass(frozen=True)
class Level:
    """A level whose budget is found.

    groups: one, or one a kind where it has shares. divisor: of the budget of a level without shares: by how much a
    record can change the level. starts: sizes at which uses begin.
    """

    name: str
    part: str
    groups: tuple[Groups, ...]
    divisor: int
    kinds: Kinds | None
    starts: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """What is chosen: gamma, and by level the budget, the thresholds and, with kinds, the shares by kind."""

    gamma: float
    budgets: Mapping[str, float]
    thresholds: Mapping[str, tuple[int, ...]]
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Allocation:
    """The levels whose budgets are found. losses: by part, what these levels may spend together."""

    definition: PrivacyDefinition
    levels: tuple[Level, ...]
    losses: Mapping[str, float]

    @property
    def power(self) -> int:
        """Variances are proportional to 1 / budget^power."""
        return 1 if self.definition == "zcdp" else 2

    @cached_property
    def weight(self) -> float:
        """The sum of the weights of all uses at all levels."""
        return sum({(use.name, use.level): use.weight for use in self.uses}.values())

    @property
    def uses(self) -> Iterator[UseAtLevel]:
        """All uses at all levels, once for each kind."""
        return (use for level in self.levels for groups in level.groups for use in groups.uses)


@dataclass(frozen=True)
class _Errors:
    """Weighted squared errors of the groups of each size, by table. noise: at budget 1, proportional to its power.

    fixed: of uses that a table does not serve. suppressed: of the uses that the total alone serves, if there is none.
    float64[tables, sizes], and float64[sizes].
    """

    noise: Floats
    fixed: Floats
    suppressed: Floats


def _errors(definition: PrivacyDefinition, groups: Groups, gamma: float) -> _Errors:
    own = gamma if groups.is_chosen else 0.0
    cell = unit_variance(definition, 1 - own)
    noise = np.zeros((len(groups.cells), groups.sizes.people.size))
    fixed, suppressed = np.zeros_like(noise), np.zeros(groups.sizes.people.size)
    for use in groups.uses:
        for table, queries in enumerate(use.queries):
            if queries is None:
                fixed[table] += use.weight * use.shares * use.nothing
                continue
            total = np.ones((1, groups.cells[table]))
            sums = [(total, unit_variance(definition, own))] if groups.publishes_stage_1 and own else []
            noise[table] += use.weight * use.shares * use.per_variance * query_variance(queries, cell, sums)
            suppressed += use.weight * use.shares * use.nothing if table == 0 else 0
    return _Errors(noise, fixed, suppressed)


def per_group(level: Level, choice: Choice) -> tuple[float, ...]:
    """What one group of each kind of a level spends, in the order of its groups."""
    budget = choice.budgets[level.name]
    if level.kinds is None:
        return (budget / level.divisor,)
    shares = choice.shares[level.name]
    weight = _weight(level.kinds, shares) * level.kinds.factor
    return tuple(budget * shares[name] / weight for name in level.kinds.names)


def _weight(kinds: Kinds, shares: Mapping[str, float]) -> float:
    """What a record loses at most, if a group of each kind loses its share. Source: accounting.md section 1.1."""
    several = 0.0
    if "alone" in shares:
        several = max(shares["alone"] + shares["combination"], kinds.most * shares["combination"])
    return several + sum(shares[name] * groups for name, groups in kinds.singles.items())


def _by_table(allocation: Allocation, groups: Groups, errors: _Errors, gamma: float, budget: float) -> Floats:
    """The weighted squared error of the groups of each size with each table: float64[tables, sizes]."""
    found = errors.noise / budget**allocation.power + errors.fixed
    if groups.suppressed_chance or groups.suppressed_below:
        published = _published(allocation.definition, groups, gamma, budget)
        found[0] += (1 - published) * (errors.suppressed - errors.noise[0] / budget**allocation.power)
    return found


def _published(definition: PrivacyDefinition, groups: Groups, gamma: float, budget: float) -> Floats:
    """The chance that the total of a group without a table is published, by size."""
    own = budget * (1 - gamma if groups.is_chosen else 1)
    above = max(_quantile(definition, groups.suppressed_chance, own), groups.suppressed_below - 1)
    return at_least(definition, above + 1 - groups.sizes.people, own)


def _quantile(definition: PrivacyDefinition, chance: float, budget: float) -> float:
    """The least whole m with P(noise <= m) >= chance."""
    if not chance:
        return -np.inf
    if definition == "puredp":
        return float(np.ceil(log(1 / ((1 - chance) * (1 + np.exp(-budget)))) / budget - 1))
    places = np.arange(0, 10 * np.sqrt(unit_variance(definition, budget)) + 2)
    return float(places[np.argmax(at_least(definition, places + 1, budget) <= 1 - chance)])


def _chances(definition: PrivacyDefinition, groups: Groups, gamma: float, budget: float, at: Floats) -> Floats:
    """The chance of each size to reach each of some thresholds: float64[thresholds, sizes]."""
    return at_least(definition, at[:, None] - groups.sizes.people[None, :], gamma * budget)


def _tables(allocation: Allocation, groups: Groups, gamma: float, budget: float, thresholds: Sequence[int]) -> Floats:
    """The chance of each table, by size: float64[tables, sizes]."""
    ones = np.ones((1, groups.sizes.people.size))
    if not groups.is_chosen or not thresholds:
        place = len(groups.cells) - 1  # the only table, or the total alone
        return np.vstack([ones if table == place else 0 * ones for table in range(len(groups.cells))])
    reached = _chances(allocation.definition, groups, gamma, budget, np.array(thresholds, dtype=float))
    return -np.diff(np.vstack([ones, reached, 0 * ones]), axis=0)


def weighted_error(allocation: Allocation, choice: Choice, only: tuple[str, str] | None = None) -> float:
    """The root of the weighted mean squared error, in multiples of what is wanted; or of one use at one level."""
    total = 0.0
    for level in allocation.levels:
        for groups, budget in zip(level.groups, per_group(level, choice), strict=True):
            own = groups
            if only is not None:
                kept = (replace(use, weight=1.0) for use in groups.uses if (use.name, use.level) == only)
                own = replace(groups, uses=tuple(kept))
            errors = _errors(allocation.definition, own, choice.gamma)
            by_table = _by_table(allocation, own, errors, choice.gamma, budget)
            tables = _tables(allocation, own, choice.gamma, budget, choice.thresholds[level.name])
            total += float((tables * by_table).sum())
    return float(np.sqrt(total / (allocation.weight if only is None else 1.0)))


@dataclass(frozen=True)
class _Search:
    """The search with one gamma. errors: by the names of groups."""

    allocation: Allocation
    gamma: float
    errors: Mapping[str, _Errors]

    def error(self, choice: Choice) -> float:
        """The weighted squared error."""
        return sum(self._of_level(level, choice) for level in self.allocation.levels)

    def _of_level(self, level: Level, choice: Choice) -> float:
        total = 0.0
        for groups, budget in zip(level.groups, per_group(level, choice), strict=True):
            by_table = _by_table(self.allocation, groups, self.errors[groups.name], self.gamma, budget)
            tables = _tables(self.allocation, groups, self.gamma, budget, choice.thresholds[level.name])
            total += float((tables * by_table).sum())
        return total

    def with_thresholds(self, choice: Choice) -> Choice:
        """With the best thresholds of each level, given the budgets."""
        found = {level.name: self._thresholds(level, choice) for level in self.allocation.levels}
        return replace(choice, thresholds=found)

    def _thresholds(self, level: Level, choice: Choice) -> tuple[int, ...]:
        now = choice.thresholds[level.name]
        if not now or not level.groups[0].is_chosen:
            return now
        budgets = per_group(level, choice)
        at = _candidates(self.allocation.definition, level, now, self.gamma * min(budgets))
        gains = np.zeros((at.size, len(now)))
        for groups, budget in zip(level.groups, budgets, strict=True):
            by_table = _by_table(self.allocation, groups, self.errors[groups.name], self.gamma, budget)
            chances = _chances(self.allocation.definition, groups, self.gamma, budget, at)
            gains += chances @ np.diff(by_table, axis=0).T
        gains += _TIE * np.abs(gains).max() * np.abs(np.log(np.maximum(at, 1)[:, None] / np.maximum(now, 1)))
        return tuple(int(at[place]) for place in _rising(gains))

    def with_budgets(self, choice: Choice) -> Choice:
        """With the budgets and shares that are best for the chances of tables that the choice has: closed forms."""
        power = self.allocation.power
        sizes, shares = {}, dict[str, Mapping[str, float]]()
        for level in self.allocation.levels:
            noises = self._noises(level, choice)
            if level.kinds is None:
                sizes[level.name] = noises[0] * level.divisor**power
            else:
                shares[level.name], sizes[level.name] = best_shares(level.kinds, noises, power)
        return replace(choice, budgets=self._divided(sizes), shares=shares)

    def _divided(self, sizes: Mapping[str, float]) -> dict[str, float]:
        """The losses of the parts, divided so that the sum of sizes / budget^power is least."""
        found = dict[str, float]()
        for part, loss in self.allocation.losses.items():
            own = {level.name: sizes[level.name] for level in self.allocation.levels if level.part == part}
            roots = {name: size ** (1 / (1 + self.allocation.power)) for name, size in own.items()}
            found |= {name: loss * root / sum(roots.values()) for name, root in roots.items()}
        return found

    def _noises(self, level: Level, choice: Choice) -> list[float]:
        """Of each kind, the weighted variance at budget 1, over the tables that groups get."""
        noises = []
        for groups, budget in zip(level.groups, per_group(level, choice), strict=True):
            tables = _tables(self.allocation, groups, self.gamma, budget, choice.thresholds[level.name])
            if groups.suppressed_chance or groups.suppressed_below:
                tables[0] *= _published(self.allocation.definition, groups, self.gamma, budget)
            noises.append(float((tables * self.errors[groups.name].noise).sum()))
        return [max(noise, _LEAST * sum(noises)) for noise in noises]

    def best(self, start: Choice) -> tuple[Choice, float]:
        """The best choice that taking turns leads to, and its weighted squared error."""
        best, error = start, self.error(start)
        for _ in range(_ROUNDS):
            wanted = self.with_budgets(self.with_thresholds(best))
            tried = [self.with_thresholds(_between(best, wanted, share)) for share in (1.0, 0.5, 0.2)]
            found, choice = min(((self.error(each), place) for place, each in enumerate(tried)))
            if found > error * (1 - _ENOUGH):
                break
            best, error = tried[choice], found
        return best, error


def best_shares(kinds: Kinds, noises: Sequence[float], power: int) -> tuple[dict[str, float], float]:
    """Shares by kind for which the sum of noises / budget^power is least, and that sum at a level budget of 1.

    Whoever is in an alone group is in one in combination, others in up to `most`: so an alone group may spend most - 1
    times as much for nothing. Beyond that both are apart by the same rule as levels. Source: accounting.md section 5.4.
    """
    noise, root = dict(zip(kinds.names, noises, strict=True)), 1 / (1 + power)
    spent = {name: (noise[name] * groups**power) ** root for name, groups in kinds.singles.items()}
    several = 0.0
    if "alone" in noise:
        alone, others = noise["alone"] ** root, noise["combination"] ** root
        share = min(1 / kinds.most, others / (alone + others))
        several = (noise["alone"] / (1 - share) ** power + noise["combination"] / share**power) ** root
    whole = several + sum(spent.values())
    found = {name: each / kinds.singles[name] / whole for name, each in spent.items()}
    if "alone" in noise:
        found |= {"alone": several / whole * (1 - share), "combination": several / whole * share}
    return {name: found[name] for name in kinds.names}, (whole * kinds.factor ** (power * root)) ** (1 / root)


def _between(one: Choice, other: Choice, share: float) -> Choice:
    """A choice between two, in the logarithms of budgets, with the same loss of each part."""
    if share == 1:
        return other
    mixed = {name: one.budgets[name] * (1 - share) + other.budgets[name] * share for name in one.budgets}
    shares = {
        level: {kind: one.shares[level][kind] * (1 - share) + each * share for kind, each in own.items()}
        for level, own in other.shares.items()
    }
    return replace(other, budgets=mixed, shares=shares)


def _candidates(definition: PrivacyDefinition, level: Level, now: Sequence[int], budget: float) -> Floats:
    """Thresholds to choose among, rising: between the smallest and the largest group, and below where uses begin."""
    largest = max(float(groups.sizes.people.max(initial=1)) for groups in level.groups)
    width = np.sqrt(unit_variance(definition, budget))
    below = np.array([start - step * width for start in level.starts for step in _STEPS])
    spread = np.geomspace(1, 2 * largest + 8 * width, _CANDIDATES)
    return np.unique(np.round(np.concatenate([now, spread, below[below >= 1]])))


def _rising(costs: Floats) -> list[int]:
    """The place of each threshold, none before the one before it, with the least sum. costs: float64[places, each]."""
    number, columns = costs.shape
    least, choices = np.zeros(number), []
    for column in range(columns):
        added = least + costs[:, column]
        place = np.arange(number)
        is_new = np.concatenate([[True], added[1:] < np.minimum.accumulate(added)[:-1]])
        choices.append(np.maximum.accumulate(np.where(is_new, place, 0)))
        least = np.minimum.accumulate(added)
    found, last = [], number - 1
    for choice in reversed(choices):
        last = int(choice[last])
        found.append(last)
    return found[::-1]


def allocated(allocation: Allocation, start: Choice, gammas: Sequence[float] = GAMMAS) -> Choice:
    """The best choice that the search finds from the present one; see the module. gammas: to try, beside the present.

    Where no level has a stage 1, gamma stays.
    """
    is_free = any(groups.is_chosen for level in allocation.levels for groups in level.groups)
    best, error = start, np.inf
    for gamma in (start.gamma, *(gammas if is_free else ())):
        errors = {
            groups.name: _errors(allocation.definition, groups, gamma)
            for level in allocation.levels
            for groups in level.groups
        }
        found, least = _Search(allocation, gamma, errors).best(replace(best, gamma=gamma))
        best, error = (found, least) if least < error else (best, error)
    return best
