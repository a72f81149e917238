"""What `account --ledger` says of the runs of a custodian: runs, totals and limit, as text and as JSON."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.accounting.charges import Charge, Limit, exact_text, on_the_same_records, spent, total_of
from safetab_sql.accounting.conversions import Json, approximate_dp, exact_json, rounded_up, stated
from safetab_sql.accounting.loss import ONE_PERSON, UNKNOWN, loss_json
from safetab_sql.kit.text_tables import aligned
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.geography import part_title
from safetab_sql.settings.unit import RECORDS

PARTS_RULE = (
    "each record is in one part of a run; parts of several runs hold different records where person files, geography "
    "file, columns of the place and parts are the same to the byte, and nowhere else"
)
RELEASES_RULE = (
    "losses of runs add; of parts that hold different records the largest counts; a run counts from when it is reserved"
)
ZCDP_RULE = "an upper bound: rho adds, and a pure DP run with loss epsilon counts as rho = epsilon^2 / 2"
PURE_DP_RULE = "an upper bound: epsilon adds"
NO_PURE_DP = "none: the ledger holds zCDP runs, and no rho implies an epsilon of pure DP"
SAME_RECORDS = (
    "their person files, geography file, columns of the place and parts are the same to the byte, so no record is in "
    "two parts"
)

_PERSON = "one person"


def charges_json(charges: Sequence[Charge], limit: Limit | None, *, delta: Fraction) -> dict[str, Json]:
    """The runs, their totals and the limit as JSON; every Fraction is exact, beside a decimal that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the totals are converted.
    """
    return {
        "neighbours": _neighbours(charges),
        "parts": PARTS_RULE,
        "composition": RELEASES_RULE,
        "limit": None if limit is None else _limit_json(limit),
        "zcdp": _spent_json(charges, "zcdp", delta),
        "puredp": _spent_json(charges, "puredp", delta),
        "different_records": [
            {"runs": [each.run for each in runs], "why": SAME_RECORDS} for runs in on_the_same_records(charges)
        ],
        "runs": [_charge_json(charge) for charge in charges],
    }


def charges_text(charges: Sequence[Charge], limit: Limit | None, *, delta: Fraction) -> str:
    """The runs, their totals and the limit as text. delta: of the (epsilon, delta) guarantees."""
    names = list(dict.fromkeys(name for each in charges for name in each.parts))
    told = any(each.is_of_persons for each in charges)
    of_person = ("records of a person", "a person") if told else ()
    head = ("when", "out", "state", "definition", "protected", *map(part_title, names), *of_person, "run")
    lines = [f"Limit: {'none' if limit is None else limit.text}", f"Total under zCDP ({ZCDP_RULE})"]
    lines += _total_lines(charges, "zcdp", delta)
    lines += [f"Total under pure DP ({NO_PURE_DP if spent(charges, 'puredp') is None else PURE_DP_RULE})"]
    lines += _total_lines(charges, "puredp", delta)
    notes = [f"{RELEASES_RULE[:1].upper()}{RELEASES_RULE[1:]}. Losses by part are of {_units(charges)}."]
    notes += _notes_on_persons(charges)
    notes += [
        f"Parts of {', '.join(each.out for each in runs)} hold different records: {SAME_RECORDS}."
        for runs in on_the_same_records(charges)
    ]
    caveats = dict.fromkeys(each.caveat for each in charges if each.caveat)
    notes += [f"* {caveat}: the totals hold the loss by its noise alone." for caveat in caveats]
    return "\n".join([aligned([head, *(_row(each, names, told=told) for each in charges)]), "", *lines, "", *notes])


def _neighbours(charges: Sequence[Charge]) -> str:
    """Which inputs the totals compare."""
    persons = ", or by all records of one person" if all(each.is_of_persons for each in charges) else ""
    return f"inputs that differ by {_units(charges)}{persons}"


def _units(charges: Sequence[Charge]) -> str:
    """What the runs protect, of one kind or several."""
    return " or ".join(dict.fromkeys(f"one {each.record}" for each in charges)) or "one record"


def _notes_on_persons(charges: Sequence[Charge]) -> list[str]:
    """How often the loss of a record counts in the total of a person, where that is more than once."""
    times = {
        (each.record, loss.of_person / loss.of_record)
        for each in charges
        for loss in each.parts.values()
        if loss.of_person and loss.of_record
    }
    return [
        f"In the total of one person, the loss of one {record} counts {exact_text(number)} times."
        for record, number in sorted(times)
        if number != 1
    ]


def _row(charge: Charge, names: Sequence[str], *, told: bool) -> tuple[str, ...]:
    """A line of the table. told: whether it says what a person loses, as of some run it can."""
    of_record = {name: loss.of_record for name, loss in charge.parts.items()}
    of_person = total_of([charge], lambda loss: loss.of_person)
    known = "unknown" if of_person is None else exact_text(of_person)
    of_persons = ("-" if charge.most is None else f"{charge.most:,}", known)
    return (
        *(charge.when, charge.out, charge.state),
        f"{charge.privacy_definition} *" if charge.caveat else charge.privacy_definition,
        charge.record,
        *("-" if (loss := of_record.get(name)) is None else exact_text(loss) for name in names),
        *(of_persons if told else ()),
        charge.run,
    )


def _total_lines(charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction) -> list[str]:
    together = spent(charges, definition)
    if together is None:
        return []
    named = {f"one {record}": amount for record, amount in together.records.items()}
    of_persons = named.pop(_PERSON, None)  # by the runs whose records are persons: others may add to it
    if of_persons not in (None, together.one_person):
        named["one person, by the runs on persons alone"] = of_persons
    if together.one_person is not None:
        named = {_PERSON: together.one_person, **named}
    lines = [line for name, amount in named.items() for line in _amount_lines(name, amount, definition, delta)]
    return [*lines, *_unknown(charges, definition)]


def _unknown(charges: Sequence[Charge], definition: PrivacyDefinition) -> list[str]:
    """A line on the loss of a person for each kind of record of which a person can have any number."""
    times = "k^2" if definition == "zcdp" else "k"
    return [
        f"    {UNKNOWN}: whoever has k records, each of them one {record}, loses up to {times} times as much"
        for record in dict.fromkeys(each.record for each in charges if not each.is_of_persons)
    ]


def _amount_lines(name: str, amount: Fraction, definition: PrivacyDefinition, delta: Fraction) -> list[str]:
    bounds = approximate_dp(definition, amount, delta) if amount else ()
    return [
        f"    {name}: {UNITS[definition]} {exact_text(amount)}",
        *(
            f"    {name}: epsilon at most {stated(bound.epsilon, bound.exact)}"
            f" at delta {rounded_up(bound.delta)}  ({bound.rule})"
            for bound in bounds
        ),
    ]


def _limit_json(limit: Limit) -> Json:
    return {
        "amount": exact_json(limit.amount),
        "budget_unit": UNITS[limit.definition],
        "of": "one person" if limit.record is None else f"one {limit.record}",
        "records_of_a_person": dict(limit.most),
    }


def _spent_json(charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction) -> Json:
    together = spent(charges, definition)
    if together is None:
        return {"rule": NO_PURE_DP}
    return {
        "rule": ZCDP_RULE if definition == "zcdp" else PURE_DP_RULE,
        "budget_unit": UNITS[definition],
        ONE_PERSON: _amount_json(together.one_person, definition, delta),
        "by_runs_on_such_records_alone": {
            f"one {record}": _amount_json(amount, definition, delta) for record, amount in together.records.items()
        },
    }


def _amount_json(amount: Fraction | None, definition: PrivacyDefinition, delta: Fraction) -> Json:
    """A total and its conversions; null where it is unknown."""
    if amount is None:
        return None
    return {
        "total": exact_json(amount),
        "approximate_dp": [
            {"epsilon_upper_bound": bound.epsilon, "delta": exact_json(bound.delta), "rule": bound.rule}
            for bound in (approximate_dp(definition, amount, delta) if amount else ())
        ],
    }


def _charge_json(charge: Charge) -> Json:
    return {
        "run": charge.run,
        "state": charge.state,
        "when": charge.when,
        "out": charge.out,
        "parameters_sha256": charge.parameters_sha256,
        "manifest_sha256": charge.manifest_sha256 or None,
        "privacy_definition": charge.privacy_definition,
        "record": charge.record,
        "records_of_a_person": charge.most,
        "parts": {name: loss_json(RECORDS, loss) for name, loss in charge.losses.items()},
        "caveat": charge.caveat or None,
    }
