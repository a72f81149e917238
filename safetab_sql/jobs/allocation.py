"""A loss divided for stated uses: `safetab-sql targets --uses`. Source: accounting.md section 5.4."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.accounting.targets import rounded_down
from safetab_sql.evaluation.group_sizes import simulated_group_sizes
from safetab_sql.jobs.targets import LevelChoice, Settings, is_accepted, laid_over
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.templates import filled, printed
from safetab_sql.kit.text_tables import exact_text
from safetab_sql.public.gate import public_file
from safetab_sql.public.group_sizes import GroupSizes, public_group_sizes
from safetab_sql.public.values import level_prefix
from safetab_sql.semantics.allocation import (
    Allocation,
    Choice,
    Groups,
    Kinds,
    Level,
    allocated,
    weighted_error,
)
from safetab_sql.semantics.expected_errors import Sizes, UseAtLevel, about_sizes
from safetab_sql.semantics.use_queries import groups_meant, use_at_level, use_tables, with_shares
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.ladders import COUNTED, Ladder, attributes_of
from safetab_sql.settings.uses import Uses, load_uses, use_problems

_DIGITS, _SHARE_DIGITS = 6, 4  # of a budget, of a share
_FEWEST = 0.5  # groups that a use has to mean at a level
_SEVERAL = ("alone", "combination")  # kinds of a question of several columns


@dataclass(frozen=True, slots=True)
class UseLine:
    """A use at one level: how many groups it means; its expected error before and after, in multiples of the wanted."""

    use: str
    level: str
    weight: float
    groups: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Allocated:
    """A loss divided for stated uses.

    sizes: where the sizes of groups are from. before, after: what is chosen. budgets, shares, gamma: after, exact;
    with `kept`, the budgets of levels that no use is of, they add up to the loss. error_before, error_after: weighted,
    in multiples of what is wanted. losses: by part, what the budgets that were found add up to. left_out: uses that
    count for nothing, and why.
    """

    settings: Settings
    uses: Uses
    sizes: str
    before: Choice
    after: Choice
    budgets: Mapping[str, Fraction]
    shares: Mapping[str, Mapping[str, Fraction]]
    gamma: Fraction
    lines: tuple[UseLine, ...]
    error_before: float
    error_after: float
    kept: Mapping[str, Fraction]
    losses: Mapping[str, Fraction]
    left_out: tuple[str, ...]


def allocation(
    settings: Settings,
    uses: str | Path,
    sizes: str | Path,
    *,
    code_lists: Path | None = None,
    loss: Fraction | None = None,
) -> Allocated:
    """The loss of a parameter file, or another one, divided for stated uses.

    sizes: a public table of how many groups have how many people, or a folder that `simulate` made. loss: rho or
    epsilon of the part in which a record loses most; other parts follow in proportion.
    Raises: InputError with every problem of the files, or where the loss is too small.
    """
    public_file("uses", uses)
    stated = load_uses(Path(uses))
    plans = _plans_by_level(settings)
    refuse(list(_problems(settings, stated, plans)))
    named = {name for use in stated.uses for name in use.levels if name in plans}
    names = {plan.name: _ends(stated, name) for name in named for plan in plans[name]}
    known = _sizes(settings, Path(sizes), code_lists, names)
    levels = tuple(_level(settings, stated, name, own, known) for name, own in plans.items() if name in named)
    levels = tuple(level for level in levels if any(use.is_of_some for each in level.groups for use in each.uses))
    free, kept = _free_losses(settings, plans, levels, loss)
    wanted = Allocation(settings.definition, levels, {part: float(each) for part, each in free.items()})
    now = _present(settings, plans, wanted)
    found = allocated(wanted, now)
    budgets, shares, gamma = _exact_budgets(found, levels, free), _exact_shares(found), _exact_gamma(settings, found)
    refuse(list(_refused(settings, plans, budgets, gamma)))
    after = replace(
        found,
        budgets={name: float(each) for name, each in budgets.items()},
        shares={name: {kind: float(each) for kind, each in own.items()} for name, own in shares.items()},
    )
    lines = tuple(_lines(wanted, now, after))
    errors = weighted_error(wanted, now), weighted_error(wanted, after)
    left_out = tuple(_left_out(stated, plans, lines))
    return Allocated(
        settings, stated, str(sizes), now, after, budgets, shares, gamma, lines, *errors, kept, free, left_out
    )


def _plans_by_level(settings: Settings) -> dict[str, list[LevelPlan]]:
    """The plans of each level, by its name: several where the level has shares."""
    found: dict[str, list[LevelPlan]] = {}
    for plan in () if settings.ledger is None else settings.ledger.levels:
        prefix = level_prefix(settings.parameters, _ladder(settings, plan))
        found.setdefault(plan.name if plan.whole is None else f"{prefix}{plan.whole.name}", []).append(plan)
    return found


def _ladder(settings: Settings, plan: LevelPlan) -> Ladder:
    return next(ladder for ladder in settings.parameters.ladders if ladder.name == plan.ladder)


def _budget(plans: Sequence[LevelPlan]) -> Fraction:
    return plans[0].budget if plans[0].whole is None else plans[0].whole.budget


def _problems(settings: Settings, stated: Uses, plans: Mapping[str, Sequence[LevelPlan]]) -> Iterator[Problem]:
    """Uses without a level that can have them, and what their ladders do not have."""
    for use in stated.uses:
        where, own = f"{stated.source} [uses.{use.name}]", [name for name in use.levels if name in plans]
        if not own:
            fix = f"levels with a budget in {settings.file} are {', '.join(plans)}"
            yield Problem(where, f"none of its levels is there: {', '.join(use.levels)}", fix)
        for name in own:
            plan = plans[name][0]
            if plan.measure != COUNTED or plan.choose in ("published", "beside"):
                what = f"{name} adds amounts up, or another table picks its groups"
                yield Problem(where, what, "take the level out: no budget is found for it")
        for ladder in {plans[name][0].ladder: _ladder(settings, plans[name][0]) for name in own}.values():
            yield from use_problems(stated.source, use, ladder, _attributes(settings, ladder))


def _attributes(settings: Settings, ladder: Ladder) -> dict[str, Attribute]:
    return {each.name: each for each in attributes_of(ladder, settings.parameters.attributes)}


def _sizes(
    settings: Settings, given: Path, code_lists: Path | None, names: Mapping[str, Sequence[int]]
) -> Mapping[str, Sizes]:
    """The sizes of the groups of each plan, those that are alike taken together. names: of plans, with `_ends`."""
    if given.is_dir():
        found: GroupSizes = simulated_group_sizes(given, settings.file, code_lists)
    else:
        found = public_group_sizes(given, list(names))
    return {name: about_sizes(*found[name], ends) for name, ends in names.items()}


def _ends(stated: Uses, level: str) -> list[int]:
    """The sizes at which uses of a level begin, and behind which they end."""
    own = [use.people for use in stated.uses if level in use.levels]
    return sorted({*(sizes[0] for sizes in own), *(sizes[1] + 1 for sizes in own if len(sizes) > 1)})


def _level(
    settings: Settings, stated: Uses, name: str, plans: Sequence[LevelPlan], known: Mapping[str, Sizes]
) -> Level:
    ladder = _ladder(settings, plans[0])
    attributes = _attributes(settings, ladder)
    own = [with_shares(use, ladder, attributes) for use in stated.uses if name in use.levels]
    meant = {use.name: sum(groups_meant(use, known[plan.name]) for plan in plans) for use in own}
    meant = {name: number for name, number in meant.items() if number >= _FEWEST}
    starts = tuple(sorted({use.people[0] for use in own if use.people[0] > 1}))
    groups = tuple(
        _groups(
            settings,
            plan,
            known[plan.name],
            [
                use_at_level(
                    *(use, name, use_tables(use, ladder, attributes)[: len(_cells(plan))], known[plan.name]),
                    *(meant[use.name], float(stated.unserved)),
                )
                for use in own
                if use.name in meant
            ],
        )
        for plan in plans
    )
    return Level(name, plans[0].part, groups, plans[0].bound, _kinds(settings, plans), starts)


def _cells(plan: LevelPlan) -> tuple[int, ...]:
    return (1, *plan.sizes) if plan.thresholds or plan.choose == "always" else (1,)


def _groups(settings: Settings, plan: LevelPlan, sizes: Sizes, uses: Sequence[UseAtLevel]) -> Groups:
    parameters = settings.parameters
    is_suppressed = plan.suppression_threshold is not None
    return Groups(
        name=plan.name,
        sizes=sizes,
        uses=tuple(uses),
        is_chosen=bool(plan.thresholds),
        cells=_cells(plan),
        suppressed_chance=float(parameters.zero_suppression_chance) if is_suppressed else 0.0,
        suppressed_below=(parameters.suppress_below or 0) if is_suppressed else 0,
        publishes_stage_1=plan.publishes_stage_1,
    )


def _kinds(settings: Settings, plans: Sequence[LevelPlan]) -> Kinds | None:
    """How the kinds of a level share its budget; None where all spend alike."""
    if plans[0].whole is None:
        return None
    stability = {plan.catalog.level.kind or "": plan.catalog.stability for plan in plans}
    singles = {kind: groups for kind, groups in stability.items() if kind not in _SEVERAL}
    factor = settings.parameters.unit.bound(1, settings.definition)
    return Kinds(tuple(stability), singles, stability.get("combination", 1), factor)


def _free_losses(
    settings: Settings, plans: Mapping[str, Sequence[LevelPlan]], levels: Sequence[Level], loss: Fraction | None
) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """By part, what its levels may spend whose budgets are found; and the budgets of all others.

    Raises: InputError where nothing is left.
    """
    parts = {name: own[0].part for name, own in plans.items()}
    totals = dict.fromkeys(parts.values(), Fraction(0))
    for name, own in plans.items():
        totals[parts[name]] += _budget(own)
    factor = Fraction(1) if loss is None else loss / max(totals.values())
    kept = {name: _budget(own) for name, own in plans.items() if name not in {level.name for level in levels}}
    free = {
        part: total * factor - sum((kept[name] for name in kept if parts[name] == part), Fraction(0))
        for part, total in totals.items()
        if part in {level.part for level in levels}
    }
    if not free:
        raise InputError([Problem("--sizes", "no group is of any size that a use means", "name sizes of these levels")])
    fix = "give a larger one, or uses for more levels"
    spent = [part for part, left in free.items() if left <= 0]
    refuse([Problem("--loss", f"levels without a use spend all of it in {part}", fix) for part in spent])
    return free, kept


def _present(settings: Settings, plans: Mapping[str, Sequence[LevelPlan]], wanted: Allocation) -> Choice:
    """What the parameter file says, its budgets multiplied so that they add up to the loss."""
    budgets = {level.name: float(_budget(plans[level.name])) for level in wanted.levels}
    spent = {part: sum(budgets[level.name] for level in wanted.levels if level.part == part) for part in wanted.losses}
    return Choice(
        float(settings.parameters.gamma),
        {level.name: budgets[level.name] * wanted.losses[level.part] / spent[level.part] for level in wanted.levels},
        {level.name: plans[level.name][0].thresholds for level in wanted.levels},
        {
            level.name: {kind: float(share) for kind, share in whole.shares}
            for level in wanted.levels
            if (whole := plans[level.name][0].whole) is not None
        },
    )


def _exact_budgets(found: Choice, levels: Sequence[Level], free: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Budgets as decimals, rounded down; the largest of a part is what the others leave of its loss, exactly."""
    budgets = {level.name: rounded_down(Fraction(found.budgets[level.name]), _DIGITS) for level in levels}
    for part, loss in free.items():
        own = [level.name for level in levels if level.part == part]
        largest = max(own, key=lambda name: budgets[name])
        budgets[largest] = loss - sum((budgets[name] for name in own if name != largest), Fraction(0))
    return budgets


def _exact_shares(found: Choice) -> dict[str, dict[str, Fraction]]:
    """Shares as decimals, the largest 1."""
    return {
        name: {kind: rounded_down(Fraction(each / max(own.values())), _SHARE_DIGITS) for kind, each in own.items()}
        for name, own in found.shares.items()
    }


def _exact_gamma(settings: Settings, found: Choice) -> Fraction:
    now = settings.parameters.gamma
    return now if found.gamma == float(now) else Fraction(str(found.gamma))


def _refused(
    settings: Settings, plans: Mapping[str, Sequence[LevelPlan]], budgets: Mapping[str, Fraction], gamma: Fraction
) -> Iterator[Problem]:
    for name, budget in budgets.items():
        is_chosen = bool(plans[name][0].thresholds)
        if not is_accepted(settings, plans[name][0].name, budget, gamma if is_chosen else Fraction(0)):
            what = f"no run accepts the budget that is best for {name}, {exact_text(budget)}"
            yield Problem(
                "--uses", what, "give its uses more weight, or take them out: the level then keeps its budget"
            )


def _lines(wanted: Allocation, before: Choice, after: Choice) -> Iterator[UseLine]:
    groups: dict[tuple[str, str], float] = {}
    weights = {}
    for level in wanted.levels:
        for own in level.groups:
            for use in own.uses:
                key = use.name, use.level
                groups[key] = groups.get(key, 0.0) + float(own.sizes.groups[use.shares > 0].sum())
                weights[key] = use.weight
    for key in sorted(groups, key=lambda key: key[0]):
        errors = weighted_error(wanted, before, key), weighted_error(wanted, after, key)
        yield UseLine(*key, weights[key], round(groups[key]), *errors)


def _left_out(stated: Uses, plans: Mapping[str, object], lines: Sequence[UseLine]) -> Iterator[str]:
    """The levels of uses that count for nothing, with the reason."""
    unknown = dict.fromkeys(name for use in stated.uses for name in use.levels if name not in plans)
    if unknown:
        yield f"no budget in the parameter file: {', '.join(unknown)}"
    counted = {(line.use, line.level) for line in lines}
    for use in stated.uses:
        empty = [name for name in use.levels if name in plans and (use.name, name) not in counted]
        if empty:
            yield f"{use.name}: no group of that size in {', '.join(empty)}"


def allocation_text(found: Allocated) -> str:
    """The budgets and the expected errors for people to read."""
    return printed(__file__, "allocation", _said(found))


def allocation_toml(found: Allocated, options: str) -> str:
    """The text of a parameter file with what was found, laid over the file that it is found for. options: as given."""
    settings = found.settings
    chosen = {
        name: LevelChoice(found.after.thresholds[name], tuple(found.shares.get(name, {}).items()))
        for name in found.budgets
    }
    said = {
        name: (exact_text(budget), f"it was {_number(found.before.budgets[name])}")
        for name, budget in found.budgets.items()
    }
    laid = laid_over(settings, options, said, chosen)
    gamma = found.gamma if found.gamma != settings.parameters.gamma else None
    return filled(__file__, "allocation.toml", {**_said(found), **laid, "new_gamma": gamma})


def allocation_json(found: Allocated) -> dict[str, object]:
    """What was found, for programs."""
    return {
        "privacy_definition": found.settings.definition,
        "losses": found.losses,
        "gamma": {"before": found.settings.parameters.gamma, "after": found.gamma},
        "levels": [
            {
                "level": name,
                "budget": {"before": found.before.budgets[name], "after": budget},
                "thresholds": {"before": found.before.thresholds[name], "after": found.after.thresholds[name]},
                "shares": {"before": found.before.shares.get(name), "after": found.shares.get(name)},
            }
            for name, budget in found.budgets.items()
        ],
        "kept": found.kept,
        "uses": found.lines,
        "weighted_error": {"before": found.error_before, "after": found.error_after},
        "left_out": found.left_out,
    }


def _said(found: Allocated) -> dict[str, object]:
    return {
        **{"found": found, "budget": UNITS[found.settings.definition], "number": _number},
        "less": 100 * (1 - found.error_after / found.error_before),
        "gamma_before": found.settings.parameters.gamma,
        "file": found.settings.file.name,
    }


def _number(value: float) -> str:
    return f"{value:.4g}"
