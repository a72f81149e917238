"""A parameter file from wanted margins of error: `safetab-sql targets`. Source: paper Appendix F."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.charges import exact_text
from safetab_sql.accounting.loss import person_rule
from safetab_sql.accounting.plan import level_calls
from safetab_sql.accounting.targets import Rule, exact_level_budget, paper_level_budget
from safetab_sql.jobs.account import planned_ledger
from safetab_sql.jobs.overlay import LevelBudget, level_lines, overlay_lines
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.guesses import nearest
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.public.states import US_STATES
from safetab_sql.settings.budgets import LARGEST_BUDGET, UNITS, PrivacyDefinition, noise_is_countable
from safetab_sql.settings.census import census_ladder
from safetab_sql.settings.geography import declaration
from safetab_sql.settings.parameters import census
from safetab_sql.settings.unit import Unit

LARGEST_MOE = 10_000
_RULES = {
    "exact": "the smallest budgets whose noise has an exact 95 % margin of error of at most that many persons",
    "paper": "the paper's Tables 1 and 4, formula and rounding; the exact margin may be larger than the wanted one",
}


@dataclass(frozen=True, slots=True)
class Target:
    """The wanted margin of a level, and the budget for it. moe: persons, of stage 2. exact_moe: what `budget` gives.

    gamma: the share of the budget that stage 1 spends; 0 where nothing is spent on a choice of tables.
    """

    level: str
    part: str
    moe: int
    budget: Fraction
    exact_moe: int
    thresholds: tuple[int, ...]
    gamma: Fraction


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted margins of error. moes: persons by level name, such as COUNTY-2."""

    definition: PrivacyDefinition
    rule: Rule
    moes: Mapping[str, int]
    gamma: Fraction
    stability: int


def targets(wanted: Wanted) -> tuple[Target, ...]:
    """The level budgets that meet what is wanted, in the order of the levels.

    Raises: InputError where a level is unknown or a margin out of range, or no run would accept the budget.
    """
    levels = census().questions.shared.levels
    known = {f"{kind.name}-{level}": kind for kind in census().region_types for level in levels}
    refuse(_problems(wanted, list(known)) + _option_problems(wanted))
    thresholds = {level.level.name: level.thresholds for level in census_ladder().levels}
    found = [_met(wanted, name, known[name].part, thresholds[name]) for name in known if name in wanted.moes]
    refuse(_unmet(wanted, found))
    return tuple(found)


def targets_of(
    parameters: str | Path, moes: Mapping[str, int], *, rule: Rule = "exact", code_lists: str | Path | None = None
) -> tuple[Target, ...]:
    """The budgets that meet what is wanted of levels in a parameter file, of any geography, questions and tables.

    moes: persons by level name; where there are several ladders, a name is the ladder's and the level's, as in T3
    COUNTY-2. The privacy definition, gamma and thresholds are those of the file, the stabilities those of its lists.
    Raises: InputError as `targets`, and with every problem of the file and the lists.
    """
    read, entries = planned_ledger(Path(parameters), code_lists)
    plans = {plan.name: plan for plan in entries.levels}
    wanted = Wanted(read.privacy_definition, rule, moes, read.gamma, 1)
    shared = [plan.name for plan in entries.levels if plan.whole is not None and plan.name in moes]
    own_way = "take the shares out of the level, ask for its margin, and write the budget and the shares into your file"
    refuse([Problem(f"--moe {name}", "is a part of a level with shares", own_way) for name in shared])
    unknown = [name for name in moes if name not in plans]
    fix = f"levels with a budget in {parameters} are {', '.join(plans)}"
    refuse([Problem(f"--moe {name}", "no such level", fix) for name in unknown] + _problems(wanted, list(moes)))
    found = []
    for name in [name for name in plans if name in moes]:
        own = replace(wanted, stability=plans[name].catalog.stability, gamma=plans[name].gamma)
        found.append(_met(own, name, plans[name].part, plans[name].thresholds))
    refuse(_unmet(wanted, found))
    return tuple(found)


def _unmet(wanted: Wanted, found: Sequence[Target]) -> list[Problem]:
    """The problems of targets that no run would accept."""
    empty = [target for target in found if target.budget == 0]
    what = "the paper's rounding leaves no budget"
    problems = [Problem(f"--moe {one.level}={one.moe}", what, "use --rule exact") for one in empty]
    fix = "choose a gamma nearer to 0.1, or another margin"
    return problems or [
        Problem("--gamma", f"no run accepts its {one.level}", fix) for one in found if not _is_accepted(wanted, one)
    ]


def _is_accepted(wanted: Wanted, one: Target) -> bool:
    return one.budget <= LARGEST_BUDGET and noise_is_countable(one.budget, one.gamma, wanted.definition)


def _met(wanted: Wanted, name: str, part: str, thresholds: tuple[int, ...]) -> Target:
    """The target of one level, with the budget that meets it."""
    rule = exact_level_budget if wanted.rule == "exact" else paper_level_budget
    moe = wanted.moes[name]
    # a level of totals alone spends nothing on a choice of tables
    gamma = wanted.gamma if thresholds else Fraction(0)
    budget = rule(wanted.definition, moe, wanted.stability, gamma)
    exact = 0
    if budget:
        calls = level_calls(wanted.definition, budget, wanted.stability, gamma)
        exact = margin_of_error(calls.stage_2.law)
    return Target(name, part, moe, budget, exact, thresholds, gamma)


def _problems(wanted: Wanted, known: Sequence[str]) -> list[Problem]:
    problems = []
    for name, moe in wanted.moes.items():
        if name not in known:
            problems.append(Problem(f"--moe {name}", "no such level", _fix_of_level(name, known)))
        if not 1 <= moe <= LARGEST_MOE:
            what = f"a margin of error of {moe:,} is out of range"
            problems.append(Problem(f"--moe {name}", what, f"give a whole number, 1 to {LARGEST_MOE:,}"))
    return problems


def _option_problems(wanted: Wanted) -> list[Problem]:
    problems = []
    if not 0 < wanted.gamma < 1:
        problems.append(Problem("--gamma", f"{wanted.gamma} is not a share", "say it like 0.1"))
    if not 1 <= wanted.stability <= 1000:
        fix = "give the most population groups of a level that one person can be in: 9 with the 2020 lists"
        problems.append(Problem("--stability", f"a stability of {wanted.stability} is out of range", fix))
    return problems


def _fix_of_level(name: str, known: Sequence[str]) -> str:
    region_type, _, iteration_level = name.rpartition("-")
    if iteration_level not in census().questions.shared.levels:
        return f"levels are {', '.join(known)}"
    near = nearest(region_type, dict.fromkeys(level.rpartition("-")[0] for level in known))
    guess = f"did you mean {near}-{iteration_level}? " if near else ""
    own = declaration(region_type, census().geography)
    return (
        f"{guess}Levels here are {', '.join(known)}; {own}. Levels with the same margin have the "
        "same budget: ask for COUNTY-2, and write the budget that you get into your own level"
    )


def targets_text(found: Sequence[Target], definition: PrivacyDefinition, unit: Unit | None = None) -> str:
    """The budgets for people to read. unit: what a record is, if it is no person."""
    budget = UNITS[definition]
    head = ("level", "MOE95 wanted", "exact MOE95", budget)
    rows = [(one.level, f"±{one.moe:,}", f"±{one.exact_moe:,}", exact_text(one.budget)) for one in found]
    of = "" if unit is None or unit.is_person else f", for one {unit.one}"
    rule = [] if unit is None or unit.is_person else [_sentence(person_rule(unit, definition))]
    sums = (f"{part}: {budget} {total} of these levels{of}" for part, total in _sums(found))
    return "\n".join([aligned([head, *rows]), *sums, *rule])


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def targets_json(found: Sequence[Target], definition: PrivacyDefinition) -> dict[str, object]:
    """The budgets for programs, and their sums by part."""
    return {"privacy_definition": definition, "levels": found, "totals": _totals(found)}


def _totals(found: Sequence[Target]) -> dict[str, Fraction]:
    """The total of each part that has a level."""
    parts = dict.fromkeys(one.part for one in found)
    sums = {part: sum((one.budget for one in found if one.part == part), Fraction(0)) for part in parts}
    return {part: total for part, total in sums.items() if total}


def _sums(found: Sequence[Target]) -> list[tuple[str, str]]:
    """The total of each part that has a level, as text."""
    return [(part, exact_text(total)) for part, total in _totals(found).items()]


def parameters_toml(wanted: Wanted, found: Sequence[Target]) -> str:
    """The text of a parameter file with these budgets, and the thresholds of the 2020 production run."""
    moes = [f"--moe {one.level}={one.moe}" for one in found]
    options = f"--privacy-definition {wanted.definition} --rule {wanted.rule}"
    states = [", ".join(f'"{code}"' for code in US_STATES[start : start + 17]) for start in (0, 17, 34)]
    parts = [part for part, _ in _sums(found)]
    lines = [
        f"# Budgets ({UNITS[wanted.definition]}) for wanted 95 % margins of error of the published cells. Made by",
        f"#   safetab-sql targets {options} --gamma {exact_text(wanted.gamma)} --stability {wanted.stability}",
        *(f"#     {' '.join(moes[start : start + 4])}" for start in range(0, len(moes), 4)),
        f"# They are {_RULES[wanted.rule]}.",
        f"# They add up to {', '.join(f'{total} ({part})' for part, total in _sums(found))}. Nothing is suppressed. "
        "Thresholds: the 2020 production run's.",
        "# Source: paper Appendix F. example.toml explains every key.",
        "",
        f'privacy_definition = "{wanted.definition}"',
        "max_race_codes = 8",
        f"gamma = {exact_text(wanted.gamma)}",
        "zero_suppression_chance = 0",
        "allow_negative_counts = true",
        f"run_us = {str('US' in parts).lower()}",
        f"run_pr = {str('PR' in parts).lower()}",
        "state_filter_us = [",
        *(f"    {line}," for line in states),
        "]",
        *(line for name, one in _budgets(found).items() for line in level_lines(name, one)),
    ]
    return "\n".join(lines) + "\n"


def _budgets(found: Sequence[Target]) -> dict[str, LevelBudget]:
    return {
        one.level: LevelBudget(one.budget, f"MOE95: wanted {one.moe}, exact {one.exact_moe}", one.thresholds)
        for one in found
    }


def overlay_toml(parameters: Path, found: Sequence[Target]) -> str:
    """The text of a parameter file that is laid over `parameters` and has these budgets."""
    moes = [f"--moe {shlex.quote(one.level)}={one.moe}" for one in found]
    return "\n".join(
        [
            "# Budgets for wanted 95 % margins of error of the published cells. Made by",
            f"#   safetab-sql targets --parameters {parameters.name}",
            *(f"#     {' '.join(moes[start : start + 4])}" for start in range(0, len(moes), 4)),
            "# Every other setting, and the budgets of all other levels, are those of the file below.",
            *overlay_lines(parameters, _budgets(found)),
            "",
        ]
    )
