"""The levels of a parameter file: the budget and the thresholds of each, of the file or of one of its ladders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.kit.guesses import nearest
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition, exact_decimal, noise_is_countable
from safetab_sql.public.geography import Geography
from safetab_sql.public.geography_settings import declaration
from safetab_sql.public.ladders import Choose, LevelParameters
from safetab_sql.public.levels import ITERATION_LEVELS, PopulationGroupLevel
from safetab_sql.public.questions import Questions
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    table_at,
)

LEVELS_KEY = "levels"
LEVEL_KEYS = ("budget", "thresholds", "total_only", "shares")
COMBINATION_KEY = "in_combination"  # what a file calls the kind `combination`
LARGEST_SHARE = 1000
LARGEST_THRESHOLD = 2**62  # thresholds are compared with int64 counts


@dataclass(frozen=True, slots=True)
class LevelRules:
    """What levels are checked against. gamma: what noise spends on the choice of a statistic."""

    geography: Geography
    questions: Questions
    definition: PrivacyDefinition
    gamma: Fraction


@dataclass(frozen=True, slots=True)
class Needed:
    """How many thresholds a level has, and an example of them. choose: how the ladder chooses."""

    thresholds: int
    choose: Choose = "stage 1"

    @property
    def fix(self) -> str:
        """What to write."""
        word = {1: "one integer", 2: "two integers", 3: "three integers"}.get(
            self.thresholds, f"{self.thresholds} integers"
        )
        example = ([471, 971, 6971] if self.thresholds > 1 else [471])[: self.thresholds]
        example += [10_000 * place for place in range(1, self.thresholds - 2)]
        return f"write {word}, none below the one before it, such as {example}"


STANDARD_NEEDS = Needed(3)


def standard_levels(settings: Settings, rules: LevelRules) -> tuple[LevelParameters, ...]:
    """The levels of a file without ladders that have a budget above 0."""
    levels = []
    for name, value in table_at(settings, (LEVELS_KEY,), settings.document.get(LEVELS_KEY, {})).items():
        place = (LEVELS_KEY, name)
        table = table_at(settings, place, value)
        complain_unknown(settings, place, table, LEVEL_KEYS)
        level = level_named(settings, place, name, rules)
        levels += levels_with_budget(settings, place, table, [level], STANDARD_NEEDS, rules)
    return in_order(levels, rules.geography)


def levels_with_budget(
    settings: Settings,
    place: Place,
    table: Mapping[str, object],
    named: Sequence[PopulationGroupLevel | None],
    needs: Needed,
    rules: LevelRules,
) -> list[LevelParameters]:
    """The levels that one table of budget and thresholds is for; none without a budget above 0."""
    budget = _budget(settings, place, table)
    is_total_only, total_only = _total_only(settings, place, table)
    thresholds = _thresholds(settings, place, table, needs, is_needed=budget > 0 and not is_total_only)
    gamma = rules.gamma if needs.choose == "stage 1" else Fraction(0)
    if budget > 0 and not noise_is_countable(budget, gamma, rules.definition):
        fix = "raise it (or write 0): some noise would have a standard deviation above 1e12 persons"
        complain_value(settings, (*place, "budget"), table["budget"], fix)
    if not budget:
        return []
    shares = _shares(settings, place, table, budget, rules)
    return [LevelParameters(level, budget, thresholds, is_total_only, total_only, shares) for level in named if level]


def in_order(levels: Sequence[LevelParameters], geography: Geography) -> tuple[LevelParameters, ...]:
    """The levels in the order of `level_position`."""
    return tuple(sorted(levels, key=lambda level: level_position(level.level, geography)))


def level_position(level: PopulationGroupLevel, geography: Geography) -> tuple[int, int, str, str]:
    """Levels are in the order of their parts, of their region types, and of their iteration levels."""
    parts = [part.name for part in geography.parts]
    names = [kind.name for kind in geography.region_types]
    part, region_type = parts.index(geography.part_of(level.region_type)), names.index(level.region_type)
    return part, region_type, level.iteration_level, level.kind or ""


def level_named(settings: Settings, place: Place, name: str, rules: LevelRules) -> PopulationGroupLevel | None:
    """The level of that name; None, and a complaint about the table at `place`, if there is none."""
    geography, questions = rules.geography, rules.questions
    region_types = [kind.name for kind in geography.region_types]
    region_type, _, iteration_level = name.rpartition("-")
    if region_type not in region_types:
        wanted = region_type or name
        near = nearest(wanted, region_types)
        guess = f"did you mean {near}? " if near else ""
        own = "" if settings.is_production or wanted in region_types else f"; {declaration(wanted, geography)}"
        levels = "1 or 2" if questions.is_standard else "level of the iterations"
        fix = f"{guess}A level is named region type, hyphen, {levels}, such as {_an_example(geography, questions)}{own}"
        complain(settings, place, f"unknown region type '{wanted}'", fix)
    elif questions.is_standard and iteration_level not in ITERATION_LEVELS:
        complain(settings, place, f"iteration level '{iteration_level}'", "use 1 (regional) or 2 (detailed)")
    else:
        return PopulationGroupLevel(region_type, iteration_level)
    return None


def _an_example(geography: Geography, questions: Questions) -> str:
    own = geography.region_types[-1:] if not geography.is_standard else ()
    name = own[0].name if own else "COUNTY"
    return f"{name}-2" if questions.is_standard else f"{name}-1"


def _budget(settings: Settings, place: Place, table: Mapping[str, object]) -> Fraction:
    """The level's budget; 1 if it is refused, so that there is no second complaint that the level has no budget."""
    complain_missing(settings, place, ("budget",), table)
    value = table.get("budget", 1)
    budget = exact_decimal(value)
    if budget is not None and 0 <= budget <= LARGEST_BUDGET:
        return budget
    fix = "write a decimal such as 0.159, from 0 (level not tabulated) to 1e12, of at most 50 characters"
    complain_value(settings, (*place, "budget"), value, fix)
    return Fraction(1)


def _shares(
    settings: Settings, place: Place, table: Mapping[str, object], budget: Fraction, rules: LevelRules
) -> tuple[tuple[str, Fraction], ...]:
    """The shares of a level by kind of iteration; none where all groups spend alike."""
    if "shares" not in table:
        return ()
    here = (*place, "shares")
    given = table_at(settings, here, table["shares"])
    several = () if rules.questions.several is None else ("alone", COMBINATION_KEY)
    names = (*several, *(question.name for question in rules.questions.single))
    complain_unknown(settings, here, given, names)
    complain_missing(settings, here, names, given)
    found = []
    for name in names:
        share = exact_decimal(given.get(name, 1))
        if share is None or not 0 < share <= LARGEST_SHARE:
            fix = f"write a number above 0, at most {LARGEST_SHARE:,}, such as 7; the shares of a level are proportions"
            complain_value(settings, (*here, name), given[name], fix)
            continue
        found.append(("combination" if name == COMBINATION_KEY else name, share))
    smallest = min((share for _, share in found), default=Fraction(1)) / sum((s for _, s in found), Fraction(1))
    if budget and not noise_is_countable(budget * smallest, rules.gamma, rules.definition):
        complain(settings, here, "the smallest share leaves too little budget", "raise it, or the budget")
    return tuple(found)


def _total_only(settings: Settings, place: Place, table: Mapping[str, object]) -> tuple[bool, tuple[str, ...]]:
    """Whether the level publishes totals alone, and the iterations of which it does."""
    value = table.get("total_only", False)
    if isinstance(value, bool):
        if value and "thresholds" in table:
            fix = "take thresholds out: they choose tables, and no group of this level gets one"
            complain(settings, place, "total_only is true, and there are thresholds", fix)
        return value, ()
    codes = [code for code in value if isinstance(code, str) and code] if isinstance(value, list) else []
    if codes and codes == value and len(set(codes)) == len(codes):
        return False, tuple(codes)
    fix = 'write true, or a list of iteration codes, each once and in quotes, such as ["1010", "1020"]'
    complain_value(settings, (*place, "total_only"), value, fix)
    return False, ()


def _thresholds(
    settings: Settings, place: Place, table: Mapping[str, object], needs: Needed, *, is_needed: bool
) -> tuple[int, ...]:
    """The level's thresholds; a level that is not tabulated, or publishes totals alone, needs none."""
    if not needs.thresholds:
        if "thresholds" in table:
            complain(settings, place, 'there are thresholds, and choose is "always"', "take them out")
        return ()
    if "thresholds" not in table and not is_needed:
        return ()
    complain_missing(settings, place, ("thresholds",), table)
    value = table.get("thresholds", [0] * needs.thresholds)
    numbers = [number for number in value if _is_threshold(number)] if isinstance(value, list) else []
    if numbers == value and len(numbers) == needs.thresholds and numbers == sorted(numbers):
        return tuple(numbers)
    complain_value(settings, (*place, "thresholds"), value, needs.fix)
    return (0,) * needs.thresholds


def _is_threshold(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_THRESHOLD
