"""What a run spends, what that costs one record and one person, and what its release states of it: `ledger` in JSON.

A mechanism bounds what changes when one record is added or removed. A person may be more than one record, or be able to
turn one record into another. `Loss` alone derives the loss of a person from the loss of a record; whatever prints,
limits, targets, enters or adds up a loss takes one, and the words and keys for it from here. Where a column names the
person of a record, the noise is made for all records of a person: a budget is what a person loses, and nothing is said
of one record.

The statement has every kind of mechanism call of a run, described completely enough for any other accountant.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from safetab_sql.accounting.accountants import GroupCalls, formula_totals
from safetab_sql.accounting.conversions import Exact, Total, rounded_up, totals_of_a_loss, zcdp_to_approximate_dp
from safetab_sql.accounting.plan import LevelCalls, LevelPlan, MechanismCall, Statistic
from safetab_sql.kit.words import counted
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, margin_of_error
from safetab_sql.settings.budgets import DELTA, UNITS, PrivacyDefinition
from safetab_sql.settings.geography import part_title
from safetab_sql.settings.ladders import PopulationGroupLevel, level_of_name
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.tables import INLINE, Wrong, checked, table, via
from safetab_sql.settings.unit import Unit

ONE_RECORD, ONE_PERSON = "one_record", "one_person"  # names among the totals of a ledger
UNKNOWN = "the loss of a person is unknown"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss in rho (zcdp) or epsilon (puredp), of one record of a unit.

    of_record: when one record is added or removed, or one person with all records where a column names the person.
    """

    unit: Unit
    definition: PrivacyDefinition
    of_record: Fraction

    @property
    def of_person(self) -> Fraction | None:
        """When a person, with all records of that person, is added, removed or changed; None if it is unknown."""
        times = times_of_a_person(self.unit, self.definition)
        return None if times is None else times * self.of_record


def times_of_a_person(unit: Unit, definition: PrivacyDefinition) -> int | None:
    """How many times as much as a record a person loses at most; None where nothing bounds it.

    Source: accounting.md section 1.1.
    """
    most = unit.records_of_a_person
    if unit.person is not None:
        return 1  # the noise is made for whatever a person can do: see `Unit.bound`
    if most is None:
        return None
    return most if definition == "puredp" else most**2


def difference(unit: Unit) -> str:
    """What neighbours differ by."""
    return f"{unit.protected}{'' if unit.person is None else ','} added or removed"


def person_rule(unit: Unit, definition: PrivacyDefinition) -> str:
    """How the loss of a person follows from the loss of a record, or what of a person is counted."""
    if unit.person is not None:
        names = ("record", "records") if unit.record == "record" else (unit.one, unit.many)
        is_one = unit.most_records == 1
        return f"of a person, at most {counted(unit.most_records or 1, *names)} {'is' if is_one else 'are'} counted"
    times, most = times_of_a_person(unit, definition), unit.records_of_a_person
    if unit.is_person:
        return f"a {unit.one} is one record"
    if times is None:
        return f"a person with k {unit.many} loses up to {'k' if definition == 'puredp' else 'k^2'} times as much"
    has = f"a person has at most {'one' if most == 1 else f'{most:,}'} {unit.one if most == 1 else unit.many}"
    as_much = {1: "as much as", 2: "twice as much as"}.get(times, f"{times:,} times as much as")
    return f"{has}, and loses at most {as_much} one {unit.one}"


def said_loss(loss: Loss) -> str:
    """The loss in sentences: of one person where that is known, and of one record of its unit; else how it grows."""
    unit = loss.unit
    amounts = (rounded_up(each or Fraction(0), 12) for each in (loss.of_record, loss.of_person))
    record, person = (f"loses at most {UNITS[loss.definition]} {each}" for each in amounts)
    if unit.is_person:
        return f"One {unit.one} {record}."
    rule = person_rule(unit, loss.definition)
    if unit.person is not None:
        return f"{unit.protected[:1].upper()}{unit.protected[1:]}, {person}: {rule}."
    if loss.of_person is None:
        return f"One {unit.one} {record}. {UNKNOWN[:1].upper()}{UNKNOWN[1:]}: {rule}."
    return f"One person {person}: {rule}. One {unit.one} {record}."


def quoted(loss: Loss, delta: Fraction) -> str:
    """The epsilon, of three digits, that is quoted of a loss, at which delta, and whose it is. Nothing else says one.

    Of pure DP it is the loss, at delta 0. Of zCDP it is the least over all Renyi orders, which needs no call of a run.
    """
    whole, amount = "one person" if loss.unit.person is None else loss.unit.protected, loss.of_person
    if amount is None:
        whole, amount = f"one {loss.unit.one} only; {UNKNOWN}", loss.of_record
    is_pure = loss.definition == "puredp"
    epsilon, delta = (amount, Fraction(0)) if is_pure else (zcdp_to_approximate_dp(amount, delta), delta)
    return f"epsilon {rounded_up(epsilon, 3)} at delta {rounded_up(delta, 3)}, of {whole}"


def loss_members(unit: Unit, of_record: T | None, of_person: T | None) -> dict[str, T | None]:
    """The members of a JSON object that say something of one record and of one person: null where that is unknown.

    Of one record nothing is said where a column names the person: neighbours differ by all records of a person.
    """
    return {ONE_RECORD: of_record if unit.person is None else None, ONE_PERSON: of_person}


def loss_totals(loss: Loss, of_record: Sequence[Total], delta: Fraction) -> dict[str, Sequence[Total] | None]:
    """The guarantees of one record and of one person; where the latter loses something else, from that loss alone."""
    of_person = None if loss.of_person is None else totals_of_a_loss(loss.definition, loss.of_person, delta)
    return loss_members(loss.unit, of_record, of_record if loss.of_person == loss.of_record else of_person)


# How a release states it.

Distribution = Literal["discrete gaussian", "two-sided geometric"]
_LAWS: Mapping[Distribution, type[Law]] = {each.name: each for each in (DiscreteGaussian, TwoSidedGeometric)}


@table
class StatedTotal:
    """The result of one accountant, of which only an upper bound is called an upper bound: see `Total`."""

    rule: str
    delta: Exact
    epsilon_upper_bound: float | None = None
    epsilon_not_a_bound: float | None = None
    caveat: str = ""


def _of_whom(totals: Mapping[str, object]) -> Iterator[Wrong]:
    named = [name for name in (ONE_RECORD, ONE_PERSON) if name in totals]
    if len(named) < 2 or all(totals[name] is None for name in named):
        yield Wrong(f"lacks {ONE_RECORD} or {ONE_PERSON}", "say both; at least one of them is known")


@table
class LossStatement:
    """What each ledger begins with. totals, approximate_dp: by part, of one record, and of one person (None: unknown).

    totals: rho (zcdp) or epsilon (puredp). approximate_dp: the (epsilon, delta) guarantees that follow. quoted: the one
    that commands and pages quote, in words.
    """

    neighbours: str
    person_rule: str
    privacy_definition: PrivacyDefinition
    budget_unit: str
    composition: str
    totals: Annotated[Mapping[str, Exact | None], checked(_of_whom, {"required": [ONE_RECORD, ONE_PERSON]})]
    approximate_dp: Mapping[str, tuple[StatedTotal, ...] | None]
    quoted: str = ""

    @property
    def of_record(self) -> Fraction:
        """The loss of one record; of one person with all records, where neighbours differ by that."""
        return self.totals[ONE_RECORD] or self.totals[ONE_PERSON] or Fraction(0)

    def of(self, unit: Unit) -> Loss:
        """The loss of one record of this unit, and what follows for a person."""
        return Loss(unit, self.privacy_definition, self.of_record)


def loss_statement(
    loss: Loss, composition: str, totals: Mapping[str, Sequence[Total] | None], delta: Fraction = DELTA
) -> LossStatement:
    """The beginning of a ledger. totals: the (epsilon, delta) guarantees."""
    return LossStatement(
        neighbours=f"inputs that differ by {difference(loss.unit)}",
        person_rule=person_rule(loss.unit, loss.definition),
        privacy_definition=loss.definition,
        budget_unit=UNITS[loss.definition],
        composition=composition,
        totals=loss_members(loss.unit, loss.of_record, loss.of_person),
        approximate_dp={name: None if of is None else tuple(map(_stated_total, of)) for name, of in totals.items()},
        quoted=quoted(loss, delta),
    )


def _stated_total(total: Total) -> StatedTotal:
    bound, other = (None, total.epsilon) if total.caveat else (total.epsilon, None)
    return StatedTotal(total.rule, total.delta, bound, other, total.caveat)


def standard_deviation(law: Law) -> float:
    """Standard deviation of one draw, persons, for display. For the discrete Gaussian it is the bound sqrt(sigma2).

    Source: paper Definitions 6 and 7; tabulation.md section 5.
    """
    if isinstance(law, DiscreteGaussian):
        return math.sqrt(1 / (2 * law.rho))
    # The variance 2 t / (1 - t)^2 with t = exp(-epsilon) equals 1 / (2 sinh(epsilon / 2)^2).
    half = min(float(law.epsilon / 2), 700.0)  # above 700 the deviation is 0 to all printed digits
    return 1 / (math.sqrt(2) * math.sinh(half))


@table
class Noise:
    """Noise that is added to each of some counts, of which one record changes one by at most `sensitivity`.

    budget: rho or epsilon that such a record loses. sigma2 or scale: the parameter of the distribution.
    """

    distribution: Distribution
    budget: Exact
    sensitivity: int
    standard_deviation: float
    moe95: int
    sigma2: Exact | None = None
    scale: Exact | None = None


def noise_of(law: Law, budget: Fraction, sensitivity: int = 1) -> Noise:
    """What is stated of the noise of a law."""
    sigma2 = 1 / (2 * law.rho) if isinstance(law, DiscreteGaussian) else None
    scale = 1 / law.epsilon if isinstance(law, TwoSidedGeometric) else None
    width = standard_deviation(law), margin_of_error(law)
    return Noise(law.name, budget, sensitivity, *width, sigma2, scale)


@table
class StatedCall:
    """A mechanism call as a manifest has it: see `MechanismCall`."""

    statistic: Statistic
    noise: Annotated[Noise, INLINE]


def _stated_calls(calls: LevelCalls) -> list[StatedCall]:
    found = [(call, call.budget * times_of_one(type(call.law), call.sensitivity)) for call in calls.all]
    return [StatedCall(call.statistic, noise_of(call.law, loss, call.sensitivity)) for call, loss in found]


def times_of_one(law: type[Law], change: int) -> int:
    """How many times as much is lost where a count changes by `change` as where it changes by 1."""
    return change**2 if law is DiscreteGaussian else change


def _calls(stated: Sequence[StatedCall]) -> LevelCalls:
    """The calls of a level. Raises: ValueError where one is missing, or has no law."""
    calls = {}
    for each in stated:
        law, most = _LAWS[each.noise.distribution], each.noise.sensitivity
        budget = each.noise.budget / times_of_one(law, most)
        calls[each.statistic] = MechanismCall(each.statistic, budget, law(budget), most)
    if not {"total_only", "stage_2"} <= set(calls):
        raise ValueError("a call is missing")
    return LevelCalls(calls["total_only"], calls.get("stage_1"), calls["stage_2"])


@table
class ReleasedLevel:
    """A population group level as the ledger of a release has it.

    ladder: the name of its ladder; None in a release with one. budget: rho or epsilon. thresholds: noisy persons; none
    where no group gets a table, or where all get the same. suppression_threshold: a total up to it is not published,
    persons; None where every total is. total_only_threshold: the same of groups that never get a table.
    """

    name: Annotated[str, Field(alias="level")]
    part: str
    budget: Exact
    stability: int
    stability_rule: str
    per_group: Exact
    gamma: Exact
    thresholds: tuple[int, ...]
    calls: Annotated[LevelCalls, via(tuple[StatedCall, ...], _calls, _stated_calls)]
    suppression_threshold: int | None
    total_only_threshold: Annotated[int | None, Field(alias="total_only_suppression_threshold")]
    ladder: str | None = None
    publishes_stage_1: bool = False

    @property
    def bound(self) -> int:
        """By how much what is protected can change the level at most: see `Unit.bound`."""
        return int(self.budget / self.per_group)

    @property
    def level(self) -> PopulationGroupLevel:
        """STATE-2, of which several ladders may have a level."""
        name = self.name if self.ladder is None else self.name.removeprefix(f"{self.ladder} ")
        return level_of_name(name)

    @property
    def region_type(self) -> str:
        """STATE of STATE-2."""
        return self.level.region_type

    @property
    def total_call(self) -> MechanismCall:
        """The call on a total of the level that is published without a table."""
        return self.calls.stage_2 if self.thresholds else self.calls.total_only

    @property
    def suppressed_up_to(self) -> int | None:
        """The largest noisy total, persons, that is not published; of groups that may get a table, where any may."""
        return self.suppression_threshold if self.thresholds else self.total_only_threshold

    def measured_law(self, *, is_total_only: bool) -> Law:
        """The law of the noise of a published count that is no sum: a cell, or the total of a group without a table.

        is_total_only: whether its group could get a total and nothing else.
        """
        return (self.calls.total_only if is_total_only else self.calls.stage_2).law


@table
class RunStatement:
    """The ledger of a run: what it loses, and the calls of every level."""

    loss: Annotated[LossStatement, INLINE]
    levels: tuple[ReleasedLevel, ...]


# What a run spends, and how it is stated.

EXACT_RULE = "some answer leads to as many"
BOUND_RULE = (
    "of each question of several columns the larger of min(combinations, h_combination * codes) and h_alone + "
    "min(combinations of one alone iteration, h_combination * codes), of others h_single"
)

Totals = Mapping[str, Sequence[Total] | None]  # by part, of one record and of one person (None: unknown), and the sum


@dataclass(frozen=True, slots=True)
class RunSpending:
    """What a run spends: the plan of every level, whose calls the mechanisms draw.

    part_names: of the geography, run or not. caveat: what this does not cover. unit: the record that budgets are of.
    delta: of the (epsilon, delta) guarantees to which totals are converted.
    """

    privacy_definition: PrivacyDefinition
    part_names: tuple[str, ...]
    levels: tuple[LevelPlan, ...]
    caveat: str = ""
    unit: Unit = field(default_factory=Unit)
    delta: Fraction = DELTA

    @property
    def parts(self) -> dict[str, Loss]:
        """The loss by what the run spends on each part; 0 if the part is not run."""
        spent = dict.fromkeys(self.part_names, Fraction(0))
        for level in self.levels:
            spent[level.part] += level.budget
        return {name: Loss(self.unit, self.privacy_definition, each) for name, each in spent.items()}

    @property
    def loss(self) -> Loss:
        """The loss by the run of whoever is in one part: the largest of the parts. Source: paper Lemmas 1-3, 9, 10."""
        return max(self.parts.values(), key=lambda loss: loss.of_record)


def run_spending(parameters: Parameters, plans: Sequence[LevelPlan]) -> RunSpending:
    """What a run with these plans spends."""
    names = tuple(part.name for part in parameters.geography.parts)
    return RunSpending(parameters.privacy_definition, names, tuple(plans), unit=parameters.unit, delta=parameters.delta)


def group_calls(entries: RunSpending) -> dict[str, tuple[GroupCalls, ...]]:
    """The calls on the population groups of one record: for each part that is run, in lower case, and for their sum.

    Where a person changes a count by more than 1, as many calls on counts that change by 1 as lose the same: see
    `uncomposed`.
    """
    found = [(level.part, GroupCalls(level.bound, level.calls.budgets)) for level in entries.levels]
    named = {part.lower(): tuple(calls for own, calls in found if own == part) for part in entries.part_names}
    named["sum"] = tuple(chain.from_iterable(named.values()))
    return {name: calls for name, calls in named.items() if calls}


def approximate_totals(entries: RunSpending) -> dict[str, tuple[Total, ...]]:
    """The results of the accountants that are formulas, for each part that is run, and for the sum."""
    why, delta = uncomposed(entries) if entries.privacy_definition == "puredp" else "", entries.delta
    totals = {}
    for name, calls in group_calls(entries).items():
        # The first of pure DP rests on the sum of a person's losses alone; the others need every call of one person.
        first, *others = formula_totals(entries.privacy_definition, calls, delta)
        totals[name] = (first, *(Total(other.rule, None, delta, why) if why else other for other in others))
    return totals


def uncomposed(entries: RunSpending) -> str:
    """Why an accountant that needs every call on what is protected has no result; '' where it has one.

    It takes a call on a count that changes by 1. Noise on a count that changes by k is not dominated by k, or k^2, of
    such calls, although it loses no more than these.
    """
    most = entries.unit.most_change * max(level.calls.stage_2.sensitivity for level in entries.levels)
    return "" if most == 1 else f"not computed: a {entries.unit.holder} can change a count by {most:,}"


def with_losses(entries: RunSpending, totals: Mapping[str, Sequence[Total]]) -> Totals:
    """`totals` of parts and their sum, and what follows for one record and one person.

    A record is in one part, unknown which: the largest of each accountant counts.
    """
    parts = {name: tuple(rows) for name, rows in totals.items() if name != "sum"}
    of_record = [max(rows, key=lambda total: total.size) for rows in zip(*parts.values(), strict=True)]
    return {**parts, **loss_totals(entries.loss, tuple(of_record), entries.delta), "sum": tuple(totals["sum"])}


def run_statement(entries: RunSpending, *, totals: Totals | None = None) -> RunStatement:
    """`entries` as a manifest states them, and `members_of` it: every Fraction is exact, with a decimal beside it.

    totals: (epsilon, delta) guarantees; by default, the results of the accountants that are formulas.
    """
    unit, ladders = entries.unit, {level.ladder for level in entries.levels}
    known = with_losses(entries, approximate_totals(entries)) if totals is None else totals
    parts = {name.lower(): loss.of_record for name, loss in entries.parts.items()}
    whole = {"sum": sum(parts.values(), Fraction(0))}  # which bounds the loss even if somebody is in several
    stated = loss_statement(entries.loss, _composition_rule(entries), known, entries.delta)
    return RunStatement(
        replace(stated, totals={**parts, **stated.totals, **whole}),
        tuple(_stated_level(level, unit, has_ladders=len(ladders) > 1) for level in entries.levels),
    )


def _composition_rule(entries: RunSpending) -> str:
    unit, ladders = entries.unit, {level.ladder for level in entries.levels}
    several = len(ladders) > 1 or not all(level.calls.stage_1 for level in entries.levels)
    each, one, of = ("in each ladder ", ", where the ladder has one,", " and ladders") if several else ("", "", "")
    groups = f"a {unit.record} is in at most `stability` population groups of a level; {each}each takes one total_only "
    calls = f"call, or one stage_1 call{one} and one stage_2 call; losses of the levels{of} of a part add"
    return f"{groups}{calls}; parts hold different {unit.people if unit.person is None else 'records'}"


def _stated_level(level: LevelPlan, unit: Unit, *, has_ladders: bool) -> ReleasedLevel:
    stability = f"no {unit.record} is in more population groups of this level, by the code lists"
    as_planned = ("name", "part", "budget", "gamma", "thresholds", "calls", "suppression_threshold")
    return ReleasedLevel(
        **{name: getattr(level, name) for name in (*as_planned, "total_only_threshold", "publishes_stage_1")},
        stability=level.catalog.stability,
        stability_rule=f"{stability}: {EXACT_RULE if level.catalog.is_exact else BOUND_RULE}",
        per_group=level.calls.total_only.budget,
        ladder=level.ladder if has_ladders else None,
    )


def sum_notes(ladders: Iterable[str]) -> list[str]:
    """A sentence on the ladders that add up amounts: what margins, thresholds and sizes are in."""
    names = list(dict.fromkeys(ladders))
    return [f"{', '.join(names)}: margins, thresholds and sizes are in units of what is added up."] if names else []


def shown_losses(entries: RunSpending) -> list[tuple[str, str, Fraction]]:
    """The losses that are shown, by their name among the totals: a title, and the loss.

    Of one person, first, where it is known and another; of one record by part, and the largest where there are several.
    """
    unit, loss = entries.unit, entries.loss
    of = "" if unit.is_person else f", one {unit.holder}"
    of += f" only ({UNKNOWN})" if loss.of_person is None else ""
    parts = [(name.lower(), f"{part_title(name)}{of}", each.of_record) for name, each in entries.parts.items()]
    parts = [each for each in parts if each[2]]
    alone, whole = len(parts) > 1, f"{unit.protected[:1].upper()}{unit.protected[1:]}"
    titles = (f"{whole}, in one part alone", "One person, in one part alone" if alone else "One person")
    titles = titles if unit.person is None else (whole, whole)
    is_said = alone if unit.person is not None else loss.of_person != loss.of_record
    members = loss_members(unit, loss.of_record if alone else None, loss.of_person if is_said else None)
    record, person = [(name, title, each) for title, (name, each) in zip(titles, members.items(), strict=True)]
    return [(name, title, each) for name, title, each in (person, *parts, record) if each]
