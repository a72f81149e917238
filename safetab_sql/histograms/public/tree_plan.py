"""Synthetic data along a tree: how the budget is divided, how many pairs of fields it pays for, and their tables.

Everything here follows from the budget, the domains and a number of rows: nothing from the data, and nothing from what
was drawn but that number. Source: histograms.md section 7.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.unit import RECORDS, Unit

ROWS_SHARE = Fraction(1, 50)  # of the budget, for the noisy number of records, where the spec does not say `rows`
CHOICE_SHARE = Fraction(12, 100)  # of the rest, for choosing as many pairs as a tree has; fewer pairs get less
PAIRS_SHARE = Fraction(35, 100)  # likewise, for the tables of the pairs
_LARGEST_ERROR = Fraction(1, 4)  # of the rows: what noise may cost a choice
_ROOT_DIGITS = 10**6

Pair = tuple[int, int]  # places of two fields, the smaller first


@dataclass(frozen=True, slots=True, eq=False)
class BinnedPair:
    """The bins of a pair's table. bins: of each of the two fields, the bin in the table of each of its finest bins."""

    pair: Pair
    bins: tuple[Int64s, Int64s]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of bins of the two fields."""
        return int(self.bins[0][-1]) + 1, int(self.bins[1][-1]) + 1

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A table that a pair of fields may get, and what it is compared with.

    expected: of each field, records by bin of the table: float64[bins]. cost: records that noise takes from its score.
    """

    table: BinnedPair
    expected: tuple[Floats, Floats]
    cost: int

    @property
    def independent_counts(self) -> Int64s:
        """Whole records in each cell if the fields were independent: int64[bins, bins]."""
        counts: Int64s = np.rint(np.outer(*self.expected) / self.expected[0].sum()).astype(np.int64)
        return counts


@dataclass(frozen=True, slots=True)
class TreeBudget:
    """The budget of a release. amount: epsilon (puredp) or rho (zcdp), exact: what `unit` protects loses it."""

    definition: PrivacyDefinition
    amount: Fraction
    unit: Unit = RECORDS

    def of_record(self, amount: Fraction) -> Fraction:
        """The part of the budget that a mechanism gets for one record. Source: histograms.md section 1.4."""
        return amount / self.unit.bound(1, self.definition)

    def law(self, amount: Fraction) -> Law:
        """The noise that part of the budget buys for one histogram, of which a record changes one count by 1."""
        return noise_law(self.definition, self.of_record(amount))


@dataclass(frozen=True, slots=True)
class TreePlan:
    """How a budget is divided. All parts are exact, in epsilon or rho, and add up to it.

    rows: the number of rows that the plan is made for. counted_rows: the part that bought this number; 0 if the spec
    says it. fields: of the histogram of each field, in their order. most_pairs: so many pairs of fields get a table, or
    fewer. choice: for choosing one pair; 0 where the spec names the pairs. tables: for the tables of all pairs
    together. choice_epsilon: the epsilon of the exponential mechanism that `choice` buys, for one record.
    """

    budget: TreeBudget
    rows: int
    counted_rows: Fraction
    fields: tuple[Fraction, ...]
    most_pairs: int
    choice: Fraction
    tables: Fraction
    choice_epsilon: Fraction


def tree_plan(
    budget: TreeBudget, sizes: Sequence[int], rows: int, *, counted_rows: Fraction = Fraction(0), named_pairs: int = 0
) -> TreePlan:
    """The plan for fields of these `sizes`. named_pairs: how many pairs the spec names; 0 if they are to be chosen.

    The more pairs are to be chosen, the less each choice can be trusted: as many as possible are chosen of which the
    expected loss of one choice, 2 / epsilon * ln(number of pairs), stays below a quarter of the rows. Without pairs all
    of the budget goes to the fields.
    """
    rest = budget.amount - counted_rows
    pairs, choice, tables = named_pairs, Fraction(0), Fraction(0)
    if named_pairs:
        tables = rest * (CHOICE_SHARE + PAIRS_SHARE) * _share(named_pairs, len(sizes))
    for number in range(len(sizes) - 1, 0, -1) if not named_pairs else ():
        part = rest * CHOICE_SHARE * _share(number, len(sizes)) / number
        # ln n < 7/10 * (bits of n)
        loss = 2 * Fraction(7, 10) * comb(len(sizes), 2).bit_length()
        epsilon = choice_epsilon(budget.definition, budget.of_record(part))
        if epsilon and loss / epsilon <= _LARGEST_ERROR * rows:
            pairs, choice, tables = number, part, rest * PAIRS_SHARE * _share(number, len(sizes))
            break
    fields = shares(rest - pairs * choice - tables, sizes)
    epsilon = choice_epsilon(budget.definition, budget.of_record(choice))
    return TreePlan(budget, rows, counted_rows, fields, pairs, choice, tables, epsilon)


def choice_epsilon(definition: PrivacyDefinition, amount: Fraction) -> Fraction:
    """The epsilon of an exponential mechanism that costs at most `amount`: itself, or sqrt(8 rho) rounded down."""
    if definition == "puredp":
        return amount
    return Fraction(isqrt(int(8 * amount * 2**128)), 2**64)


def shares(budget: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """`budget` divided over histograms of these sizes, nearly in proportion to their square roots.

    The sum of all absolute errors is smallest then. The roots are rounded to powers of two, so that only a few laws of
    noise have to be tabulated.
    """
    weights = [1 << (size.bit_length() // 2) for size in sizes]
    return tuple(budget * weight / sum(weights) for weight in weights)


def _share(pairs: int, fields: int) -> Fraction:
    """The part of CHOICE_SHARE and PAIRS_SHARE that `pairs` pairs get: sqrt(pairs / (fields - 1)), rounded down."""
    return Fraction(isqrt(pairs * _ROOT_DIGITS**2 // (fields - 1)), _ROOT_DIGITS)
