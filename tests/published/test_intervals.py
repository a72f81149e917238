"""Intervals of sums and of counts that were set to 0, and what is known of suppressed groups."""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.laws.cumulative import Law, pmf_words
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.intervals import ANY, Cuts, Sides, positive_parts_quantile, sides, sum_margin_of_error

GAUSSIAN = DiscreteGaussian(Fraction("0.0159"))
LAWS: dict[str, Law] = {"zcdp": GAUSSIAN, "puredp": TwoSidedGeometric(Fraction("0.249"))}
CLIPPED = Cuts(is_clipped=True)


def clipped_law(law: Law, true_count: int) -> np.ndarray:
    """The chances of 0, 1, 2, ... as a published count of `true_count` people."""
    first, words = pmf_words(law)
    found = np.zeros(true_count + first + len(words))
    np.add.at(found, np.maximum(0, true_count + first + np.arange(len(words))), np.array(words, dtype=float) / 2.0**64)
    return found


@pytest.mark.parametrize("true_counts", [(0,) * 8, (3,) * 8, (0,) * 7 + (50,), (20,) * 8, (0,)], ids=str)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_sum_of_counts_that_were_set_to_0_is_covered(law: Law, true_counts: tuple[int, ...]):
    summed = np.ones(1)
    for each in true_counts:
        summed = np.convolve(summed, clipped_law(law, each))
    found = sides(law, len(true_counts), sum_margin_of_error(law, len(true_counts)), None, CLIPPED)
    published, true_count = np.arange(summed.size), sum(true_counts)
    covered = (np.maximum(0, published - found.below) <= true_count) & (true_count <= published + found.above)
    assert summed[covered].sum() >= 0.95


def test_plus_and_minus_the_margin_would_not_cover_such_a_sum():
    summed = np.ones(1)
    for _ in range(46):
        summed = np.convolve(summed, clipped_law(GAUSSIAN, 0))
    assert summed[: sum_margin_of_error(GAUSSIAN, 46) + 1].sum() < 0.5


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_positive_part_of_one_draw_has_the_quantile_of_the_draw(law: Law):
    assert positive_parts_quantile(law, 1) == margin_of_error(law)


def test_positive_parts_too_wide_for_the_lattice_are_rounded_up():
    """sigma 7,071: a sum of 46 is known to about 46 steps of 100 persons, a hundredth of its deviation."""
    wide, narrow = DiscreteGaussian(Fraction(1, 10**8)), DiscreteGaussian(Fraction(1, 10**4))
    ratio = positive_parts_quantile(wide, 46) / positive_parts_quantile(narrow, 46)
    assert 100 <= ratio < 101


@pytest.mark.parametrize(
    ("cuts", "least"), [(Cuts(), None), (Cuts(from_zero=True), 0), (CLIPPED, 0)], ids=["no", "on request", "clipped"]
)
def test_intervals_are_cut_at_0_on_request_and_where_counts_are(cuts: Cuts, least: int | None):
    assert sides(GAUSSIAN, 1, 11, None, cuts) == Sides(11, 11, least)


def test_a_suppressible_total_of_a_law_too_wide_has_no_lower_end_but_0():
    assert sides(DiscreteGaussian(Fraction(1, 10**12)), 1, 9, 5, Cuts()) == Sides(ANY, 9, 0)
