"""The privacy ledger of a sibling method: integer noise on every cell of one histogram or of several, pure DP."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from safetab_sql.accounting.accountants import Total, formula_totals, totals_of_a_loss
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.charges import exact_text
from safetab_sql.accounting.conversions import Json, exact_json
from safetab_sql.accounting.loss import Loss, loss_json, loss_members, loss_of, neighbours, person_rule, said_loss
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import StageBudgets
from safetab_sql.public.levels import WHOLE
from safetab_sql.public.unit import RECORDS, Unit

COMPOSITION_RULE = (
    "a record is in one cell of each histogram and changes it by at most its sensitivity; losses of histograms add"
)
PARTS_RULE = "entered in a ledger file for everybody: records may be of any part"


@dataclass(frozen=True, slots=True)
class HistogramCall:
    """Noise on every cell of one histogram, empty or not; one record changes one cell by at most `sensitivity`.

    cells: number of cells of the whole domain. epsilon: of the histogram, exact; the noise is two-sided geometric with
    scale sensitivity / epsilon.
    """

    name: str
    cells: int
    epsilon: Fraction
    sensitivity: int = 1

    @property
    def law(self) -> TwoSidedGeometric:
        """The noise on each cell."""
        return TwoSidedGeometric(self.epsilon / self.sensitivity)


@dataclass(frozen=True, slots=True)
class HistogramLedger:
    """What a run of a sibling method spends. caveat: what the loss does not cover; empty if it covers everything.

    unit: what a record is.
    """

    calls: tuple[HistogramCall, ...]
    caveat: str = ""
    unit: Unit = RECORDS

    @property
    def privacy_definition(self) -> Literal["puredp"]:
        """Pure DP: budgets are epsilon."""
        return "puredp"

    @property
    def epsilon(self) -> Fraction:
        """The loss of one record: losses of histograms add. Source: paper Lemma 1."""
        return sum((call.epsilon for call in self.calls), Fraction(0))

    @property
    def loss(self) -> Loss:
        """The loss of a record and of a person."""
        return loss_of(self.unit, self.privacy_definition, self.epsilon)

    @property
    def parts(self) -> dict[str, Loss]:
        """The loss that a ledger file enters: anybody may be in the table."""
        return {WHOLE: self.loss}


def histogram_ledger_json(entries: HistogramLedger, *, delta: Fraction) -> dict[str, Json]:
    """`entries` for the manifest; every Fraction is exact, and has a decimal beside it that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the total is converted.
    """
    calls = [GroupCalls(1, StageBudgets(call.epsilon, call.epsilon / 2, call.epsilon / 2)) for call in entries.calls]
    totals = [total for total in formula_totals("puredp", calls, delta) if not total.caveat]
    return {
        "neighbours": neighbours(entries.unit.one),
        "person_rule": person_rule(entries.unit, entries.privacy_definition),
        "privacy_definition": entries.privacy_definition,
        "budget_unit": "epsilon",
        "composition": COMPOSITION_RULE,
        "parts": PARTS_RULE,
        **({"caveat": entries.caveat} if entries.caveat else {}),
        "totals": loss_json(entries.loss),
        "approximate_dp": approximate_json(entries.loss, totals, delta),
        "histograms": [_call_json(call) for call in entries.calls],
    }


def approximate_json(loss: Loss, totals: Sequence[Total], delta: Fraction) -> dict[str, Json]:
    """The (epsilon, delta) guarantees. totals: of one record; those of a person follow from the loss alone."""
    person = None if loss.of_person is None else totals_of_a_loss(loss.definition, loss.of_person, delta)
    rows = loss_members(totals, totals if loss.of_person == loss.of_record else person)
    return {name: None if each is None else [_total_json(total) for total in each] for name, each in rows.items()}


def _total_json(total: Total) -> Json:
    return {"epsilon_upper_bound": total.epsilon, "delta": exact_json(total.delta), "rule": total.rule}


def histogram_ledger_text(entries: HistogramLedger) -> str:
    """`entries` as text: one line for each histogram, and the loss of one record."""
    rows = [("histogram", "cells", "epsilon", "sensitivity", "MOE95 of a cell")]
    rows += [
        (
            call.name,
            f"{call.cells:,}",
            exact_text(call.epsilon),
            str(call.sensitivity),
            f"± {margin_of_error(call.law):,}",
        )
        for call in entries.calls
    ]
    return "\n".join([aligned(rows), _loss(entries)])


def _loss(entries: HistogramLedger) -> str:
    """The loss in sentences, with what it does not cover."""
    loss = f"Losses of histograms add (pure DP). {said_loss(entries.unit, entries.loss)}"
    return f"{loss} That is the loss by the noise: this release is {entries.caveat}." if entries.caveat else loss


def _call_json(call: HistogramCall) -> Json:
    return {
        "histogram": call.name,
        "cells": call.cells,
        "distribution": "two-sided geometric",
        "budget": exact_json(call.epsilon),
        "sensitivity": call.sensitivity,
        "scale": exact_json(1 / call.law.epsilon),
        "standard_deviation": math.sqrt(variance(call.law)),
        "moe95": margin_of_error(call.law),
    }
