"""What a release costs the people in it: the loss of one record, and the loss of one person.

A mechanism bounds what changes when one record is added or removed. A person may be more than one record, or be able
to turn one record into another. `loss_of` alone derives the loss of a person from the loss of a record; whatever
prints, limits, targets, enters or adds up a loss takes a `Loss`, and the words and keys for it from here. Where a
column names the person of a record, the noise is made for all records of a person: a budget is what a person loses, and
nothing is said of one record.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from safetab_sql.accounting.conversions import rounded_up, zcdp_to_approximate_dp
from safetab_sql.kit.words import counted
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.unit import Unit

ONE_RECORD, ONE_PERSON = "one_record", "one_person"  # names among the totals of a ledger
UNKNOWN = "the loss of a person is unknown"
_DIGITS = 12

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss in rho (zcdp) or epsilon (puredp).

    of_record: when one record is added or removed, or one person with all records where a column names the person.
    of_person: when a person, with all records of that person, is added, removed or changed; None if it is unknown: a
    person can have any number of records.
    """

    definition: PrivacyDefinition
    record: str
    of_record: Fraction
    of_person: Fraction | None


def loss_of(unit: Unit, definition: PrivacyDefinition, of_record: Fraction) -> Loss:
    """The loss of one record of this unit, and what follows for a person: see `times_of_a_person`."""
    times = times_of_a_person(unit, definition)
    return Loss(definition, unit.holder, of_record, None if times is None else times * of_record)


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


def said_loss(unit: Unit, loss: Loss) -> str:
    """The loss in sentences: of one person where that is known, and of one record of this unit; else how it grows."""
    record, person = (
        f"loses at most {UNITS[loss.definition]} {rounded_up(each or Fraction(0), _DIGITS)}"
        for each in (loss.of_record, loss.of_person)
    )
    if unit.is_person:
        return f"One {unit.one} {record}."
    rule = person_rule(unit, loss.definition)
    if unit.person is not None:
        return f"{unit.protected[:1].upper()}{unit.protected[1:]}, {person}: {rule}."
    if loss.of_person is None:
        return f"One {unit.one} {record}. {UNKNOWN[:1].upper()}{UNKNOWN[1:]}: {rule}."
    return f"One person {person}: {rule}. One {unit.one} {record}."


def quoted(unit: Unit, loss: Loss, delta: Fraction) -> str:
    """The epsilon, of three digits, that is quoted of a loss, at which delta, and whose it is. Nothing else says one.

    Of pure DP it is the loss, at delta 0. Of zCDP it is the least over all Renyi orders, which needs no call of a run.
    """
    whole, amount = "one person" if unit.person is None else unit.protected, loss.of_person
    if amount is None:
        whole, amount = f"one {unit.one} only; {UNKNOWN}", loss.of_record
    is_pure = loss.definition == "puredp"
    epsilon, delta = (amount, Fraction(0)) if is_pure else (zcdp_to_approximate_dp(amount, delta), delta)
    return f"epsilon {rounded_up(epsilon, 3)} at delta {rounded_up(delta, 3)}, of {whole}"


def loss_members(unit: Unit, of_record: T | None, of_person: T | None) -> dict[str, T | None]:
    """The members of a JSON object that say something of one record and of one person: null where that is unknown.

    Of one record nothing is said where a column names the person: neighbours differ by all records of a person.
    """
    return {ONE_RECORD: of_record if unit.person is None else None, ONE_PERSON: of_person}
