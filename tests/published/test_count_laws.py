"""The exact law of a fitted count, beside every outcome of its draws; and how much counts share of their noise."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.accounting.plan import MechanismCall
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.public.measured import Measurement, measurement
from safetab_sql.published.count_laws import (
    FittedLaw,
    chance_of_moe95,
    chances_in_persons,
    covariance,
    laws_of_sums,
    moe95_of,
    shared_noise,
    variance_of,
)
from safetab_sql.published.intervals import chances_of
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladder_tables import CoarserTable, Statistic

# Two cells and their total, all three with as much noise: the fitted total lies on halves of persons.
THIRD = Statistic("sex", (("SEX", "each"),), (CoarserTable(Fraction(1, 3), "TOTAL"),))
DEFINITIONS: tuple[PrivacyDefinition, ...] = ("zcdp", "puredp")
SUMS = [(0, 1), (0,)]


def measured(definition: PrivacyDefinition, budget: Fraction = Fraction(2)) -> tuple[Measurement, list[MechanismCall]]:
    calls = [
        MechanismCall("stage_2", share * budget, noise_law(definition, share * budget))
        for share in THIRD.shares_of_tables
    ]
    return measurement(THIRD, ((0, 0), (0, 1)), definition), calls


def enumerated(own: Measurement, laws: list[Law], cells: tuple[int, ...]) -> dict[int, float]:
    """The chances of a fitted count in whole persons, halves up: by all outcomes of its three draws."""
    known = [zip(*(each.tolist() for each in chances_of(laws[table])), strict=True) for table in (0, 1, 1)]
    draws = [[(value, chance) for value, chance in each if chance > 1e-11] for each in known]
    weights, found = own.weights[list(cells)].sum(axis=0).tolist(), defaultdict[int, float](float)
    for one, chance_of_one in draws[0]:
        for two, chance_of_two in draws[1]:
            for three, chance_of_three in draws[2]:
                moved = weights[0] * one + weights[1] * two + weights[2] * three
                found[(2 * moved + own.parts) // (2 * own.parts)] += chance_of_one * chance_of_two * chance_of_three
    return found


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("cells", SUMS)
def test_the_chances_of_whole_persons_are_sums_over_all_outcomes(
    definition: PrivacyDefinition, cells: tuple[int, ...]
) -> None:
    own, calls = measured(definition, Fraction(10))
    (law,) = laws_of_sums(own, calls, [cells])
    values, chances = chances_in_persons(law)
    true = enumerated(own, [call.law for call in calls], cells)
    assert chances == pytest.approx(np.array([true.get(value, 0.0) for value in values.tolist()]), abs=1e-9)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_law_has_the_variance_of_its_cells_and_covers_a_little_more_than_95_percent(
    definition: PrivacyDefinition,
) -> None:
    own, calls = measured(definition, Fraction(1, 20))
    total, cell = laws_of_sums(own, calls, SUMS)
    spread = covariance(own, calls)
    assert float(variance_of(total)) == pytest.approx(spread.sum())
    assert float(variance_of(cell)) == pytest.approx(spread[0, 0])
    for law in (total, cell):
        values, chances = chances_in_persons(law)
        inside = chances[np.abs(values) <= moe95_of(law)].sum()
        assert 0.95 <= chance_of_moe95(law) < 0.955
        assert inside == pytest.approx(chance_of_moe95(law), abs=0.05)


def test_cells_measured_alone_have_the_law_of_one_draw_and_share_nothing() -> None:
    _, calls = measured("zcdp")
    laws = laws_of_sums(None, calls[-1:], [(0,), (1,)])
    assert laws == [calls[-1].law] * 2
    assert not isinstance(laws[0], FittedLaw)
    assert shared_noise(None, calls[-1:], [(0,), (1,)]).tolist() == [1.0, 1.0]


def test_counts_share_their_noise_with_those_that_they_are_correlated_with() -> None:
    own, calls = measured("zcdp", Fraction(1, 20))
    spread = covariance(own, calls)
    correlation = spread[0, 1] / spread[0, 0]
    assert correlation < -0.3
    assert shared_noise(own, calls, [(0,), (1,)]) == pytest.approx([1 + correlation**2] * 2)
    with_total = (spread[0, 0] + spread[0, 1]) / np.sqrt(spread[0, 0] * spread.sum())
    assert shared_noise(own, calls, [(0, 1), (0,)]) == pytest.approx([1 + with_total] * 2)
