"""Budgets for wanted margins of error, or within a wanted loss: `safetab-sql targets`. Source: paper Appendix F.

Budgets are set in a parameter file, and what is found is the text of a file that is laid over it. Where none is named,
the file is configs/census-2020.toml, whose stability depends on the code lists of a run, so it is given.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.accountants import GroupCalls
from safetab_sql.accounting.conversions import rounded_down, rounded_up
from safetab_sql.accounting.plan import level_calls, level_name
from safetab_sql.accounting.statement import Loss, RunSpending, group_calls, person_rule, quoted, uncomposed
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.words import exact_text, filled, printed
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.semantics import targets as sought
from safetab_sql.semantics.targets import LargestBudget, Rule
from safetab_sql.settings.budgets import LARGEST_BUDGET, UNITS, PrivacyDefinition, noise_is_countable, stage_budgets
from safetab_sql.settings.census import TABLE_KEYS, is_short
from safetab_sql.settings.ladders import LevelParameters
from safetab_sql.settings.parameters import Parameters, census
from safetab_sql.settings.reading import read_toml

LARGEST_MOE = 10_000  # persons, or times the most that a record adds to a sum
LARGEST_EPSILON = 500
_RULES = {
    "exact": "the smallest budgets whose noise has an exact 95 % margin of error of at most that many {many}",
    "paper": "the paper's Tables 1 and 4, formula and rounding; the exact margin may be larger than the wanted one",
}


@dataclass(frozen=True, slots=True)
class Level:
    """A level whose budget can be set.

    bound: by how much a record, or a person, changes the level at most: see `Unit.bound`. gamma: the share of the
    budget that stage 1 spends; 0 where nothing is spent on a choice of tables. budget: now; rho or epsilon.
    sensitivity: by how much a record changes a count at most.
    """

    part: str
    bound: int
    gamma: Fraction
    thresholds: tuple[int, ...]
    budget: Fraction
    sensitivity: int = 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Where budgets are set. levels: by name. ledger: what they cost now; None if the file is not named by the user."""

    parameters: Parameters
    levels: Mapping[str, Level]
    ledger: RunSpending | None = None

    @property
    def definition(self) -> PrivacyDefinition:
        """What budgets are budgets of: rho, or epsilon."""
        return self.parameters.privacy_definition

    def moe95(self, name: str, budget: Fraction) -> int:
        """The margin of a count of a level with this budget, persons: of stage 2, or of totals alone."""
        level = self.levels[name]
        calls = level_calls(self.definition, budget, level.bound, level.gamma)
        return margin_of_error((calls.stage_2 if level.thresholds else calls.total_only).law)

    def by_part(self, budgets: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The sum of the budgets of levels, by part."""
        sums = dict.fromkeys((self.levels[name].part for name in budgets), Fraction(0))
        for name, budget in budgets.items():
            sums[self.levels[name].part] += budget
        return sums


def settings_of(parameters: str | Path, code_lists: str | Path | None = None) -> Settings:
    """The budgets of a parameter file, of any geography, questions and tables, with the stabilities of its lists.

    Where there are several ladders, the name of a level is the ladder's and the level's, as in T3 COUNTY-2.
    Raises: InputError with every problem of the file and the lists.
    """
    seen = plan_of_lists(parameters, code_lists)
    levels = {
        one.name: Level(one.part, one.bound, one.gamma, one.thresholds, one.budget, one.calls.stage_2.sensitivity)
        for one in seen.plans
    }
    return Settings(seen.parameters, levels, seen.ledger)


def census_settings(definition: PrivacyDefinition, gamma: Fraction = Fraction(1, 10), stability: int = 9) -> Settings:
    """The budgets of the 2020 Census, otherwise. Raises: InputError where a value is out of range."""
    problems = []
    if not 0 < gamma < 1:
        problems.append(Problem("--gamma", f"{exact_text(gamma)} is not a share", "say it like 0.1"))
    if not 1 <= stability <= 1000:
        fix = "give the most population groups of a level that one record can be in: 9 with the 2020 lists"
        problems.append(Problem("--stability", f"a stability of {stability} is out of range", fix))
    refuse(problems)
    of_2020 = census()
    part_of = of_2020.geography.part_of
    levels = {
        each.level.name: Level(part_of(each.level.region_type), stability, gamma, each.thresholds, each.budget)
        for each in of_2020.levels
    }
    return Settings(replace(of_2020, privacy_definition=definition, gamma=gamma), levels)


# --- from margins of error to budgets ---


@dataclass(frozen=True, slots=True)
class Target:
    """The wanted margin of a level, and the budget for it. moe: persons, of a count of stage 2.

    exact_moe: what `budget` gives. gamma: the share of the budget that stage 1 spends; 0 where nothing is spent on a
    choice of tables.
    """

    level: str
    part: str
    moe: int
    budget: Fraction
    exact_moe: int
    gamma: Fraction


@dataclass(frozen=True, slots=True)
class Targets:
    """The budgets that meet wanted margins of error, in the order of the levels."""

    settings: Settings
    rule: Rule
    levels: tuple[Target, ...]

    @property
    def totals(self) -> dict[str, Fraction]:
        """The sum of each part that has a level with a budget."""
        return self.settings.by_part({one.level: one.budget for one in self.levels})


def targets(settings: Settings, moes: Mapping[str, int], rule: Rule = "exact") -> Targets:
    """The level budgets that meet wanted margins. moes: persons by level name, such as COUNTY-2.

    Raises: InputError where a level is unknown or a margin out of range, or no run would accept the budget.
    """
    problems, found = [], []
    known = f"levels with a budget in {settings.parameters.source} are {', '.join(settings.levels)}"
    for name, moe in moes.items():
        if name not in settings.levels:
            near = nearest(name, settings.levels)
            fix = f"did you mean {near}? {known}" if near else known
            problems.append(Problem(f"--moe {name}", "no such level", fix))
        most = LARGEST_MOE * (settings.levels[name].sensitivity if name in settings.levels else 1)
        if not 1 <= moe <= most:
            what = f"a margin of error of {moe:,} is out of range"
            problems.append(Problem(f"--moe {name}", what, f"give a whole number, 1 to {most:,}"))
    refuse(problems)
    of_rule = sought.paper_level_budget if rule == "paper" else sought.exact_level_budget
    for name, level in [(name, level) for name, level in settings.levels.items() if name in moes]:
        gamma = level.gamma if level.thresholds else Fraction(0)  # totals alone spend nothing on a choice of tables
        budget = of_rule(settings.definition, moes[name], level.bound, gamma)
        if not budget:
            what = "the paper's rounding leaves no budget"
            problems.append(Problem(f"--moe {name}={moes[name]}", what, "use --rule exact"))
        elif not is_accepted(settings, name, budget, gamma):
            fix = "choose a gamma nearer to 0.1, or another margin"
            problems.append(Problem("--gamma", f"no run accepts its {name}", fix))
        else:
            found.append(Target(name, level.part, moes[name], budget, settings.moe95(name, budget), gamma))
    refuse(problems)
    return Targets(settings, rule, tuple(found))


def is_accepted(settings: Settings, name: str, budget: Fraction, gamma: Fraction) -> bool:
    """Whether a run takes this budget of a level."""
    unit, level = settings.parameters.unit, settings.levels[name]
    smallest = budget / unit.bound(1, settings.definition, level.sensitivity)
    return budget <= LARGEST_BUDGET and noise_is_countable(smallest, gamma, settings.definition)


# --- from a loss to budgets ---


@dataclass(frozen=True, slots=True)
class ScaledLevel:
    """A level with its budget before and after, stage 1's share of it, and the MOE95 of its counts, persons."""

    name: str
    budget: Fraction
    scaled: Fraction
    gamma: Fraction
    moe95: int
    scaled_moe95: int


@dataclass(frozen=True, slots=True)
class LossTarget:
    """What keeps within (epsilon, delta). found: by accountant, first the one that is quoted, whose factor is used.

    total: rho or epsilon of one person, that the factors are of. levels: of a parameter file; none without one.
    """

    settings: Settings
    epsilon: Fraction
    delta: Fraction
    total: Fraction
    found: tuple[LargestBudget, ...]
    levels: tuple[ScaledLevel, ...] = ()


def loss_target(settings: Settings, epsilon: Fraction, delta: Fraction | None = None) -> LossTarget:
    """The budgets of a parameter file, all multiplied alike, so that one person's loss keeps within.

    Where no file is named, the largest budget of one level, if nothing else is spent. Raises: InputError where a value
    is out of range, no budget keeps within, no run would accept the budgets, or the loss of a person is unknown.
    """
    problems, delta = [], settings.parameters.delta if delta is None else delta
    if not 0 < epsilon <= LARGEST_EPSILON:
        fix = f"give a number above 0, at most {LARGEST_EPSILON}"
        problems.append(Problem("--epsilon", f"{exact_text(epsilon)} is out of range", fix))
    if not 0 < delta < 1:
        problems.append(Problem("--delta", f"{exact_text(delta)} is not between 0 and 1", "say it like 1e-10"))
    refuse(problems)
    total, found = _largest(settings, epsilon, delta)
    if not found or found[0].factor is None:
        what, fix = "no budget keeps within it", "ask for a larger one"
        raise InputError([Problem(f"--epsilon {exact_text(epsilon)}", what, fix)])
    if settings.ledger is None:
        return LossTarget(settings, epsilon, delta, total, found)
    levels = []
    for name, level in settings.levels.items():
        before, after = level.budget, rounded_down(level.budget * found[0].factor)
        margins = settings.moe95(name, before), settings.moe95(name, after)
        levels.append(ScaledLevel(name, before, after, level.gamma, *margins))
    refused = [level for level in levels if not is_accepted(settings, level.name, level.scaled, level.gamma)]
    what, fix = "no run accepts the budget that it leaves", "ask for another epsilon"
    refuse([Problem("--epsilon", f"{what} {level.name}, {exact_text(level.scaled)}", fix) for level in refused])
    return LossTarget(settings, epsilon, delta, total, found, tuple(levels))


def _largest(settings: Settings, epsilon: Fraction, delta: Fraction) -> tuple[Fraction, tuple[LargestBudget, ...]]:
    """The loss of one person now, and by accountant the largest factors of it."""
    definition, entries = settings.definition, settings.ledger
    if entries is None:
        level = next(iter(settings.levels.values()))
        one = GroupCalls(level.bound, stage_budgets(Fraction(1), level.bound, level.gamma))
        return Fraction(1), sought.largest_budgets(definition, {"one level": (one,)}, epsilon, delta)
    total = entries.loss.of_person
    if total is None:
        many = settings.parameters.unit.many
        what = f"the loss of a person is unknown: nothing says how many {many} a person can have"
        fix = "write [unit] person, the column that names the person, and most_records; or records_of_a_person, the "
        fix += "most that any person has: 1 where id is the id of a person; `targets --moe` needs no such bound"
        raise InputError([Problem(str(settings.parameters.source), what, fix)])
    # Where the loss of a person is no record's, no calls have it.
    if total != entries.loss.of_record or uncomposed(entries):
        return total, sought.largest_budgets_of_a_loss(definition, total, epsilon, delta)
    parts = {part: calls for part, calls in group_calls(entries).items() if part != "sum"}
    return total, sought.largest_budgets(definition, parts, epsilon, delta)


def targets_text(found: Targets | LossTarget) -> str:
    """The budgets for people to read."""
    values = {"unit": found.settings.parameters.unit, "budget": UNITS[found.settings.definition]}
    functions = {"figures": _figures, "quoted": _quoted, "rule": person_rule}
    return printed(__file__, "targets", {"found": found, **values, **functions})


def _quoted(found: LossTarget) -> str:
    """What will be quoted of a run with the budgets."""
    settings, spent = found.settings, found.settings.by_part({each.name: each.scaled for each in found.levels})
    return quoted(Loss(settings.parameters.unit, settings.definition, max(spent.values())), found.delta)


def _figures(found: LossTarget, one: LargestBudget) -> tuple[str, str, str]:
    """The largest budget, its certified epsilon, and how wide margins are beside the first accountant's margins."""
    if one.factor is None or one.epsilon is None:
        return "-", "-", one.why
    less = float((found.found[0].factor or one.factor) / one.factor)
    # the deviation of noise is about 1/epsilon, 1/sqrt(rho)
    wider = less if found.settings.definition == "puredp" else less**0.5
    note = "quoted" if one is found.found[0] else f"{100 * (wider - 1):+.1f} %"
    return exact_text(rounded_down(found.total * one.factor, 6)), rounded_up(one.epsilon, 3), note


# --- what is written: the file that is laid over another one ---


def targets_json(found: Targets | LossTarget) -> dict[str, object]:
    """The budgets for programs; of wanted margins with their sums by part."""
    names = ("levels", "totals") if isinstance(found, Targets) else (each.name for each in fields(found))
    said = {name: getattr(found, name) for name in names if name != "settings"}
    return {"privacy_definition": found.settings.definition, **said}


def targets_toml(found: Targets | LossTarget) -> str:
    """The text of a parameter file with these budgets, which is laid over the file that they are set in."""
    settings, values = found.settings, dict[str, object](found=found, moes=[], delta=None)
    options = f"--parameters {settings.parameters.source.name}"
    if isinstance(found, Targets):
        said = {
            one.level: (exact_text(one.budget), f"MOE95: wanted {one.moe}, exact {one.exact_moe}")
            for one in found.levels
        }
        values["moes"] = [f"--moe {shlex.quote(one.level)}={one.moe}" for one in found.levels]
        values["rule"] = _RULES[found.rule].format(many=settings.parameters.unit.many)
        options = f"{options} --rule {found.rule}"
        if settings.ledger is None:
            level = settings.levels[found.levels[0].level]
            options = f"--privacy-definition {settings.definition} --rule {found.rule}"
            options = f"{options} --gamma {exact_text(level.gamma)} --stability {level.bound}"
    else:
        said = {
            one.name: (exact_text(one.scaled), f"MOE95: {one.scaled_moe95}; it was {one.moe95}") for one in found.levels
        }
        values["delta"] = found.delta if found.delta != settings.parameters.delta else None
        options = f"{options} --epsilon {exact_text(found.epsilon)} --delta {exact_text(found.delta)}"
    return filled(__file__, "targets.toml", {**values, **_laid_over(settings, options, said)})


def _laid_over(settings: Settings, options: str, budgets: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    """What the template of the file is filled with, but for its header. budgets: of levels, each with a comment.

    A list is replaced as a whole, so the levels of a ladder that keep their budgets stand there again; the census,
    where no file is named, keeps no level.
    """
    is_census, parameters = settings.ledger is None, settings.parameters
    keeps_levels = not is_census and is_short(read_toml(settings.parameters.source).tables, TABLE_KEYS)
    ladders: dict[str, list[tuple[LevelParameters, str, str]]] = {}
    for ladder in () if keeps_levels else parameters.ladders:
        named = {level_name(parameters, ladder, level): level for level in ladder.levels}
        if budgets.keys() & named.keys():
            ladders[ladder.name] = [
                (level, *budgets.get(name, (exact_text(level.budget), "as it was")))
                for name, level in named.items()
                if name in budgets or not is_census
            ]
    return {
        **{"options": options, "unit": UNITS[settings.definition], "base": settings.parameters.source.name},
        "definition": settings.definition if is_census else None,
        "gamma": exact_text(parameters.gamma),
        "short": budgets if keeps_levels else {},
        "ladders": ladders,
    }
