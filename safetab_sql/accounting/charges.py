"""Charges: the loss that each run of a custodian spends, and the total of all runs for one person and one record.

A charge and a limit are written as lines of the custodian's ledger, and read from them: see ledger_file.py. At the
end: what `account --ledger` says of the runs.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Annotated, Literal, Protocol

from annotated_types import Predicate
from pydantic import Field

from safetab_sql.accounting.conversions import Json, Total, as_json, rounded_up, totals_of_a_loss
from safetab_sql.accounting.statement import ONE_PERSON, ONE_RECORD, UNKNOWN, Loss
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.words import exact_text, printed
from safetab_sql.settings.budgets import DELTA, UNITS, PrivacyDefinition
from safetab_sql.settings.geography import part_title
from safetab_sql.settings.markers import text, whole
from safetab_sql.settings.tables import sized_table, table, via
from safetab_sql.settings.unit import MOST_RECORDS, RECORDS

MOST_MORE = 1_000  # runs that a limit is said to be enough for


_Amount = Annotated[str, text(r"[0-9]{1,300}(\.[0-9]{1,300}|/[1-9][0-9]{0,299})?")]
_Exact = Annotated[Fraction, via(_Amount, Fraction, exact_text)]
_OrUnknown = via(_Amount | None, lambda of: of and Fraction(of), lambda of: None if of is None else exact_text(of))
_Sha256 = Annotated[str, text("[0-9a-f]{64}")]
_Printable = Predicate(str.isprintable)
_Record = Annotated[str, text(".{1,60}"), _Printable]
_Most = Annotated[int, whole(1, MOST_RECORDS, "say a whole number of at least 1")]
_When = Annotated[str, text("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")]


class Spending(Protocol):
    """What a run of any method spends. parts: by part of its geography; a part that is not run loses 0.

    caveat: what these losses do not cover; empty if they cover everything. delta: of the epsilon that it states.
    """

    @property
    def parts(self) -> Mapping[str, Loss]: ...  # noqa: D102
    @property
    def caveat(self) -> str: ...  # noqa: D102
    @property
    def delta(self) -> Fraction: ...  # noqa: D102


@table
class PartLoss:
    """The loss by one part, in rho or epsilon: of one record, and of one person; None where that is unknown."""

    of_record: Annotated[_Exact, Field(alias=ONE_RECORD)]
    of_person: Annotated[Fraction | None, Field(alias=ONE_PERSON), _OrUnknown]


@table
class Charge:
    """What one run spends. Once it is reserved, its noise may have been drawn; once it is released, it has a manifest.

    run: a name that no other run has. when: time of its state, UTC. out: name of its folder. parameters_sha256: of
    `parameters` in its manifest, as ASCII JSON without spaces, keys sorted. record: what is protected, such as stay
    or person. parts: the loss by each part of its geography. most: the most records of a person, as the run bounds them
    or its custodian states them; None if that is unknown. caveat: what these losses do not cover; empty if they cover
    everything. delta: of the epsilon that the run states. records_sha256: digest of everything that says which records
    are in which part; empty where it was not taken: then the losses add to all others. manifest_sha256: its manifest's.
    """

    run: Annotated[str, text("[0-9a-f]{32}")]
    state: Literal["reserved", "released"]
    when: _When
    out: Annotated[str, text(".+"), _Printable]
    parameters_sha256: _Sha256
    privacy_definition: PrivacyDefinition
    record: _Record
    parts: Annotated[Mapping[Annotated[str, text("[A-Za-z][A-Za-z0-9_-]{0,31}")], PartLoss], sized_table(1)]
    most: Annotated[_Most | None, Field(alias="records_of_a_person")] = None
    caveat: Annotated[str, text(".{1,300}"), _Printable] = ""
    delta: _Exact = DELTA
    records_sha256: _Sha256 = ""
    manifest_sha256: _Sha256 = ""

    @property
    def is_of_persons(self) -> bool:
        """Whether the loss of one person is known."""
        return all(loss.of_person is not None for loss in self.parts.values())


@table
class Limit:
    """What the runs of a ledger may spend together, in rho (zcdp) or epsilon (puredp).

    record: None where the limit bounds the loss of one person; otherwise what a record is called whose loss it bounds.
    most: by what a record is called, the most of them that a person has, as the custodian states it for runs that do
    not say so. when: the time at which it was entered, UTC.
    """

    amount: Annotated[_Exact, Field(alias="limit")]
    definition: Annotated[PrivacyDefinition, Field(alias="privacy_definition")]
    record: _Record | None
    most: Annotated[Mapping[_Record, _Most], Field(alias="records_of_a_person")] = field(
        default_factory=dict, hash=False
    )
    when: _When = field(default="", compare=False)

    @property
    def text(self) -> str:
        """Such as `rho 10 for one person`."""
        return f"{UNITS[self.definition]} {exact_text(self.amount)} for one {self.record or 'person'}"


def spent(charges: Sequence[Charge], definition: PrivacyDefinition) -> Mapping[str | None, Fraction | None] | None:
    """The exact totals of the runs under one privacy definition, rho or epsilon; None if no bound exists.

    By what a record is called, the largest loss of one record, by the runs on such records; and by None the largest
    loss of one person, which is None if a person can have any number of records in some run.

    Under zCDP each pure DP run is converted before it is added: values of rho add, and half the square of a sum of
    epsilons would be larger than the sum of their rho. Budgets may depend on earlier charges: sums that stay below a
    limit are still bounds. Source: accounting.md sections 1, 2 and 8.4; paper Lemmas 1-3, 9, 10; adaptive choices:
    Rogers, Roth, Ullman and Vadhan 2016 (pure DP), Feldman and Zrnic 2021 (zCDP).
    """
    if definition == "puredp" and any(charge.privacy_definition == "zcdp" for charge in charges):
        return None
    if definition == "zcdp":
        charges = [each if each.privacy_definition == "zcdp" else _squared(each) for each in charges]
    totals: dict[str | None, Fraction | None] = {None: total_of(charges, lambda loss: loss.of_person)}
    for record in dict.fromkeys(each.record for each in charges):
        totals[record] = total_of([each for each in charges if each.record == record], lambda loss: loss.of_record)
    return totals


def _squared(charge: Charge) -> Charge:
    """A pure DP run with its losses in rho, epsilon^2 / 2, which is an upper bound."""
    of = charge.parts.items()
    squared = {name: PartLoss(loss.of_record**2 / 2, loss.of_person and loss.of_person**2 / 2) for name, loss in of}
    return replace(charge, parts=squared)


def spent_of(limit: Limit, charges: Sequence[Charge]) -> Fraction | None:
    """What the runs spend of what a limit bounds; None where no total is known."""
    together = spent(charges, limit.definition)
    return None if together is None else together.get(limit.record, Fraction(0))


def left_of(limit: Limit, charges: Sequence[Charge]) -> tuple[Fraction, int | None] | None:
    """What the runs leave of a limit, and for how many more runs like the last one that is enough, at most MOST_MORE.

    None where no total is known. The number is None where there is no run yet.
    """
    before = spent_of(limit, charges)
    if before is None:
        return None

    def exceeds(more: int) -> bool:
        after = spent_of(limit, [*charges, *(replace(charges[-1], run=f"another {number}") for number in range(more))])
        return after is None or after > limit.amount

    runs = bisect_left(range(1, MOST_MORE + 1), True, key=exceeds) if charges else None
    return max(Fraction(0), limit.amount - before), runs


def with_bounds(charges: Sequence[Charge], most: Mapping[str, int]) -> tuple[Charge, ...]:
    """The charges, with the loss of a person where `most` bounds it and the run does not.

    most: by what a record is called, the most of them that a person has.
    """
    found = list(charges)
    for place, each in enumerate(charges):
        if not each.is_of_persons and each.record in most:
            unit = replace(RECORDS, one=each.record, records_of_a_person=most[each.record])
            losses = {name: Loss(unit, each.privacy_definition, loss.of_record) for name, loss in each.parts.items()}
            parts = {name: PartLoss(loss.of_record, loss.of_person) for name, loss in losses.items()}
            found[place] = replace(each, parts=parts, most=most[each.record])
    return tuple(found)


def mixed_problems(path: object, charges: Sequence[Charge], told: Collection[str]) -> list[Problem]:
    """Why runs on records of several kinds have no total of one person: a problem for each kind without a bound.

    told: kinds of records of which the custodian has said that no bound is known.
    """
    kinds = list(dict.fromkeys(each.record for each in charges))
    unknown = list(dict.fromkeys(each.record for each in charges if not each.is_of_persons))
    return [
        Problem(
            f"{path}, total of one person",
            f"the loss of one {record} is not added to the loss of one {' or one '.join(others)}: nothing says how "
            "many times as much a person loses",
            f"state the most that a person has, such as --records-of-a-person '{record}=5', which --set-limit keeps; "
            f"or --records-of-a-person '{record}=any' for totals without one of a person",
        )
        for record in unknown
        if record not in told and (others := [each for each in kinds if each != record])
    ]


def total_of(charges: Sequence[Charge], amount_of: Callable[[PartLoss], Fraction | None]) -> Fraction | None:
    """The sum over sets of runs on the same records, of the part in which these spend most; None if one is unknown.

    A person with k records in a part and j in another loses no more than with k + j records in the worse part.
    """
    sets: dict[str, dict[str, Fraction]] = {}
    for charge in charges:
        sums = sets.setdefault(charge.records_sha256 or charge.run, {})
        for name, loss in charge.parts.items():
            amount = amount_of(loss)
            if amount is None:
                return None
            sums[name] = sums.get(name, Fraction(0)) + amount
    return sum((max(sums.values()) for sums in sets.values()), Fraction(0))


def on_the_same_records(charges: Sequence[Charge]) -> list[list[Charge]]:
    """The sets of at least two runs whose parts hold different records, as their digests say."""
    named = Counter(each.records_sha256 for each in charges if each.records_sha256)
    return [[each for each in charges if each.records_sha256 == name] for name, runs in named.items() if runs > 1]


# What `account --ledger` says of the runs of a custodian: runs, totals and limit, as text and as JSON.

_PARTS_RULE = (
    "each record is in one part of a run; parts of several runs hold different records where person files, geography "
    "file, columns of the place and parts are the same to the byte, and nowhere else"
)
_RUNS_RULE = (
    "losses of runs add; of parts that hold different records the largest counts; a run counts from when it is reserved"
)
_RULES: Mapping[PrivacyDefinition, str] = {
    "zcdp": "an upper bound: rho adds, and a pure DP run with loss epsilon counts as rho = epsilon^2 / 2",
    "puredp": "an upper bound: epsilon adds",
}
_NO_PURE_DP = "none: the ledger holds zCDP runs, and no rho implies an epsilon of pure DP"
_SAME_RECORDS = (
    "their person files, geography file, columns of the place and parts are the same to the byte, so no record is in "
    "two parts"
)


def charges_json(charges: Sequence[Charge], limit: Limit | None, *, delta: Fraction) -> dict[str, Json]:
    """The runs, their totals and the limit as JSON; every Fraction is exact, beside a decimal that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the totals are converted.
    """
    persons = ", or by all records of one person" if all(each.is_of_persons for each in charges) else ""
    left, runs = (None if limit is None else left_of(limit, charges)) or (None, None)
    bounded = limit and {
        "amount": limit.amount,
        "budget_unit": UNITS[limit.definition],
        "of": f"one {limit.record or 'person'}",
        "records_of_a_person": limit.most,
        **{"left": left, "more_runs_like_the_last": runs},
    }
    same = [[each.run for each in runs] for runs in on_the_same_records(charges)]
    said: dict[str, object] = {
        "neighbours": f"inputs that differ by {_units(charges)}{persons}",
        **{"parts": _PARTS_RULE, "composition": _RUNS_RULE},
        "limit": bounded,
        **{definition: _spent_members(charges, definition, delta) for definition in _RULES},
        "different_records": [{"runs": names, "why": _SAME_RECORDS} for names in same],
        "runs": [_charge_members(charge) for charge in charges],
    }
    return {key: as_json(each) for key, each in said.items()}


def charges_text(charges: Sequence[Charge], limit: Limit | None, *, delta: Fraction) -> str:
    """The runs, their totals and the limit as text. delta: of the (epsilon, delta) guarantees."""
    losses = [(each.record, loss) for each in charges for loss in each.parts.values()]
    # How often the loss of a record counts in the total of a person.
    times = {(record, of.of_person / of.of_record) for record, of in losses if of.of_person and of.of_record}
    values = {
        **{"limit": limit, "left": None if limit is None else left_of(limit, charges), "most_more": MOST_MORE},
        "rules": {each: _NO_PURE_DP if spent(charges, each) is None else rule for each, rule in _RULES.items()},
        **{"runs_rule": _RUNS_RULE, "same_records": _SAME_RECORDS},
        **{"units": UNITS, "record": _units(charges), "unknown": UNKNOWN},
        "runs": [(each, total_of([each], lambda loss: loss.of_person)) for each in charges],
        "names": list(dict.fromkeys(name for each in charges for name in each.parts)),
        "told": any(each.is_of_persons for each in charges),
        "records": list(dict.fromkeys(each.record for each in charges if not each.is_of_persons)),
        "deltas": sorted({each.delta for each in charges}),
        "times": [(record, number) for record, number in sorted(times) if number != 1],
        "different": on_the_same_records(charges),
        "caveats": list(dict.fromkeys(each.caveat for each in charges if each.caveat)),
        "spent": lambda definition: _spent_amounts(charges, definition, delta),
        **{"title": part_title, "rounded_up": rounded_up},
    }
    return printed(__file__, "charges", values)


def _units(charges: Sequence[Charge]) -> str:
    return " or ".join(dict.fromkeys(f"one {each.record}" for each in charges)) or "one record"


def _spent_amounts(
    charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction
) -> list[tuple[str, Fraction, Sequence[Total]]]:
    """Whose total is how much, with the guarantees that follow; nothing where there is no total."""
    totals, unknown = _quoted(charges, definition, delta), (None, ())
    of_a_person = totals.pop(None, unknown)
    alone = totals.pop("person", unknown)  # by the runs whose records are persons: others may add to it
    named = {"one person": of_a_person, **{f"one {record}": each for record, each in totals.items()}}
    named |= {"one person, by the runs on persons alone": unknown if alone == of_a_person else alone}
    return [(name, amount, bounds) for name, (amount, bounds) in named.items() if amount is not None]


def _quoted(
    charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction
) -> dict[str | None, tuple[Fraction | None, Sequence[Total]]]:
    """The totals of `spent`, each with the guarantee that is quoted of it; nothing where no bound exists."""
    totals = (spent(charges, definition) or {}).items()
    return {of: (loss, totals_of_a_loss(definition, loss, delta)[:1] if loss else ()) for of, loss in totals}


def _spent_members(charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction) -> dict[str, object]:
    if not (totals := _quoted(charges, definition, delta)):
        return {"rule": _NO_PURE_DP}
    said = {}
    for record, (amount, bounds) in totals.items():
        of = [{"epsilon_upper_bound": each.epsilon, "delta": each.delta, "rule": each.rule} for each in bounds]
        said[record] = None if amount is None else {"total": amount, "approximate_dp": of}
    of_a_person, by_record = said.pop(None), {f"one {record}": each for record, each in said.items()}
    rule = {"rule": _RULES[definition], "budget_unit": UNITS[definition]}
    return {**rule, ONE_PERSON: of_a_person, "by_runs_on_such_records_alone": by_record}


def _charge_members(charge: Charge) -> dict[str, object]:
    names = ("run", "state", "when", "out", "parameters_sha256", "manifest_sha256", "privacy_definition", "record")
    return {
        **{name: getattr(charge, name) or None for name in names},
        "records_of_a_person": charge.most,
        "parts": {name: {ONE_RECORD: of.of_record, ONE_PERSON: of.of_person} for name, of in charge.parts.items()},
        "caveat": charge.caveat or None,
    }
