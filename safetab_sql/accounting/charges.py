"""Charges: the loss that each run of a custodian spends, and the total of all runs for one person and one record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Literal, Protocol

from safetab_sql.accounting.loss import Loss, as_zcdp
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition

State = Literal["reserved", "chosen", "drawing", "released"]  # in this order


class Spending(Protocol):
    """What a run of any method spends. parts: by part of its geography; a part that is not run loses 0.

    caveat: what these losses do not cover; empty if they cover everything.
    """

    @property
    def parts(self) -> Mapping[str, Loss]: ...  # noqa: D102
    @property
    def caveat(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Charge:
    """What one run spends. Once it is reserved, its noise may have been drawn.

    run: a name that no other run has. when: time of its state, UTC. out: name of its folder. parameters_sha256: of
    `parameters` in its manifest, as ASCII JSON without spaces, keys sorted. parts: the loss by each part of its
    geography, all under one definition and of one kind of record. caveat: what these losses do not cover; empty if they
    cover everything. records_sha256: digest of everything that says which records are in which part; empty where it was
    not taken: then the losses of the run add to all others.

    state: `reserved`, its first noise may be drawn; `chosen`, this noise is kept, and noise_sha256 is the digest of its
    file; `drawing`, its second noise may be drawn by whoever knows the nonce; `released`, and manifest_sha256 is the
    digest of its manifest.
    """

    run: str
    state: State
    when: str
    out: str
    parameters_sha256: str
    parts: Mapping[str, Loss]
    caveat: str = ""
    records_sha256: str = ""
    noise_sha256: str = ""
    nonce: str = ""
    manifest_sha256: str = ""

    @property
    def privacy_definition(self) -> PrivacyDefinition:
        """Of all its losses."""
        return next(iter(self.parts.values())).definition

    @property
    def record(self) -> str:
        """What a record of the run is called."""
        return next(iter(self.parts.values())).record

    @property
    def is_of_persons(self) -> bool:
        """Whether the loss of one person is known."""
        return all(loss.of_person is not None for loss in self.parts.values())


def identity(charge: Charge) -> Charge:
    """The charge as it was reserved, without the time: what must not change while the run goes on."""
    return replace(charge, state="reserved", when="", noise_sha256="", nonce="", manifest_sha256="")


@dataclass(frozen=True, slots=True)
class Limit:
    """What the runs of a ledger may spend together, in rho (zcdp) or epsilon (puredp).

    record: None where the limit bounds the loss of one person; otherwise what a record is called whose loss it bounds.
    """

    amount: Fraction
    definition: PrivacyDefinition
    record: str | None

    @property
    def text(self) -> str:
        """Such as `rho 10 for one person`."""
        return f"{UNITS[self.definition]} {exact_text(self.amount)} for one {self.record or 'person'}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What runs spend together: bounds in rho (zcdp) or epsilon (puredp).

    one_person: the largest loss of one person; None if a person can have any number of records in some run. records: by
    what a record is called, the largest loss of one record, by the runs on such records.
    """

    one_person: Fraction | None
    records: Mapping[str, Fraction]


def spent(charges: Sequence[Charge], definition: PrivacyDefinition) -> Spent | None:
    """The exact totals of the runs under one privacy definition; None if no bound exists.

    Under zCDP each pure DP run counts epsilon^2 / 2. It is converted before it is added: values of rho add, and half
    the square of a sum of epsilons would be larger than the sum of their rho. Under pure DP a single zCDP run leaves no
    bound. Budgets may depend on earlier charges: sums that stay below a limit are still bounds. Source: accounting.md
    sections 1, 2 and 8.4; paper Lemmas 1-3, 9, 10; adaptive choices: Rogers, Roth, Ullman and Vadhan 2016 (pure DP),
    Feldman and Zrnic 2021 (zCDP).
    """
    if definition == "puredp" and any(charge.privacy_definition == "zcdp" for charge in charges):
        return None
    if definition == "zcdp":
        charges = [replace(each, parts={name: as_zcdp(loss) for name, loss in each.parts.items()}) for each in charges]
    named = {
        record: total_of([each for each in charges if each.record == record], lambda loss: loss.of_record)
        for record in dict.fromkeys(each.record for each in charges)
    }
    records = {record: amount for record, amount in named.items() if amount is not None}  # of one run it is known
    return Spent(total_of(charges, lambda loss: loss.of_person), records)


def total_of(charges: Sequence[Charge], amount_of: Callable[[Loss], Fraction | None]) -> Fraction | None:
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
    sets: dict[str, list[Charge]] = {}
    for charge in charges:
        if charge.records_sha256:
            sets.setdefault(charge.records_sha256, []).append(charge)
    return [runs for runs in sets.values() if len(runs) > 1]


def exact_text(value: Fraction) -> str:
    """The exact value as text: a decimal if it has one of at most 300 digits, otherwise numerator/denominator."""
    try:
        decimal = Context(prec=300, traps=[Inexact]).divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return str(value)
    return f"{decimal:f}"
