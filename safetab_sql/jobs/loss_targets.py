"""The largest budgets within a wanted (epsilon, delta): `safetab-sql targets --epsilon`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.charges import exact_text
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.largest_budget import (
    LargestBudget,
    largest_budgets,
    largest_budgets_of_a_loss,
    rounded_down,
)
from safetab_sql.accounting.ledger import Ledger, group_calls, has_shares
from safetab_sql.accounting.loss import person_rule
from safetab_sql.accounting.plan import LevelPlan, level_calls
from safetab_sql.jobs.account import planned_ledger
from safetab_sql.jobs.overlay import LevelBudget, overlay_lines
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.settings.budgets import LARGEST_BUDGET, UNITS, PrivacyDefinition, noise_is_countable, stage_budgets
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

LARGEST_EPSILON = 500


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
    """What keeps within (epsilon, delta). found: by accountant, the largest first; factors multiply `total`.

    total: rho or epsilon of one person that the factors are of. levels: of a parameter file; none without one. unit:
    what a record is.
    """

    definition: PrivacyDefinition
    epsilon: Fraction
    delta: Fraction
    total: Fraction
    found: tuple[LargestBudget, ...]
    levels: tuple[ScaledLevel, ...] = ()
    unit: Unit = field(default_factory=Unit)

    @property
    def largest(self) -> Fraction:
        """The largest certified rho or epsilon of one person; the sum of the scaled levels may be a little smaller."""
        return self.total * (self.found[0].factor or Fraction(0))


def loss_target(
    definition: PrivacyDefinition,
    epsilon: Fraction,
    delta: Fraction,
    *,
    gamma: Fraction = Fraction(1, 10),
    stability: int = 9,
) -> LossTarget:
    """The largest budget of one level of which one person is in `stability` groups, and nothing else is spent.

    Raises: InputError where a value is out of range, or no budget keeps within.
    """
    refuse(_problems(epsilon, delta) + _level_problems(gamma, stability))
    calls = {"one level": (GroupCalls(stability, stage_budgets(Fraction(1), stability, gamma)),)}
    found = largest_budgets(definition, calls, epsilon, delta)
    refuse(_unmet(found, epsilon))
    return LossTarget(definition, epsilon, delta, Fraction(1), found)


def loss_target_of(
    parameters: str | Path, epsilon: Fraction, delta: Fraction, *, code_lists: str | Path | None = None
) -> LossTarget:
    """The budgets of a parameter file, all multiplied alike, so that one person's loss keeps within.

    Raises: InputError as `loss_target`, with every problem of the file and the lists, where no run would accept the
    budgets, and where the loss of a person is unknown.
    """
    refuse(_problems(epsilon, delta))
    read, entries = planned_ledger(Path(parameters), code_lists)
    if has_shares(entries):
        fix = "take the shares out of the levels, ask again, and write the budgets into your levels"
        what = "levels have shares: not every accountant that looks for the largest budgets knows them"
        raise InputError([Problem(str(parameters), what, fix)])
    total = entries.loss.of_person
    if total is None:
        what = f"the loss of a person is unknown: nothing says how many {read.unit.many} a person can have"
        fix = "write [unit] records_of_a_person, the most that any person has; `targets --moe` needs no such bound"
        raise InputError([Problem(str(parameters), what, fix)])
    found = _largest_of(entries, total, epsilon, delta)
    refuse(_unmet(found, epsilon))
    levels = tuple(_scaled_level(plan, found[0].factor or Fraction(0), read) for plan in entries.levels)
    refuse([problem for level in levels for problem in _refused(level, read)])
    return LossTarget(read.privacy_definition, epsilon, delta, total, found, levels, read.unit)


def _largest_of(entries: Ledger, total: Fraction, epsilon: Fraction, delta: Fraction) -> tuple[LargestBudget, ...]:
    """The largest budgets of a ledger. total: the loss of one person; where it is no record's, no call shows it."""
    if total != entries.loss.of_record:
        return largest_budgets_of_a_loss(entries.privacy_definition, total, epsilon, delta)
    parts = {part: calls for part, calls in group_calls(entries).items() if part != "sum"}
    return largest_budgets(entries.privacy_definition, parts, epsilon, delta)


def _scaled_level(plan: LevelPlan, factor: Fraction, parameters: Parameters) -> ScaledLevel:
    scaled = rounded_down(plan.budget * factor)
    calls = level_calls(parameters.privacy_definition, scaled, plan.catalog.stability, plan.gamma)
    is_total = plan.parameters.is_total_only
    before, after = ((both.total_only if is_total else both.stage_2).law for both in (plan.calls, calls))
    return ScaledLevel(plan.name, plan.budget, scaled, plan.gamma, margin_of_error(before), margin_of_error(after))


def _refused(level: ScaledLevel, parameters: Parameters) -> list[Problem]:
    countable = noise_is_countable(level.scaled, level.gamma, parameters.privacy_definition)
    if countable and level.scaled <= LARGEST_BUDGET:
        return []
    what = f"no run accepts the budget that it leaves {level.name}, {exact_text(level.scaled)}"
    return [Problem("--epsilon", what, "ask for another epsilon")]


def _unmet(found: Sequence[LargestBudget], epsilon: Fraction) -> list[Problem]:
    if found and found[0].factor is not None:
        return []
    return [Problem(f"--epsilon {exact_text(epsilon)}", "no budget keeps within it", "ask for a larger one")]


def _problems(epsilon: Fraction, delta: Fraction) -> list[Problem]:
    problems = []
    if not 0 < epsilon <= LARGEST_EPSILON:
        fix = f"give a number above 0, at most {LARGEST_EPSILON}"
        problems.append(Problem("--epsilon", f"{exact_text(epsilon)} is out of range", fix))
    if not 0 < delta < 1:
        problems.append(Problem("--delta", f"{exact_text(delta)} is not between 0 and 1", "say it like 1e-10"))
    return problems


def _level_problems(gamma: Fraction, stability: int) -> list[Problem]:
    problems = []
    if not 0 < gamma < 1:
        problems.append(Problem("--gamma", f"{exact_text(gamma)} is not a share", "say it like 0.1"))
    if not 1 <= stability <= 1000:
        fix = "give the most population groups of a level that one person can be in: 9 with the 2020 lists"
        problems.append(Problem("--stability", f"a stability of {stability} is out of range", fix))
    return problems


def loss_target_text(found: LossTarget) -> str:
    """The budgets for people to read."""
    unit = UNITS[found.definition]
    head = ("accountant", f"largest {unit} of one person", "epsilon", "margins")
    rows = [(one.rule, *_figures(found, one)) for one in found.found]
    lines = [aligned([head, *rows])]
    if found.levels:
        level_head = ("level", unit, "now", "MOE95", "now")
        levels = [
            (one.name, exact_text(one.scaled), exact_text(one.budget), f"±{one.scaled_moe95:,}", f"±{one.moe95:,}")
            for one in found.levels
        ]
        lines += ["", aligned([level_head, *levels])]
    rule = person_rule(found.unit, found.definition)
    return "\n".join(lines if found.unit.is_person else [*lines, f"{rule[:1].upper()}{rule[1:]}."])


def _figures(found: LossTarget, one: LargestBudget) -> tuple[str, str, str]:
    """The largest budget, its certified epsilon, and how wide margins are beside those of the first accountant."""
    if one.factor is None or one.epsilon is None:
        return "-", "-", one.why
    less = float((found.found[0].factor or one.factor) / one.factor)
    wider = (
        less if found.definition == "puredp" else less**0.5
    )  # the deviation of noise is about 1/epsilon, 1/sqrt(rho)
    note = "narrowest" if one is found.found[0] else f"{100 * (wider - 1):+.1f} %"
    return exact_text(rounded_down(found.total * one.factor, 6)), rounded_up(one.epsilon), note


def loss_overlay_toml(parameters: Path, found: LossTarget) -> str:
    """The text of a parameter file that is laid over `parameters` and has these budgets."""
    options = f"--epsilon {exact_text(found.epsilon)} --delta {exact_text(found.delta)}"
    best = found.found[0]
    lines = [
        "# The largest budgets, in the proportions of the file below, with which one person's loss is",
        f"# at most epsilon {exact_text(found.epsilon)} at delta {exact_text(found.delta)}, by this accountant:",
        f"# {best.rule}. Made by",
        f"#   safetab-sql targets --parameters {parameters.name} {options}",
    ]
    budgets = {
        level.name: LevelBudget(level.scaled, f"MOE95: {level.scaled_moe95}; it was {level.moe95}")
        for level in found.levels
    }
    return "\n".join([*lines, *overlay_lines(parameters, budgets), ""])
