"""The privacy ledger of synthetic rows along a tree: noise on histograms and tables, and the choice of the tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.accounting.conversions import totals_of_a_loss
from safetab_sql.accounting.ledger_statement import loss_statement, noise_of
from safetab_sql.accounting.loss import Loss, loss_of
from safetab_sql.histograms.public.ledger import PARTS_RULE, Choice, HistogramNoise, StatedHistograms, approximate
from safetab_sql.histograms.public.tree_plan import TreeBudget, TreePlan
from safetab_sql.laws.cumulative import Law
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.geography import WHOLE
from safetab_sql.settings.unit import RECORDS, Unit

COMPOSITION_RULE = (
    "a record is in one cell of each histogram and table and changes it by 1, and changes the score of each pair by at "
    "most 1; losses add"
)
CHOICE_RULE = (
    "exponential mechanism on whole scores of sensitivity 1: epsilon pure DP, epsilon^2 / 8 zCDP; it may end early, "
    "and is charged as if it had not"
)


@dataclass(frozen=True, slots=True)
class TreeCall:
    """Noise on every cell of a histogram or table, of which one record changes one cell by 1.

    amount: epsilon or rho of it, exact. law: of the noise.
    """

    name: str
    cells: int
    amount: Fraction
    law: Law


@dataclass(frozen=True, slots=True)
class TreeSpending:
    """What a run along a tree spends: the whole budget of its specification. unit: what a record is."""

    budget: TreeBudget
    unit: Unit = RECORDS

    @property
    def privacy_definition(self) -> PrivacyDefinition:
        """Pure DP or zCDP, as the specification says."""
        return self.budget.definition

    @property
    def loss(self) -> Loss:
        """The loss of a record and of a person."""
        return loss_of(self.unit, self.privacy_definition, self.budget.amount)

    @property
    def parts(self) -> dict[str, Loss]:
        """The loss that a ledger file enters: anybody may be in the table."""
        return {WHOLE: self.loss}

    @property
    def caveat(self) -> str:
        """What the loss does not cover: nothing."""
        return ""


def tree_statement(plan: TreePlan, calls: Sequence[TreeCall], unit: Unit, *, delta: Fraction) -> StatedHistograms:
    """The ledger as a manifest states it.

    unit: what a record is. delta: of the (epsilon, delta) guarantees to which the total is converted. They follow from
    the budget alone: which calls there are, and how large each is, follows from noise, and what one run happened to
    spend bounds no loss.
    """
    budget, loss = plan.budget, TreeSpending(plan.budget, unit).loss
    totals = approximate(loss, totals_of_a_loss(budget.definition, budget.amount, delta), delta)
    return StatedHistograms(
        loss_statement(loss, unit, COMPOSITION_RULE, totals),
        PARTS_RULE,
        tuple(HistogramNoise(call.name, call.cells, noise_of(call.law, call.amount)) for call in calls),
        choice=Choice(CHOICE_RULE, plan.most_pairs if plan.choice else 0, plan.choice, plan.choice_epsilon),
    )
