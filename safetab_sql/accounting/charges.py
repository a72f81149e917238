"""Charges: the loss that each run of a custodian spends, and the total of all runs for one person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Literal, Protocol

from safetab_sql.accounting.conversions import approximate_dp, pure_dp_to_zcdp, rounded_up, stated
from safetab_sql.accounting.ledger import NEIGHBOURS, Json, exact_json
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.levels import part_title

State = Literal["reserved", "released"]

PARTS_RULE = (
    "parts that runs name together and define alike hold different people: whoever is counted in one is in no run of "
    "the others; a run of other parts, or of none, may hold anybody"
)
RELEASES_RULE = (
    "losses of runs add within a part; one person is in one part, so the largest part bounds the loss of one person; "
    "sum bounds it where somebody may be in several; a reserved run counts like a released one"
)
ZCDP_RULE = "an upper bound: rho adds, and a pure DP run with loss epsilon counts as rho = epsilon^2 / 2"
PURE_DP_RULE = "an upper bound: epsilon adds"
NO_PURE_DP = "none: the ledger holds zCDP runs, and no rho implies an epsilon of pure DP"


class Spending(Protocol):
    """What a run of any method spends. parts: losses in rho (zcdp) or epsilon (puredp), 0 for a part that is not run.

    caveat: what these losses do not cover; empty if they cover everything.
    """

    @property
    def privacy_definition(self) -> PrivacyDefinition: ...  # noqa: D102
    @property
    def parts(self) -> Mapping[str, Fraction]: ...  # noqa: D102
    @property
    def caveat(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Charge:
    """What one run spends. Once it is reserved, its noise may have been drawn.

    run: a name that no other run has. state: released once its folder is complete. when: time of that state, UTC. out:
    name of its folder. parameters_sha256: of `parameters` in its manifest, as ASCII JSON without spaces, keys sorted.
    parts: the loss of each part of its geography, rho (zcdp) or epsilon (puredp); 0 for a part that is not run. caveat:
    what these losses do not cover; empty if they cover everything. parts_sha256: digest of what the parameters say
    that each part holds; empty where they say nothing, as for the US and Puerto Rico.
    """

    run: str
    state: State
    when: str
    out: str
    parameters_sha256: str
    privacy_definition: PrivacyDefinition
    parts: Mapping[str, Fraction]
    caveat: str = ""
    parts_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What runs spend together: bounds in rho (zcdp) or epsilon (puredp).

    partitions: for each set of parts that runs name together and define alike, the loss of each part. Parts of one set
    hold different people; a person is in one part of every set.
    """

    partitions: tuple[Mapping[str, Fraction], ...]

    @property
    def parts(self) -> dict[str, Fraction]:
        """The largest loss of a person of each part: that of the part, and the largest of all other sets of parts.

        Of parts of one name, the one with the largest loss.
        """
        losses: dict[str, Fraction] = {}
        for partition in self.partitions:
            others = self.one_person - max(partition.values())
            for name, loss in partition.items():
                losses[name] = max(losses.get(name, Fraction(0)), loss + others)
        return losses

    @property
    def one_person(self) -> Fraction:
        """The largest loss of one person. Source: paper Lemmas 1-3, 9, 10."""
        return sum((max(partition.values()) for partition in self.partitions), Fraction(0))

    @property
    def total(self) -> Fraction:
        """The sum of all parts, which bounds the loss even if a person is in several."""
        return sum((loss for partition in self.partitions for loss in partition.values()), Fraction(0))


def spent(charges: Sequence[Charge], definition: PrivacyDefinition) -> Spent | None:
    """The exact total of the runs under one privacy definition; None if no bound exists.

    Under zCDP each pure DP run counts epsilon^2 / 2. It is converted before it is added: values of rho add, and half
    the square of a sum of epsilons would be larger than the sum of their rho. Under pure DP a single zCDP run leaves no
    bound. Budgets may depend on earlier charges: sums that stay below a limit are still bounds. Source: accounting.md
    sections 1 and 2; adaptive choices: Rogers, Roth, Ullman and Vadhan 2016 (pure DP), Feldman and Zrnic 2021 (zCDP).
    """
    if definition == "puredp" and any(charge.privacy_definition == "zcdp" for charge in charges):
        return None
    partitions: dict[tuple[str, frozenset[str]], dict[str, Fraction]] = {}
    for charge in charges:
        alike = (charge.parts_sha256, frozenset(charge.parts))
        sums = partitions.setdefault(alike, dict.fromkeys(charge.parts, Fraction(0)))
        for name, loss in charge.parts.items():
            sums[name] += _loss(charge, loss, definition)
    return Spent(tuple(partitions.values()))


def charges_json(charges: Sequence[Charge], *, delta: Fraction) -> dict[str, Json]:
    """The runs and their totals as JSON; every Fraction is exact, and has a decimal beside it that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the totals are converted.
    """
    return {
        "neighbours": NEIGHBOURS,
        "parts": PARTS_RULE,
        "composition": RELEASES_RULE,
        "zcdp": _spent_json(charges, "zcdp", delta),
        "puredp": _spent_json(charges, "puredp", delta),
        "runs": [_charge_json(charge) for charge in charges],
    }


def charges_text(charges: Sequence[Charge], *, delta: Fraction) -> str:
    """The runs and their totals as text. delta: of the (epsilon, delta) guarantees."""
    names = list(dict.fromkeys(name for each in charges for name in each.parts))
    rows = [("when", "out", "state", "definition", *map(part_title, names), "run")]
    rows += [
        (
            *(each.when, each.out, each.state, _definition(each)),
            *(exact_text(each.parts[name]) if name in each.parts else "-" for name in names),
            each.run,
        )
        for each in charges
    ]
    lines = [f"Total under zCDP ({ZCDP_RULE})", *_total_lines(spent(charges, "zcdp"), "zcdp", delta)]
    together = spent(charges, "puredp")
    lines += [f"Total under pure DP ({PURE_DP_RULE if together else NO_PURE_DP})"]
    lines += _total_lines(together, "puredp", delta)
    caveats = dict.fromkeys(each.caveat for each in charges if each.caveat)
    notes = [f"* {caveat}: the totals hold the loss by its noise alone." for caveat in caveats]
    return "\n".join([aligned(rows), "", *lines, "", f"{RELEASES_RULE}.", *notes])


def exact_text(value: Fraction) -> str:
    """The exact value as text: a decimal if it has one of at most 300 digits, otherwise numerator/denominator."""
    try:
        decimal = Context(prec=300, traps=[Inexact]).divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return str(value)
    return f"{decimal:f}"


def _definition(charge: Charge) -> str:
    return f"{charge.privacy_definition} *" if charge.caveat else charge.privacy_definition


def _loss(charge: Charge, loss: Fraction, definition: PrivacyDefinition) -> Fraction:
    is_converted = (charge.privacy_definition, definition) == ("puredp", "zcdp")
    return pure_dp_to_zcdp(loss) if is_converted else loss


def _total_lines(together: Spent | None, definition: PrivacyDefinition, delta: Fraction) -> list[str]:
    if together is None:
        return []
    parts = {part_title(name): loss for name, loss in together.parts.items()}
    named = {**parts, "one person": together.one_person, "sum": together.total}
    bounds = approximate_dp(definition, together.one_person, delta) if together.one_person else ()
    return [
        "    " + ", ".join(f"{name}: {UNITS[definition]} {exact_text(total)}" for name, total in named.items()),
        *(
            f"    one person: epsilon at most {stated(bound.epsilon, bound.exact)}"
            f" at delta {rounded_up(bound.delta)}  ({bound.rule})"
            for bound in bounds
        ),
    ]


def _spent_json(charges: Sequence[Charge], definition: PrivacyDefinition, delta: Fraction) -> Json:
    together = spent(charges, definition)
    if together is None:
        return {"rule": NO_PURE_DP}
    parts = {name.lower(): loss for name, loss in together.parts.items()}
    totals = {**parts, "one_person": together.one_person, "sum": together.total}
    return {
        "rule": ZCDP_RULE if definition == "zcdp" else PURE_DP_RULE,
        "budget_unit": UNITS[definition],
        "totals": {name: exact_json(total) for name, total in totals.items()},
        "approximate_dp": {
            name: [
                {"epsilon_upper_bound": bound.epsilon, "delta": exact_json(bound.delta), "rule": bound.rule}
                for bound in approximate_dp(definition, total, delta)
            ]
            for name, total in totals.items()
            if total > 0
        },
    }


def _charge_json(charge: Charge) -> Json:
    return {
        "run": charge.run,
        "state": charge.state,
        "when": charge.when,
        "out": charge.out,
        "parameters_sha256": charge.parameters_sha256,
        "privacy_definition": charge.privacy_definition,
        **{name.lower(): exact_json(loss) for name, loss in charge.parts.items()},
        "caveat": charge.caveat or None,
    }
