"""Intervals of totals that are published only if large enough: coverage is summed exactly, whatever the true count."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, margin_of_error, pmf_words, quantile
from safetab_sql.laws.selection import largest_suppressed, selected_counts

WIDE: dict[str, Law] = {  # as in releases with a small budget
    "wide, zCDP": DiscreteGaussian(Fraction(1, 2 * 160**2)),
    "wide, pure DP": TwoSidedGeometric(Fraction("0.02")),
}
LAWS: dict[str, Law] = {
    "COUNTY-2 of 2020": DiscreteGaussian(Fraction("0.0159")),
    "regional, zCDP": DiscreteGaussian(Fraction("0.0008")),
    "narrow, zCDP": DiscreteGaussian(Fraction(2)),
    "detailed, pure DP": TwoSidedGeometric(Fraction("0.249")),
    "narrow, pure DP": TwoSidedGeometric(Fraction(3)),
}
CHANCES = {
    "rather not": Fraction(1, 5),
    "half": Fraction(1, 2),
    "2020": Fraction(9999, 10000),
    "rarely": 1 - Fraction(1, 10**9),
}


def chances(law: Law) -> tuple[np.ndarray, np.ndarray]:
    first, words = pmf_words(law)
    return np.arange(first, first + len(words)), np.array(words, dtype=np.float64) / 2.0**64


def coverages(law: Law, above: int, true_counts: list[int], near, margin: int) -> list[float]:
    """The chance that the interval of a published total holds the true count, for each of these."""
    values, weights = chances(law)
    reach = max(true_counts) + values[-1] + 1  # of counts above `above`
    lows, highs = (np.arange(above + 1, reach) + side * margin for side in (-1, 1))
    for one in near:
        if one.noisy_count < reach:
            lows[one.noisy_count - above - 1], highs[one.noisy_count - above - 1] = one.low, one.high
    found = []
    for true_count in true_counts:
        is_published = values > above - true_count
        places, chance = true_count + values[is_published] - above - 1, weights[is_published]
        hits = (lows[places] <= true_count) & (true_count <= highs[places])
        found.append(float(chance[hits].sum() / chance.sum()))
    return found


GRID: dict[str, Law] = {
    **{f"deviation {wide}": DiscreteGaussian(Fraction(1, 2 * wide**2)) for wide in (2, 10, 70, 135, 300, 600)},
    **{
        f"epsilon {epsilon}": TwoSidedGeometric(Fraction(epsilon)) for epsilon in ("1", "0.1", "0.05", "0.0253", "0.01")
    },
}


@pytest.mark.parametrize("chance", CHANCES.values(), ids=CHANCES)
@pytest.mark.parametrize(
    "law",
    [
        *(pytest.param(law, id=name) for name, law in (LAWS | WIDE).items()),
        *(pytest.param(law, id=name, marks=pytest.mark.slow) for name, law in GRID.items()),
    ],
)
def test_an_interval_covers_whatever_the_true_count_is_and_holds_the_published_one(law, chance):
    above, margin = quantile(law, chance), margin_of_error(law)
    found = selected_counts(law, above)
    assert all(0 <= one.low <= max(0, one.noisy_count) <= one.high for one in found)
    reach = above + 3 * margin + 2
    true_counts = sorted({*range(0, min(31, reach)), *range(0, reach, max(1, reach // 20))})
    # floats: weights are known to 2^-64, and a total is published with a chance of at least 1e-9
    assert min(coverages(law, above, true_counts, found, margin)) >= 0.95 - 1e-8


@pytest.mark.parametrize("law", WIDE.values(), ids=WIDE)
def test_a_group_with_a_row_may_have_as_many_people_as_one_without(law):
    """Equal tails alone would leave every count out of the interval of 495 people, and out of that of 312."""
    above = quantile(law, Fraction(999, 1000))
    found = selected_counts(law, above)
    assert found[0].high == largest_suppressed(law, above) > found[0].noisy_count
    assert all(one.noisy_count <= one.high for one in selected_counts(law, above, Fraction(1, 2)))


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_intervals_move_up_with_the_count_and_end_as_plus_and_minus_the_margin(law):
    above, margin = quantile(law, CHANCES["2020"]), margin_of_error(law)
    near = selected_counts(law, above)
    assert [one.noisy_count for one in near] == list(range(above + 1, above + 1 + len(near)))
    assert all(one.low <= two.low and one.high <= two.high for one, two in pairwise(near))
    last = near[-1].noisy_count
    assert (near[0].low, near[-1].low, near[-1].high) == (0, last - margin, last + margin)


def test_a_county_total_just_above_the_limit_may_be_of_anybody_from_none_to_30():
    """COUNTY-2 of 2020 suppresses up to 21, and has a margin of 11."""
    found = {one.noisy_count: (one.low, one.high) for one in selected_counts(LAWS["COUNTY-2 of 2020"], 21)}
    assert found[22] == (0, 30)
    assert found[45] == (34, 56)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_suppressed_group_has_at_most_so_many_people(law):
    above = quantile(law, CHANCES["2020"])
    values, weights = chances(law)

    def suppressed(true_count: int) -> float:
        return float(weights[true_count + values <= above].sum())

    most = largest_suppressed(law, above)
    assert suppressed(most) > 0.05 >= suppressed(most + 1)


def test_a_law_too_wide_to_tabulate_has_no_intervals():
    assert selected_counts(DiscreteGaussian(Fraction(1, 10**12)), 5) is None
    assert selected_counts(DiscreteGaussian(Fraction(9, 40)), 59)[0].low > 0  # a limit that noise alone never exceeds
