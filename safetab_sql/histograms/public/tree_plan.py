"""Synthetic data along a tree: how the budget is divided, for how many pairs and triples of fields, and their tables.

Everything here follows from the budget, the domains and a number of rows: nothing from the data, and nothing from what
was drawn but that number. Source: histograms.md section 7.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt, prod

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, noise_law
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.unit import RECORDS, Unit

ROWS_SHARE = Fraction(1, 50)  # of the budget, for the noisy number of records, where the spec does not say `rows`
CHOICE_SHARE = Fraction(12, 100)  # of the rest, for choosing as many pairs as a tree has; fewer pairs get less
PAIRS_SHARE = Fraction(35, 100)  # likewise, for the tables of the pairs
TRIPLES_SHARE = Fraction(1, 4)  # of the budget, for triples, before fields and pairs get theirs
_TABLES_OF_TRIPLES = Fraction(3, 4)  # of this share; their choice gets the rest
_LEAST_CELLS = 128  # of a triple's table, for there to be triples
_LARGEST_ERROR = Fraction(1, 4)  # of the rows: what noise may cost a choice
_ROOT_DIGITS = 10**6

Pair = tuple[int, int]  # places of two fields, the smaller first


@dataclass(frozen=True, slots=True, eq=False)
class BinnedTable:
    """The bins of a table of two or three fields. bins: of each field, the bin in the table of its finest bins.

    Of three fields, the second and the third are compared given the first.
    """

    fields: tuple[int, ...]
    bins: tuple[Int64s, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of bins of each field."""
        return tuple(int(bins[-1]) + 1 for bins in self.bins)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A table that may be counted, and what it is compared with.

    margins: expected records by bin of the field that is given (one, in the table of a pair) and by bin of each of the
    other two: float64[given, bins] each. cost: records that noise takes from its score.
    """

    table: BinnedTable
    margins: tuple[Floats, Floats]
    cost: int

    @property
    def expected_counts(self) -> Int64s:
        """Whole records in each cell if the two fields were independent: int64 in the shape of the table."""
        return np.rint(independent_counts(*self.margins)).astype(np.int64).reshape(self.table.shape)


def independent_counts(rows: Floats, columns: Floats) -> Floats:
    """Records in each cell if two fields with these margins were independent: float64[given, bins, bins]."""
    totals = rows.sum(axis=1)[:, None, None]
    return rows[:, :, None] * columns[:, None, :] / np.where(totals > 0, totals, 1.0)


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
class Chosen:
    """What a plan has for tables that are chosen one after another.

    most: so many tables, or fewer. choice: for choosing one. tables: for all tables
    together. choice_epsilon: the epsilon of the exponential mechanism that `choice` buys, for one record.
    """

    most: int = 0
    choice: Fraction = Fraction(0)
    tables: Fraction = Fraction(0)
    choice_epsilon: Fraction = Fraction(0)

    @property
    def amount(self) -> Fraction:
        """All of it, whether or not as many tables are chosen."""
        return self.most * self.choice + self.tables


@dataclass(frozen=True, slots=True)
class TreePlan:
    """How a budget is divided. All parts are exact, in epsilon or rho, and add up to it.

    rows: the number of rows that the plan is made for. counted_rows: the part that bought this number; 0 if the spec
    says it. fields: of the histogram of each field, in their order. pairs, triples: of two and of three fields.
    """

    budget: TreeBudget
    rows: int
    counted_rows: Fraction
    fields: tuple[Fraction, ...]
    pairs: Chosen
    triples: Chosen


def tree_plan(budget: TreeBudget, sizes: Sequence[int], rows: int, *, counted_rows: Fraction = Fraction(0)) -> TreePlan:
    """The plan for fields of these `sizes`.

    Triples get a quarter, if their tables can be fine enough. Without tables all of the budget goes to the fields.
    """
    rest = budget.amount - counted_rows
    pairs, triples = _pairs(budget, rest, len(sizes), rows), Chosen()
    if pairs.most > 1:
        triples = _triples(budget, rest * TRIPLES_SHARE, rows, pairs.most - 1)
    if triples.most:
        rest -= triples.amount
        pairs = _pairs(budget, rest, len(sizes), rows)
    return TreePlan(budget, rows, counted_rows, shares(rest - pairs.amount, sizes), pairs, triples)


def _pairs(budget: TreeBudget, rest: Fraction, fields: int, rows: int) -> Chosen:
    """What the pairs get of the rest of the budget.

    The more pairs are to be chosen, the less each choice can be trusted: as many as possible are chosen of which the
    expected loss of one choice, 2 / epsilon * ln(number of pairs), stays below a quarter of the rows.
    """
    for number in range(fields - 1, 0, -1):
        choice = rest * CHOICE_SHARE * _share(number, fields) / number
        # ln n < 7/10 * (bits of n)
        loss = 2 * Fraction(7, 10) * comb(fields, 2).bit_length()
        epsilon = choice_epsilon(budget.definition, budget.of_record(choice))
        if epsilon and loss / epsilon <= _LARGEST_ERROR * rows:
            return Chosen(number, choice, rest * PAIRS_SHARE * _share(number, fields), epsilon)
    return Chosen()


def _triples(budget: TreeBudget, amount: Fraction, rows: int, most: int) -> Chosen:
    """`amount` for `most` triples; none if a table of _LEAST_CELLS cells would have noise of 3/10 of the rows.

    Noise is 4/5 of a standard deviation in the mean. Variances: 2 / epsilon^2, 1 / (2 rho).
    """
    tables = amount * _TABLES_OF_TRIPLES
    one = budget.of_record(tables / most)
    variance = 2 / one**2 if budget.definition == "puredp" else 1 / (2 * one)
    if (_LEAST_CELLS * Fraction(4, 5)) ** 2 * variance > (Fraction(3, 10) * rows) ** 2:
        return Chosen()
    choice = (amount - tables) / most
    return Chosen(most, choice, tables, choice_epsilon(budget.definition, budget.of_record(choice)))


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
