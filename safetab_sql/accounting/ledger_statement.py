"""What a release says of its privacy loss: the ledger of its manifest, as it is written and read."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal

from safetab_sql.accounting.conversions import Total
from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD, Loss, loss_members, loss_of, neighbours, person_rule
from safetab_sql.accounting.plan import LevelCalls, LevelPlan, MechanismCall, Statistic, WholeLevel
from safetab_sql.accounting.written import Exact
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.ladders import PopulationGroupLevel, level_of_name
from safetab_sql.settings.markers import Checked, ReadAs
from safetab_sql.settings.tables import INLINE, Key, table
from safetab_sql.settings.unit import Unit
from safetab_sql.settings.wrong import Wrong

Distribution = Literal["discrete gaussian", "two-sided geometric"]
_LAWS: Mapping[Distribution, type[Law]] = {
    "discrete gaussian": DiscreteGaussian,
    "two-sided geometric": TwoSidedGeometric,
}


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
        yield Wrong(f"{{key}} lacks {ONE_RECORD} or {ONE_PERSON}", "say both; at least one of them is known")


_OF_WHOM = Checked(_of_whom, {"required": [ONE_RECORD, ONE_PERSON]})


@table
class LossStatement:
    """What each ledger begins with. totals, approximate_dp: by part, of one record, and of one person (None: unknown).

    totals: rho (zcdp) or epsilon (puredp). approximate_dp: the (epsilon, delta) guarantees that follow.
    """

    neighbours: str
    person_rule: str
    privacy_definition: PrivacyDefinition
    budget_unit: str
    composition: str
    totals: Annotated[Mapping[str, Exact | None], _OF_WHOM]
    approximate_dp: Mapping[str, tuple[StatedTotal, ...] | None]

    @property
    def of_record(self) -> Fraction:
        """The loss of one record; of one person with all records, where neighbours differ by that."""
        return self.totals[ONE_RECORD] or self.totals[ONE_PERSON] or Fraction(0)

    def of(self, unit: Unit) -> Loss:
        """The loss of one record of this unit, and what follows for a person."""
        return loss_of(unit, self.privacy_definition, self.of_record)


def loss_statement(
    loss: Loss,
    unit: Unit,
    composition: str,
    totals: Mapping[str, Sequence[Total] | None],
    parts: Mapping[str, Fraction | None] | None = None,
    others: Mapping[str, Fraction | None] | None = None,
) -> LossStatement:
    """The beginning of a ledger. totals: the (epsilon, delta) guarantees. parts, others: other losses, by name."""
    return LossStatement(
        neighbours=neighbours(unit),
        person_rule=person_rule(unit, loss.definition),
        privacy_definition=loss.definition,
        budget_unit=UNITS[loss.definition],
        composition=composition,
        totals={**(parts or {}), **loss_members(unit, loss.of_record, loss.of_person), **(others or {})},
        approximate_dp={
            name: None if rows is None else tuple(map(_stated_total, rows)) for name, rows in totals.items()
        },
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

    budget: rho or epsilon. sigma2 or scale: the parameter of the distribution.
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
    return Noise(distribution(law), budget, sensitivity, *width, sigma2, scale)


def distribution(law: Law) -> Distribution:
    """What a law is called."""
    match law:
        case DiscreteGaussian():
            return "discrete gaussian"
        case TwoSidedGeometric():
            return "two-sided geometric"


@table
class StatedCall:
    """A mechanism call as a manifest has it: see `MechanismCall`."""

    statistic: Statistic
    noise: Annotated[Noise, INLINE]


def _stated_calls(calls: LevelCalls) -> list[StatedCall]:
    return [StatedCall(call.statistic, noise_of(call.law, call.budget)) for call in calls.all]


def _calls(stated: Sequence[StatedCall]) -> LevelCalls:
    """The calls of a level. Raises: ValueError where one is missing, or has no law."""
    budgets = [(each.statistic, each.noise.budget, _LAWS[each.noise.distribution]) for each in stated]
    calls = {statistic: MechanismCall(statistic, budget, law(budget)) for statistic, budget, law in budgets}
    if not {"total_only", "stage_2"} <= set(calls):
        raise ValueError("a call is missing")
    return LevelCalls(calls["total_only"], calls.get("stage_1"), calls["stage_2"])


@table
class ReleasedLevel:
    """A population group level as the ledger of a release has it.

    ladder: the name of its ladder; None in a release with one. budget: rho or epsilon. thresholds: noisy persons; none
    where no group gets a table, or where all get the same. suppression_threshold: a total up to it is not published,
    persons; None where every total is. total_only_threshold: the same of groups that never get a table. whole: the
    level of which this is the part of one kind of iteration, where shares divide it.
    """

    name: Annotated[str, Key("level")]
    part: str
    budget: Exact
    stability: int
    stability_rule: str
    per_group: Exact
    gamma: Exact
    thresholds: tuple[int, ...]
    calls: Annotated[LevelCalls, ReadAs(tuple[StatedCall, ...], _calls, _stated_calls)]
    suppression_threshold: int | None
    total_only_threshold: Annotated[int | None, Key("total_only_suppression_threshold")]
    ladder: str | None = None
    publishes_stage_1: bool = False
    whole: Annotated[WholeLevel | None, Key("whole_level")] = None

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

    @property
    def count_moe95(self) -> int:
        """Margin of error of a count of stage 2, persons; at a level of totals alone, of a total."""
        return margin_of_error(self.total_call.law)


def budgets_by_level(levels: Sequence[ReleasedLevel | LevelPlan]) -> dict[str, Fraction]:
    """The budgets of the levels by their names, the kinds of one level counted once: they add up to the loss."""
    budgets: dict[str, Fraction] = {}
    for level in levels:
        if level.whole is None:
            budgets[level.name] = level.budget
        else:
            name = level.whole.name if level.ladder is None else f"{level.ladder} {level.whole.name}"
            budgets[name] = level.whole.budget
    return budgets


@table
class RunLedger:
    """The ledger of a run: what it loses, and the calls of every level."""

    loss: Annotated[LossStatement, INLINE]
    levels: tuple[ReleasedLevel, ...]
