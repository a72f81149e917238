"""Sums, ratios and medians of counts that are fitted to several measured tables, which have noise in common.

Against plain convolutions and drawn noise. Each statement on drawn noise is wrong with a chance of 3e-6 at most: 8,000
draws, 4.5 standard deviations of what 95 % would give.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.signal import fftconvolve

from safetab_sql.accounting.plan import level_calls
from safetab_sql.kit.arrays import Int64s
from safetab_sql.mechanisms.draw import draw
from safetab_sql.published.intervals import chances_as_far, chances_of, margin_of_terms, variance_of_terms
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.statistics.evaluator import Ranked, rank_intervals
from safetab_sql.statistics.intervals import (
    Counted,
    differences,
    edge_margins,
    noise_terms,
    quantiles,
    ratios,
    sums,
)
from safetab_sql.statistics.noise import GroupNoise
from safetab_sql.statistics.ratios import NoisyRatios, Shape, Term, chances_beyond, equal_ratio_chances
from tests.public.test_measured import DEFINITIONS, MEMBERS, SEX, STATISTIC, measurement
from tests.statistics import recorded_bits

LEVEL = Fraction(95, 100)
DRAWS = 8_000
LEAST = 0.95 - 4.5 * (0.95 * 0.05 / DRAWS) ** 0.5
BUDGET = {"zcdp": Fraction(1, 50), "puredp": Fraction(1, 3)}
EXACT = np.array([9, 30, 41, 28, 12, 2, 11, 25, 39, 33, 19, 8])
AGES = np.array([0, 18, 30, 45, 65, 85, 116])
MEN, WOMEN = (SEX == 0).astype(np.int64), (SEX == 1).astype(np.int64)
NONE = np.zeros(12, dtype=np.int64)


def noise_of(definition: PrivacyDefinition, times: int = 1) -> GroupNoise:
    calls = level_calls(definition, times * BUDGET[definition], 1, Fraction(0), 1, [STATISTIC]).of_table(1)
    return GroupNoise(measurement(STATISTIC, MEMBERS, definition), tuple(call.law for call in calls), None)


def shape_of(noise: GroupNoise, one: Int64s, other: Int64s = NONE) -> Shape:
    terms = tuple(Term(law, a, b, many) for law, (a, b), many in noise.draws(np.stack([one, other])))
    return Shape(terms, False, noise.measurement.parts, tuple(zip(one.tolist(), other.tolist(), strict=True)))


def fitted(noise: GroupNoise, name: str) -> Int64s:
    """Drawn cells, in parts: int64[draws, cells]."""
    found, bits = noise.measurement, recorded_bits(name)
    counts = [*found.sums(EXACT[None].repeat(DRAWS, axis=0)), EXACT[None].repeat(DRAWS, axis=0)]
    *coarser, cells = (
        each + draw(law, each.size, bits).reshape(each.shape) for each, law in zip(counts, noise.laws, strict=True)
    )
    return found.fitted(coarser, cells)


def counted(shape: Shape, cells: Int64s, one: Int64s, other: Int64s = NONE) -> Counted:
    return Counted(shape, cells @ one, cells @ other, np.zeros((len(cells), 0), dtype=np.int64))


def convolved(noise: GroupNoise, times: Int64s) -> np.ndarray:
    """The chances of a sum of cells, around its middle: from what each draw moves it by, one draw after another."""
    chances = np.ones(1)
    laws = [noise.laws[table] for table in noise.measurement.table_of_draws.tolist()]
    for law, moved in zip(laws, (times @ noise.measurement.weights).tolist(), strict=True):
        values, own = chances_of(law)
        values, own = values[own > 1e-16], own[own > 1e-16]
        spread = np.zeros(2 * abs(moved) * int(values.max()) + 1)
        np.add.at(spread, abs(moved) * (values + values.max()), own)
        chances = fftconvolve(chances, spread)
    return chances


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("times", [MEN, MEN - WOMEN, EXACT % 3], ids=["men", "men less women", "weighted"])
def test_sums_and_differences_are_covered_and_have_their_variance(definition: PrivacyDefinition, times: Int64s) -> None:
    noise = noise_of(definition)
    shape, cells = shape_of(noise, times), fitted(noise, f"sums {definition} {times.sum()}")
    found, true = sums(counted(shape, cells, times), LEVEL), EXACT @ times
    covered = ((found.lows <= true) & (true <= found.highs)).mean()
    assert LEAST <= covered <= 0.96
    variance = float(variance_of_terms(noise_terms(shape))) / shape.parts**2
    assert ((found.estimates - true) ** 2).mean() == pytest.approx(variance, rel=0.08)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_p_values_of_differences_without_a_difference_are_small_as_seldom_as_they_say(definition) -> None:
    noise, one, other = noise_of(definition), np.eye(12, dtype=np.int64)[2], np.eye(12, dtype=np.int64)[8]
    cells = fitted(noise, f"differences {definition}") - noise.measurement.parts * EXACT
    found = differences(counted(shape_of(noise, one, other), cells, one, other), LEVEL)
    for chance in (0.5, 0.05):
        allowed = chance + 4.5 * (chance * (1 - chance) / DRAWS) ** 0.5
        assert chance / 2 < (found.p_values <= chance).mean() <= allowed
    same = differences(counted(shape_of(noise, one, one), cells, one, one), LEVEL)
    assert (same.p_values == 1).all()
    assert (same.lows == 0).all()


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("part", ["men of all", "men by women"])
@pytest.mark.each_time("zcdp")
def test_ratios_are_covered(definition: PrivacyDefinition, part: str) -> None:
    noise, other = noise_of(definition), NONE + 1 if part == "men of all" else WOMEN
    shape, cells = shape_of(noise, MEN, other), fitted(noise, f"ratios {definition} {part}")
    assert shape.is_part == (part == "men of all")
    found, true = ratios(counted(shape, cells, MEN, other), LEVEL), (EXACT @ MEN) / (EXACT @ other)
    assert LEAST <= ((found.lows <= true) & (true <= found.highs)).mean() <= 0.97


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.each_time("zcdp")
def test_equal_ratios_are_found_to_differ_as_seldom_as_p_values_say(definition: PrivacyDefinition) -> None:
    noise, first = noise_of(definition), np.eye(12, dtype=np.int64)[0]
    second, exact = np.eye(12, dtype=np.int64)[6], EXACT.copy()
    exact[6:] = exact[:6]
    cells = fitted(noise, f"equal ratios {definition}") + noise.measurement.parts * (exact - EXACT)
    pairs = [
        NoisyRatios(shape_of(noise, one, other), (cells @ one).astype(float), (cells @ other).astype(float))
        for one, other in ((first, MEN), (second, WOMEN))
    ]
    assert (equal_ratio_chances(*pairs, apart=False) <= 0.05).mean() <= 1 - LEAST


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10)], ids=str)
@pytest.mark.each_time("1/2")
def test_medians_and_other_quantiles_are_covered(definition: PrivacyDefinition, share: Fraction) -> None:
    noise, bins = noise_of(definition), [[age, age + 6] for age in range(6)]
    cells = fitted(noise, f"quantiles {definition} {share}") / noise.measurement.parts
    margins = edge_margins(noise, bins, share, LEVEL)
    found = quantiles(share, cells[:, :6] + cells[:, 6:], AGES, margins)
    reached = np.flatnonzero(np.cumsum(EXACT[:6] + EXACT[6:]) >= share * EXACT.sum())[0]
    assert ((found.lows <= AGES[reached]) & (found.highs >= AGES[reached + 1])).mean() >= LEAST


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.each_time("zcdp")
def test_margins_and_p_values_are_those_of_a_convolution_draw_by_draw(definition: PrivacyDefinition) -> None:
    noise, times = noise_of(definition, 100 if definition == "zcdp" else 30), MEN - WOMEN
    chances = convolved(noise, times)
    far = np.abs(np.arange(chances.size) - chances.size // 2)
    terms = noise.terms(times)
    margin = margin_of_terms(terms).moe95
    least = int(np.argmax(np.cumsum(np.bincount(far, chances)) >= 0.95))
    assert least <= margin <= 1.001 * least + noise.measurement.parts
    values = (np.array([0.3, 1, 2.5, 4]) * float(variance_of_terms(terms)) ** 0.5).astype(np.int64)
    exact = np.array([chances[far >= value].sum() for value in values])
    assert (chances_as_far(terms, values) >= exact - 1e-9).all()
    assert chances_as_far(terms, values) == pytest.approx(exact, rel=0.02, abs=3e-9)


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.each_time("zcdp")
def test_many_terms_have_the_chances_that_a_lattice_finds(definition: PrivacyDefinition) -> None:
    """Two terms, written as ten, have the chances of the two but for two places, by which a lattice may move them."""
    law = noise_of(definition).laws[0]
    few = chances_beyond(Shape((Term(law, 0, 1, 10), Term(law, 1, 1, 10))))
    many = chances_beyond(Shape(tuple(Term(law, place % 2, 1, 2, -(10**9) + place) for place in range(10))))
    size = min(few.size, many.size)
    assert (many[2:size] <= few[: size - 2] + 1e-12).all()
    assert (few[2:size] <= many[: size - 2] + 1e-12).all()


def test_counts_of_different_parts_are_ranked_together() -> None:
    """A cell that is fitted, and a count in persons: the margin of their difference is in persons."""
    noise = noise_of("zcdp")
    cell, alone = shape_of(noise, np.eye(12, dtype=np.int64)[0]), Shape((Term(noise.laws[-1], 1, 0, 1),))
    for gap, ranks in ((5.0, [1.0, 1.0]), (500.0, [1.0, 2.0])):
        parts = [
            Ranked(np.array([each]), np.full(1, np.nan), np.full(1, np.nan), shape)
            for each, shape in ((gap, cell), (0.0, alone))
        ]
        assert rank_intervals(parts, 2, LEVEL).lows.tolist() == ranks
