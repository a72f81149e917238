"""The privacy ledger of a sibling method: integer noise on every cell of histograms, and the choice of a tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from safetab_sql.accounting import statement
from safetab_sql.accounting.accountants import GroupCalls, formula_totals
from safetab_sql.accounting.conversions import Exact, totals_of_a_loss
from safetab_sql.accounting.statement import Loss
from safetab_sql.kit.words import aligned, exact_text
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.exponential import least_multiple_of_log10
from safetab_sql.laws.noise import Law, TwoSidedGeometric, margin_of_error, noise_law
from safetab_sql.settings.budgets import DELTA, PrivacyDefinition, StageBudgets
from safetab_sql.settings.geography import WHOLE
from safetab_sql.settings.tables import INLINE, table
from safetab_sql.settings.unit import RECORDS, Unit

COMPOSITION_RULE = (
    "a record is in one cell of each histogram and changes it by at most its sensitivity; losses of histograms add"
)
TREE_COMPOSITION_RULE = (
    "a record is in one cell of each histogram and table and changes it by 1, and changes the score of each by at most "
    "1; losses add"
)
OF_A_PERSON = "sensitivities are of all records of a person that are counted"
NOT_PRIVATE = "not formally differentially private with respect to the invariants"
PARTS_RULE = "entered in a ledger file for everybody: records may be of any part"


@dataclass(frozen=True, slots=True)
class HistogramCall:
    """Noise on every cell of one histogram, empty or not; what is protected changes it by at most `sensitivity`.

    cells: of the whole domain. epsilon: exact; the noise is two-sided geometric with scale sensitivity / epsilon.
    """

    name: str
    cells: int
    epsilon: Fraction
    sensitivity: int = 1

    @property
    def law(self) -> TwoSidedGeometric:
        """The noise on each cell."""
        return TwoSidedGeometric(self.epsilon / self.sensitivity)

    def lifted(self, above: int, tails: int = 1) -> int:
        """About how many empty cells noise lifts above `above` >= 0; with two tails, those below -`above` as well."""
        return tails * tail_bounds(self.law, above, 64)[1] * self.cells >> 64

    def least_kept(self, cut: Fraction) -> int:
        """The least noisy count that is kept: at least cut * scale * log10(bins), and 1. scale: of the noise.

        Exact: no float stands between the budget and the table. A count of 0 draws no row, kept or not.
        Source: histograms.md section 4.3.
        """
        return max(1, least_multiple_of_log10(cut * self.sensitivity / self.epsilon, self.cells))


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run of a sibling method spends.

    amount: epsilon (puredp) or rho (zcdp), exact: what `unit` protects loses it. calls: those that are known before
    anything is drawn, whose losses add up to the amount; none along a tree, whose calls follow from noise. caveat: what
    the loss does not cover; empty if it covers everything. delta: of the epsilon that it states. Source: paper Lemma 1.
    """

    definition: PrivacyDefinition
    amount: Fraction
    unit: Unit = RECORDS
    calls: tuple[HistogramCall, ...] = ()
    caveat: str = ""
    delta: Fraction = DELTA

    @property
    def loss(self) -> Loss:
        """The loss of a record and of a person."""
        return Loss(self.unit, self.definition, self.amount)

    @property
    def parts(self) -> dict[str, Loss]:
        """The loss that a ledger file enters: anybody may be in the table."""
        return {WHOLE: self.loss}

    def of_record(self, amount: Fraction) -> Fraction:
        """The part of the budget that a mechanism gets for one record. Source: histograms.md section 1.4."""
        return amount / self.unit.bound(1, self.definition)

    def law(self, amount: Fraction) -> Law:
        """The noise that part of the budget buys for one histogram, of which a record changes one count by 1."""
        return noise_law(self.definition, self.of_record(amount))


@table
class HistogramNoise:
    """Noise on every cell of a histogram."""

    histogram: str
    cells: int
    noise: Annotated[statement.Noise, INLINE]


@table
class Choice:
    """The noisy choices of tables, which a budget pays for. tables: the budget of all of them together."""

    of: str
    rule: str
    choices: int
    budget_of_each: Exact
    epsilon_of_each: Exact
    tables: Exact


@table
class StatedHistograms:
    """The ledger of a sibling method, as its manifest states it. parts: of the geography. caveat: not covered by it."""

    loss: Annotated[statement.LossStatement, INLINE]
    parts: str
    histograms: tuple[HistogramNoise, ...]
    caveat: str = ""
    choices: tuple[Choice, ...] = ()


def histogram_statement(
    budget: Budget, drawn: Sequence[HistogramNoise] = (), choices: tuple[Choice, ...] = ()
) -> StatedHistograms:
    """`budget` as a manifest states them. drawn, choices: along a tree, the noise that was drawn, and its choices.

    There the (epsilon, delta) guarantees follow from the budget alone: which calls there are, and how large each is,
    follows from noise, and what one run happened to spend bounds no loss.
    """
    loss, unit = budget.loss, budget.unit
    rule, totals = TREE_COMPOSITION_RULE, totals_of_a_loss(loss.definition, budget.amount, DELTA)
    if budget.calls:
        each = [GroupCalls(1, StageBudgets(call.epsilon, call.epsilon / 2, call.epsilon / 2)) for call in budget.calls]
        found = formula_totals("puredp", each, DELTA)
        rule, totals = COMPOSITION_RULE, tuple(total for total in found if not total.caveat)
        noises = [(call, statement.noise_of(call.law, call.epsilon, call.sensitivity)) for call in budget.calls]
        drawn = [HistogramNoise(call.name, call.cells, noise) for call, noise in noises]
    rule = rule if unit.person is None else f"{rule}; {OF_A_PERSON}"
    stated = statement.loss_statement(loss, rule, statement.loss_totals(loss, totals, DELTA))
    return StatedHistograms(stated, PARTS_RULE, tuple(drawn), budget.caveat, choices)


def histogram_ledger_text(budget: Budget) -> str:
    """`budget` as text: one line for each histogram, the loss of one record, and what it does not cover."""
    rows = [("histogram", "cells", "epsilon", "sensitivity", "MOE95 of a cell")]
    for call in budget.calls:
        figures = f"{call.cells:,}", exact_text(call.epsilon), str(call.sensitivity)
        rows.append((call.name, *figures, f"± {margin_of_error(call.law):,}"))
    loss = f"Losses of histograms add (pure DP). {statement.said_loss(budget.loss)}"
    caveat = f" That is the loss by the noise: this release is {budget.caveat}." if budget.caveat else ""
    return f"{aligned(rows)}\n{loss}{caveat}"
