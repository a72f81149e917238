"""The privacy ledger: every kind of mechanism call of a run, described completely enough for any other accountant."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import reduce
from itertools import chain

from safetab_sql.accounting.accountants import Total, either, formula_totals
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.plan import LevelPlan, MechanismCall, WholeLevel, total_budget
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.unit import Unit, in_words

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_STABILITY = "no person is in more population groups of this level, by the code lists: "
EXACT_RULE = _STABILITY + "some answer leads to as many"
BOUND_RULE = _STABILITY + (
    "the larger of min(combinations, h_combination * codes) and h_alone + min(combinations of one alone iteration, "
    "h_combination * codes), and h_single"
)
COMPOSITION_RULE = (
    "a person is in at most `stability` population groups of a level; each takes one total_only call, or one "
    "stage_1 call and one stage_2 call; losses of the levels of a part add; parts hold different people"
)
SHARES_RULE = (
    "the kinds of iterations of this level spend unequally; the largest loss of a person is the level's budget, as "
    "with equal shares, but somebody in an alone iteration loses another part of it than with equal shares"
)
LADDERS_RULE = (
    "a person is in at most `stability` population groups of a level; in each ladder each takes one total_only call, "
    "or one stage_1 call, where the ladder has one, and one stage_2 call; losses of the levels and ladders of a part "
    "add; parts hold different people"
)
DELTA = Fraction(1, 10**10)  # of the (epsilon, delta) guarantees to which totals are converted
NEIGHBOURS = "inputs that differ by one person added or removed"
OTHER_GROUPS = "not computed: shares put people into different groups"
REPLACED = "one person can turn one record into another: the loss of one person is twice that of a record"


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a run spends: the plan of every level, whose calls the mechanisms draw.

    part_names: every part of the geography, run or not. caveat: what this does not cover. unit: what a record is; the
    losses are of one record.
    """

    privacy_definition: PrivacyDefinition
    part_names: tuple[str, ...]
    levels: tuple[LevelPlan, ...]
    caveat: str = ""
    unit: Unit = field(default_factory=Unit)

    @property
    def parts(self) -> dict[str, Fraction]:
        """What the run spends on a person of each part; 0 if the part is not run."""
        return {name: total_budget(self.levels, name) for name in self.part_names}

    @property
    def one_person(self) -> Fraction:
        """The largest loss of one person in the run: the largest of the parts. Source: paper Lemmas 1-3, 9, 10."""
        return max(self.parts.values())

    @property
    def total(self) -> Fraction:
        """The sum of the parts, which bounds the loss even if a person is in several."""
        return sum(self.parts.values(), Fraction(0))


def run_ledger(parameters: Parameters, plans: Sequence[LevelPlan]) -> Ledger:
    """The ledger of a run with these plans."""
    names = tuple(part.name for part in parameters.geography.parts)
    return Ledger(parameters.privacy_definition, names, tuple(plans), unit=parameters.unit)


@dataclass(frozen=True, slots=True)
class PersonSpending:
    """What a run spends on one person, for the custodian's ledger. The fields are those of a ledger."""

    privacy_definition: PrivacyDefinition
    parts: Mapping[str, Fraction]
    caveat: str = ""


def spent_on_persons(entries: Ledger) -> PersonSpending:
    """What a run spends on one person: twice its losses where a person can turn one record into another.

    Such a person removes a record and adds one, so each count changes twice as much as by one record, in the sum of
    absolute values and in the sum of squares: the counts that the two records change are different, or cancel.
    """
    times = 2 if entries.unit.person_replaces else 1
    parts = {name: times * loss for name, loss in entries.parts.items()}
    return PersonSpending(entries.privacy_definition, parts, entries.caveat)


def standard_deviation(law: Law) -> float:
    """Standard deviation of one draw, persons, for display. For the discrete Gaussian it is the bound sqrt(sigma2).

    Source: paper Definitions 6 and 7; tabulation.md section 5.
    """
    if isinstance(law, DiscreteGaussian):
        return math.sqrt(1 / (2 * law.rho))
    # The variance 2 t / (1 - t)^2 with t = exp(-epsilon) equals 1 / (2 sinh(epsilon / 2)^2).
    half = min(float(law.epsilon / 2), 700.0)  # above 700 the deviation is 0 to all printed digits
    return 1 / (math.sqrt(2) * math.sinh(half))


def loss_of_a_person(unit: Unit, definition: PrivacyDefinition) -> str:
    """A sentence on the loss of one person, where a record is something else; nothing where it is a person."""
    if unit.person_replaces:
        return f"{REPLACED[:1].upper()}{REPLACED[1:]}."
    times = "k^2" if definition == "zcdp" else "k"
    what = f"What is protected is one {unit.one}: a person with k {unit.many} loses up to {times} times as much."
    return "" if unit.one == "person" else what


def group_calls(entries: Ledger) -> dict[str, tuple[GroupCalls, ...]]:
    """The calls on one person's population groups: for each part that is run, in lower case, and for their sum.

    Of a level with shares, those on the groups of a person who loses all of its budget. Others are in other groups, and
    lose no more: bounds that rest on the loss alone hold for them too.
    """
    by_part = {
        part.lower(): tuple(
            calls for level in entries.levels if level.part == part for calls in [_group_calls(level)] if calls.groups
        )
        for part in entries.part_names
    }
    named = {**by_part, "sum": tuple(chain.from_iterable(by_part.values()))}
    return {name: calls for name, calls in named.items() if calls}


def _group_calls(level: LevelPlan) -> GroupCalls:
    kind = level.parameters.level.kind
    groups = level.catalog.stability if level.whole is None else dict(level.whole.worst).get(kind or "", 0)
    return GroupCalls(groups, level.calls.budgets)


def approximate_totals(entries: Ledger, delta: Fraction) -> dict[str, tuple[Total, ...]]:
    """The results of the accountants that need no library, for each part that is run, one_person and the sum."""
    return with_one_person({name: _formulas(entries, calls, delta) for name, calls in group_calls(entries).items()})


def _formulas(entries: Ledger, calls: Sequence[GroupCalls], delta: Fraction) -> tuple[Total, ...]:
    """The results of the formulas; with shares, those that rest on the sum of a person's losses and on nothing else.

    Of pure DP that is the first. The others need every call of one person, and shares put people into different groups.
    """
    found = formula_totals(entries.privacy_definition, calls, delta)
    if entries.privacy_definition == "zcdp" or not has_shares(entries):
        return found
    return (found[0], *(Total(total.rule, None, delta, OTHER_GROUPS) for total in found[1:]))


def with_one_person(totals: Mapping[str, Sequence[Total]]) -> dict[str, tuple[Total, ...]]:
    """`totals` of parts and their sum, and of one person, who is in one part: the largest result of each accountant."""
    parts = {name: tuple(rows) for name, rows in totals.items() if name != "sum"}
    return {**parts, "one_person": reduce(either, parts.values()), "sum": tuple(totals["sum"])}


def ledger_json(
    entries: Ledger, *, delta: Fraction, totals: Mapping[str, Sequence[Total]] | None = None
) -> dict[str, Json]:
    """`entries` for the manifest; every Fraction is exact, and has a decimal beside it that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the totals are converted. totals: these guarantees; by default,
    the results of the accountants that need no library.
    """
    parts = {name.lower(): budget for name, budget in entries.parts.items()}
    spent = {**parts, "one_person": entries.one_person, "sum": entries.total}
    replaced = {"one_person_replaces": REPLACED} if entries.unit.person_replaces else {}
    ladders = {level.ladder for level in entries.levels}
    said: dict[str, Json] = {
        "neighbours": NEIGHBOURS,
        **replaced,
        "privacy_definition": entries.privacy_definition,
        "budget_unit": UNITS[entries.privacy_definition],
        "composition": COMPOSITION_RULE if _has_two_stages(entries) else LADDERS_RULE,
        "totals": {name: exact_json(total) for name, total in spent.items()},
        "approximate_dp": {
            name: [_total_json(row) for row in rows]
            for name, rows in (approximate_totals(entries, delta) if totals is None else totals).items()
        },
        "levels": [_level_json(level, has_ladders=len(ladders) > 1) for level in entries.levels],
    }
    return in_words(entries.unit, said) | replaced


def _has_two_stages(entries: Ledger) -> bool:
    """Whether there is one ladder, whose statistics a noisy total picks."""
    ladders = {level.ladder for level in entries.levels}
    return len(ladders) <= 1 and all(level.calls.stage_1 for level in entries.levels)


def _total_json(total: Total) -> Json:
    """The result of one accountant; only an upper bound is called an upper bound."""
    said: dict[str, Json] = {"delta": exact_json(total.delta), "rule": total.rule}
    if not total.caveat:
        return {"epsilon_upper_bound": total.epsilon, **said}
    if total.epsilon is None:
        return {**said, "caveat": total.caveat}
    return {"epsilon_not_a_bound": total.epsilon, **said, "caveat": total.caveat}


def exact_json(value: Fraction) -> Json:
    """A rational as text, numerator/denominator, and as a decimal of 12 digits, rounded up, for people."""
    rounded_up = Context(prec=12, rounding=ROUND_CEILING)
    decimal = rounded_up.divide(Decimal(value.numerator), Decimal(value.denominator))
    return {"exact": str(value), "decimal": str(decimal)}


def _level_json(level: LevelPlan, *, has_ladders: bool) -> Json:
    return {
        "level": level.name,
        **({"ladder": level.ladder} if has_ladders else {}),
        "part": level.part,
        "budget": exact_json(level.budget),
        "stability": level.catalog.stability,
        "stability_rule": EXACT_RULE if level.catalog.is_exact else BOUND_RULE,
        "per_group": exact_json(level.calls.total_only.budget),
        "gamma": exact_json(level.gamma),
        "thresholds": list(level.thresholds),
        **({"publishes_stage_1": True} if level.publishes_stage_1 else {}),
        **({} if level.whole is None else {"whole_level": _whole_json(level.whole)}),
        "calls": [_call_json(call) for call in level.calls.all],
    }


def _whole_json(whole: WholeLevel) -> Json:
    return {
        "level": whole.name,
        "budget": exact_json(whole.budget),
        "shares": {kind: exact_json(share) for kind, share in whole.shares},
        "groups_of_the_largest_loss": dict(whole.worst),
        "loss_in_an_alone_iteration": exact_json(whole.alone),
        "loss_in_an_alone_iteration_with_equal_shares": exact_json(whole.equal_alone),
        "loss_of_others": exact_json(whole.others),
        "note": SHARES_RULE,
    }


def share_notes(entries: Ledger) -> list[str]:
    """A sentence on each level with shares: whose loss they change, and to what; rounded up."""
    unit = UNITS[entries.privacy_definition]
    wholes = dict.fromkeys((level.ladder, level.whole) for level in entries.levels if level.whole is not None)
    return [
        f"{whole.name}: its kinds of iterations share {unit} {rounded_up(whole.budget)} unequally. Somebody in an "
        f"alone iteration loses up to {rounded_up(whole.alone)}; with equal shares, up to "
        f"{rounded_up(whole.equal_alone)}. Everybody else loses up to {rounded_up(whole.others)}."
        for _, whole in wholes
    ]


def has_shares(entries: Ledger) -> bool:
    """Whether shares divide some level by kind of iteration."""
    return any(level.whole is not None for level in entries.levels)


def _call_json(call: MechanismCall) -> Json:
    is_gaussian = isinstance(call.law, DiscreteGaussian)
    parameter = {"sigma2": exact_json(1 / (2 * call.budget))} if is_gaussian else {"scale": exact_json(1 / call.budget)}
    return {
        "statistic": call.statistic,
        "distribution": "discrete gaussian" if is_gaussian else "two-sided geometric",
        "budget": exact_json(call.budget),
        "sensitivity": 1,
        **parameter,
        "standard_deviation": standard_deviation(call.law),
        "moe95": margin_of_error(call.law),
    }
