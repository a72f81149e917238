"""The privacy ledger of a sibling method: integer noise on every cell of one histogram or of several, pure DP."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from safetab_sql.accounting.accountants import formula_totals
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.charges import exact_text
from safetab_sql.accounting.ledger import Json, exact_json
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import StageBudgets
from safetab_sql.public.levels import WHOLE

NEIGHBOURS = "inputs that differ by one record added or removed"
COMPOSITION_RULE = (
    "a record is in one cell of each histogram and changes it by at most its sensitivity; losses of histograms add; "
    "somebody with several records in the table loses as many times as much"
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
    """What a run of a sibling method spends. caveat: what the loss does not cover; empty if it covers everything."""

    calls: tuple[HistogramCall, ...]
    caveat: str = ""

    @property
    def privacy_definition(self) -> Literal["puredp"]:
        """Pure DP: budgets are epsilon."""
        return "puredp"

    @property
    def epsilon(self) -> Fraction:
        """The loss of one record: losses of histograms add. Source: paper Lemma 1."""
        return sum((call.epsilon for call in self.calls), Fraction(0))

    @property
    def parts(self) -> dict[str, Fraction]:
        """The loss that a ledger file enters: anybody may be in the table."""
        return {WHOLE: self.epsilon}


def histogram_ledger_json(entries: HistogramLedger, *, delta: Fraction) -> dict[str, Json]:
    """`entries` for the manifest; every Fraction is exact, and has a decimal beside it that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the total is converted.
    """
    calls = [GroupCalls(1, StageBudgets(call.epsilon, call.epsilon / 2, call.epsilon / 2)) for call in entries.calls]
    totals = [total for total in formula_totals("puredp", calls, delta) if not total.caveat]
    return {
        "neighbours": NEIGHBOURS,
        "privacy_definition": entries.privacy_definition,
        "budget_unit": "epsilon",
        "composition": COMPOSITION_RULE,
        "parts": PARTS_RULE,
        **({"caveat": entries.caveat} if entries.caveat else {}),
        "totals": {"one_record": exact_json(entries.epsilon)},
        "approximate_dp": {
            "one_record": [
                {"epsilon_upper_bound": total.epsilon, "delta": exact_json(total.delta), "rule": total.rule}
                for total in totals
            ]
        },
        "histograms": [_call_json(call) for call in entries.calls],
    }


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
    """The loss of one record as a sentence, with what it does not cover."""
    bound = f"epsilon {exact_text(entries.epsilon)} (pure DP)"
    if not entries.caveat:
        return f"One record loses at most {bound}: losses of histograms add."
    return f"The noise costs one record at most {bound}, but this release is {entries.caveat}."


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
