"""The privacy ledger: every kind of mechanism call of a run, complete enough for a stranger's accountant."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Literal

from safetab_sql.accounting.accountants import Total, either, formula_totals
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.public.budgets import PrivacyDefinition, StageBudgets, stage_budgets
from safetab_sql.public.levels import Part
from safetab_sql.public.parameters import LevelParameters, Parameters, tabulated_levels

Statistic = Literal["total_only", "stage_1", "stage_2"]
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_STABILITY = "the most population groups of this level that one person can be in, from the code lists: "
NESTED_RULE = _STABILITY + "h_combination * max(2, max_race_codes) + h_ethnicity"
SAFE_RULE = (
    _STABILITY
    + "h_alone + h_combination * max_race_codes + h_ethnicity, for some alone iteration's codes do not share "
    "their combination iterations"
)
COMPOSITION_RULE = (
    "a person is in at most `stability` population groups of a level; each takes one total_only call, or one "
    "stage_1 call and one stage_2 call; losses of the levels of a part add; parts hold different people"
)
NEIGHBOURS = "inputs that differ by one person added or removed"


@dataclass(frozen=True, slots=True)
class MechanismCall:
    """One kind of call: integer noise on the counts of one population group, each person in one count.

    budget: of one call, rho or epsilon. sigma2: the discrete Gaussian's variance parameter, 1 / (2 rho);
    scale: the two-sided geometric's, 1 / epsilon; the other is None. standard_deviation: persons, a float
    for people; for the discrete Gaussian the square root of sigma2, which the true one never exceeds.
    """

    statistic: Statistic
    distribution: Literal["discrete gaussian", "two-sided geometric"]
    budget: Fraction
    sensitivity: int
    sigma2: Fraction | None
    scale: Fraction | None
    standard_deviation: float


@dataclass(frozen=True, slots=True)
class LevelLedger:
    """What one population group level spends. Budgets are rho (zcdp) or epsilon (puredp), exact.

    budget: of the whole level; per_group: of one population group, budget / stability. calls: the kinds of
    call in the order total_only, stage_1, stage_2. thresholds: noisy persons.
    """

    level: str
    part: Part
    privacy_definition: PrivacyDefinition
    budget: Fraction
    stability: int
    stability_rule: str
    per_group: Fraction
    gamma: Fraction
    thresholds: tuple[int, int, int]
    calls: tuple[MechanismCall, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a run spends. us, pr: totals of the two parts, which hold different people; 0 if not run."""

    privacy_definition: PrivacyDefinition
    levels: tuple[LevelLedger, ...]
    us: Fraction
    pr: Fraction

    @property
    def one_person(self) -> Fraction:
        """The most that the run spends on one person: the larger part. Source: paper Lemmas 1-3, 9, 10."""
        return max(self.us, self.pr)

    @property
    def total(self) -> Fraction:
        """The sum of the parts, as if one person could be in both."""
        return self.us + self.pr


def ledger(
    parameters: Parameters, stabilities: Mapping[str, int], safely_bounded: Collection[str] = frozenset()
) -> Ledger:
    """The ledger of a run. stabilities: by level name, such as COUNTY-2, for each tabulated level.

    safely_bounded: names of the levels whose stability is the plain sum, because their iterations are not nested.
    """
    rules = dict.fromkeys(safely_bounded, SAFE_RULE)
    parts = {kind.name: kind.part for kind in parameters.region_types}
    levels = tuple(
        _level_ledger(parameters, level, parts[level.level.region_type], stabilities[level.level.name], rules)
        for level in tabulated_levels(parameters)
    )
    return Ledger(
        privacy_definition=parameters.privacy_definition,
        levels=levels,
        us=sum((level.budget for level in levels if level.part == "US"), Fraction(0)),
        pr=sum((level.budget for level in levels if level.part == "PR"), Fraction(0)),
    )


def _level_ledger(
    parameters: Parameters, level: LevelParameters, part: Part, stability: int, rules: Mapping[str, str]
) -> LevelLedger:
    if stability < 1:
        raise ValueError(f"stability of {level.level.name} has to be at least 1, it is {stability}")
    budgets = stage_budgets(level.budget, stability, parameters.gamma)
    definition = parameters.privacy_definition
    return LevelLedger(
        level=level.level.name,
        part=part,
        privacy_definition=definition,
        budget=level.budget,
        stability=stability,
        stability_rule=rules.get(level.level.name, NESTED_RULE),
        per_group=budgets.total_only,
        gamma=parameters.gamma,
        thresholds=level.thresholds,
        calls=(
            mechanism_call("total_only", definition, budgets.total_only),
            mechanism_call("stage_1", definition, budgets.stage_1),
            mechanism_call("stage_2", definition, budgets.stage_2),
        ),
    )


def mechanism_call(statistic: Statistic, definition: PrivacyDefinition, budget: Fraction) -> MechanismCall:
    """The call with loss `budget` > 0. Source: paper Definitions 6 and 7; tabulation.md section 5."""
    if definition == "zcdp":
        sigma2 = 1 / (2 * budget)
        deviation = math.sqrt(sigma2)
        return MechanismCall(statistic, "discrete gaussian", budget, 1, sigma2, None, deviation)
    # The variance 2 t / (1 - t)^2 with t = exp(-epsilon) equals 1 / (2 sinh(epsilon / 2)^2).
    half = min(float(budget / 2), 700.0)  # beyond it the deviation is 0 to all printed digits
    deviation = 1 / (math.sqrt(2) * math.sinh(half))
    return MechanismCall(statistic, "two-sided geometric", budget, 1, None, 1 / budget, deviation)


def group_calls(entries: Ledger) -> dict[str, tuple[GroupCalls, ...]]:
    """The calls on one person's population groups by what they are totalled over: us, pr (if run), and sum of both."""
    by_part = {
        part: tuple(_group_calls(level) for level in entries.levels if level.part == part) for part in ("US", "PR")
    }
    named = {"us": by_part["US"], "pr": by_part["PR"], "sum": by_part["US"] + by_part["PR"]}
    return {name: calls for name, calls in named.items() if calls}


def _group_calls(level: LevelLedger) -> GroupCalls:
    return GroupCalls(level.stability, StageBudgets(*(call.budget for call in level.calls)))


def approximate_totals(entries: Ledger, delta: Fraction) -> dict[str, tuple[Total, ...]]:
    """What the accountants say that need no library, of us and pr (if run), one_person and the sum."""
    totals = {
        name: formula_totals(entries.privacy_definition, calls, delta) for name, calls in group_calls(entries).items()
    }
    return with_one_person(totals)


def with_one_person(totals: Mapping[str, Sequence[Total]]) -> dict[str, tuple[Total, ...]]:
    """`totals` of us, pr and sum, and those of one person, who is in one part alone: for each the larger."""
    parts = [tuple(totals[part]) for part in ("us", "pr") if part in totals]
    one_person = either(*parts) if len(parts) == 2 else parts[0]
    named = {"us": totals.get("us", ()), "pr": totals.get("pr", ()), "one_person": one_person, "sum": totals["sum"]}
    return {name: tuple(rows) for name, rows in named.items() if rows}


@cache
def moe95(definition: PrivacyDefinition, budget: Fraction) -> int:
    """The exact 95 % margin of error (persons, half-width) of the noise of a call with `budget`."""
    return margin_of_error(noise_law(definition, budget))


def ledger_json(
    entries: Ledger, *, delta: Fraction, totals: Mapping[str, Sequence[Total]] | None = None
) -> dict[str, Json]:
    """`entries` for the manifest; every Fraction is exact, with a decimal beside it that is never below it.

    delta: of the (epsilon, delta) guarantees to which the totals are converted. totals: those guarantees; without
    them, what the accountants say that need no library.
    """
    spent = {"us": entries.us, "pr": entries.pr, "one_person": entries.one_person, "sum": entries.total}
    return {
        "neighbours": NEIGHBOURS,
        "privacy_definition": entries.privacy_definition,
        "budget_unit": "rho" if entries.privacy_definition == "zcdp" else "epsilon",
        "composition": COMPOSITION_RULE,
        "totals": {name: exact_json(total) for name, total in spent.items()},
        "approximate_dp": {
            name: [_total_json(row) for row in rows]
            for name, rows in (approximate_totals(entries, delta) if totals is None else totals).items()
        },
        "levels": [_level_json(level) for level in entries.levels],
    }


def _total_json(total: Total) -> Json:
    """One accountant's figure; only one that is an upper bound is called so."""
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


def _level_json(level: LevelLedger) -> Json:
    return {
        "level": level.level,
        "part": level.part,
        "budget": exact_json(level.budget),
        "stability": level.stability,
        "stability_rule": level.stability_rule,
        "per_group": exact_json(level.per_group),
        "gamma": exact_json(level.gamma),
        "thresholds": list(level.thresholds),
        "calls": [_call_json(call, level.privacy_definition) for call in level.calls],
    }


def _call_json(call: MechanismCall, definition: PrivacyDefinition) -> Json:
    parameter = {"sigma2": call.sigma2, "scale": call.scale}
    return {
        "statistic": call.statistic,
        "distribution": call.distribution,
        "budget": exact_json(call.budget),
        "sensitivity": call.sensitivity,
        **{name: exact_json(value) for name, value in parameter.items() if value is not None},
        "standard_deviation": call.standard_deviation,
        "moe95": moe95(definition, call.budget),
    }
