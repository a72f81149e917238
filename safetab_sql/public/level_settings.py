"""The levels of a parameter file: what is checked of the budget and the thresholds of each, whatever says them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from safetab_sql.kit.errors import Problem, nearest
from safetab_sql.public.budgets import PrivacyDefinition, noise_is_countable
from safetab_sql.public.geography import Geography
from safetab_sql.public.geography_settings import declaration
from safetab_sql.public.ladders import Choose, LevelParameters, about_thresholds
from safetab_sql.public.levels import PopulationGroupLevel
from safetab_sql.public.questions import Questions
from safetab_sql.settings.reading import Document
from safetab_sql.settings.wrong import Place

_COMBINATION_KEY = "in_combination"  # what a file calls the kind `combination`


@dataclass(frozen=True, slots=True)
class LevelRules:
    """What levels are checked against. gamma: what noise spends on the choice of a statistic.

    thresholds: how many a level has. choose: how the ladder chooses.
    """

    geography: Geography
    questions: Questions
    definition: PrivacyDefinition
    gamma: Fraction
    thresholds: int = 3
    choose: Choose = "stage 1"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of iterations, as the shares of a level name them."""
        several = () if self.questions.several is None else ("alone", _COMBINATION_KEY)
        return (*several, *(question.name for question in self.questions.single))

    @property
    def about_thresholds(self) -> str:
        """What thresholds to write."""
        words = {1: "one integer", 2: "two integers", 3: "three integers"}
        return about_thresholds(words.get(self.thresholds, f"{self.thresholds} integers"), self.thresholds)


def tabulated(levels: Sequence[LevelParameters], rules: LevelRules) -> tuple[LevelParameters, ...]:
    """The levels that have a budget above 0, in the order of `level_position`."""
    geography = rules.geography
    known = {kind.name for kind in geography.region_types}
    wanted = [level for level in levels if level.budget > 0 and level.level.region_type in known]
    return tuple(
        replace(level, shares=_shares(level, rules))
        for level in sorted(wanted, key=lambda level: level_position(level.level, geography))
    )


def _shares(level: LevelParameters, rules: LevelRules) -> tuple[tuple[str, Fraction], ...]:
    """The shares by kinds as the program calls them, in one order."""
    given = dict(level.shares)
    ours = {kind: "combination" if kind == _COMBINATION_KEY else kind for kind in rules.kinds}
    return tuple((ours[kind], given[kind]) for kind in rules.kinds if kind in given)


def level_position(level: PopulationGroupLevel, geography: Geography) -> tuple[int, int, str, str]:
    """Levels are in the order of their parts, of their region types, and of their iteration levels."""
    parts = [part.name for part in geography.parts]
    names = [kind.name for kind in geography.region_types]
    part, region_type = parts.index(geography.part_of(level.region_type)), names.index(level.region_type)
    return part, region_type, level.iteration_level, level.kind or ""


def level_problems(
    document: Document,
    place: Place,
    levels: Sequence[LevelParameters],
    rules: LevelRules,
    is_sound: Callable[[Place], bool],
) -> Iterator[Problem]:
    """What is wrong with levels that are written at a place, each under its name.

    is_sound: whether all that stands at a place could be read.
    """
    for level in levels:
        here = (*place, level.level.name.removeprefix("-"))
        yield from _name_problems(document, here, level.level, rules)
        if is_sound(place[:-1]):
            yield from _threshold_problems(document, here, level, rules)
        yield from _share_problems(document, here, level, rules)
        if level.budget > 0 and not noise_is_countable(level.budget, _stage_1(rules), rules.definition):
            fix = "raise it (or write 0): some noise would have a standard deviation above 1e12 persons"
            yield document.problem(here, "the budget is too small", fix)


def _stage_1(rules: LevelRules) -> Fraction:
    return rules.gamma if rules.choose == "stage 1" else Fraction(0)


def _name_problems(
    document: Document, place: Place, level: PopulationGroupLevel, rules: LevelRules
) -> Iterator[Problem]:
    geography, known = rules.geography, rules.questions.shared.levels
    region_types = [kind.name for kind in geography.region_types]
    if level.region_type not in region_types:
        wanted = level.region_type or level.iteration_level
        near = nearest(wanted, region_types)
        guess = f"did you mean {near}? " if near else ""
        own = "" if wanted in region_types else document.advice(declaration(wanted, geography))
        example = f"{near or [*region_types, 'COUNTY'][0]}-{[*known, '1'][0]}"
        fix = f"{guess}A level is named region type, hyphen, level of the iterations, such as {example}{own}"
        yield document.problem(place, f"unknown region type '{wanted}'", fix)
    elif known and level.iteration_level not in known:
        yield document.problem(place, f"iteration level '{level.iteration_level}'", f"use {' or '.join(known)}")


def _threshold_problems(
    document: Document, place: Place, level: LevelParameters, rules: LevelRules
) -> Iterator[Problem]:
    """A level that is not tabulated, or publishes totals alone, needs none."""
    if not rules.thresholds:
        if level.thresholds:
            yield document.problem(place, 'there are thresholds, and choose is "always"', "take them out")
    elif level.thresholds:
        if len(level.thresholds) != rules.thresholds:
            yield document.value_problem((*place, "thresholds"), list(level.thresholds), rules.about_thresholds)
    elif level.budget > 0 and not level.is_total_only:
        yield document.missing_key(place, "thresholds")


def _share_problems(document: Document, place: Place, level: LevelParameters, rules: LevelRules) -> Iterator[Problem]:
    if not level.shares:
        return
    here, given = (*place, "shares"), dict(level.shares)
    for name in [name for name in given if name not in rules.kinds]:
        yield document.unknown_key(here, name, rules.kinds)
    for name in [name for name in rules.kinds if name not in given]:
        yield document.missing_key(here, name)
    smallest = min(given.values()) / sum(given.values(), Fraction(0))
    if level.budget and not noise_is_countable(level.budget * smallest, rules.gamma, rules.definition):
        yield document.problem(here, "the smallest share leaves too little budget", "raise it, or the budget")
