"""Budgets and shares in closed form are the optimum of their convex problem; thresholds are the best of those tried."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.optimize import minimize

from safetab_sql.semantics.allocation import (
    Allocation,
    Choice,
    Groups,
    Kinds,
    Level,
    _rising,
    allocated,
    best_shares,
    per_group,
    weighted_error,
)
from safetab_sql.semantics.expected_errors import MARGIN, Sizes, UseAtLevel

SIZES = Sizes(np.array([10.0, 300.0, 1000.0, 20_000.0]), np.array([500.0, 60.0, 20.0, 3.0]))


def use(name: str, level: str, margin: float, tables: list, least: float = 1) -> UseAtLevel:
    groups = np.where(SIZES.people >= least, SIZES.groups, 0)
    value = SIZES.people / (1 if tables[0] is not None else 4)
    deviation = margin / MARGIN
    nothing = (value / deviation) ** 2
    return UseAtLevel(name, level, 1.0, tuple(tables), groups / groups.sum(), np.full(4, deviation**-2), nothing)


def level(name: str, margin: float) -> Level:
    uses = (
        use("totals", name, margin, [np.ones((1, 1)), np.ones((1, 4))]),
        use("cells", name, margin, [None, np.eye(4)], least=1000),
    )
    return Level(name, "all", (Groups(name, SIZES, uses, True, (1, 4)),), 9, None, (1000,))


def problem(definition: str, *margins: float) -> tuple[Allocation, Choice]:
    levels = tuple(level(f"L{place}", margin) for place, margin in enumerate(margins))
    budgets = {each.name: 1.0 / len(levels) for each in levels}
    start = Choice(0.1, budgets, {each.name: (900,) for each in levels})
    return Allocation(definition, levels, {"all": 1.0}), start


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_what_is_found_spends_the_loss_and_is_better(definition: str) -> None:
    wanted, start = problem(definition, 3, 10, 50)
    found = allocated(wanted, start)
    assert sum(found.budgets.values()) == pytest.approx(1)
    assert weighted_error(wanted, found) < weighted_error(wanted, start)


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_no_other_budgets_are_better_for_the_gamma_and_thresholds_found(definition: str) -> None:
    """A general optimiser, from the budgets found, gains less than one part in a thousand."""
    wanted, start = problem(definition, 3, 10, 50)
    found = allocated(wanted, start)
    names = list(found.budgets)

    def error(logs: np.ndarray) -> float:
        shares = np.exp(logs - logs.max())
        return weighted_error(wanted, replace(found, budgets=dict(zip(names, shares / shares.sum(), strict=True))))

    best = minimize(error, np.log([found.budgets[name] for name in names]), method="Nelder-Mead")
    assert best.fun > weighted_error(wanted, found) * (1 - 1e-3)


def test_levels_that_are_alike_get_the_same() -> None:
    wanted, start = problem("zcdp", 11, 11)
    found = allocated(wanted, replace(start, budgets={"L0": 0.9, "L1": 0.1}))
    assert found.budgets["L0"] == pytest.approx(0.5, rel=1e-3)


def test_wanted_margins_get_budgets_in_inverse_proportion_where_nothing_else_differs() -> None:
    """rho is proportional to sqrt(a), and a to 1 / margin^2. Thresholds that nobody is near change nothing."""
    wanted, start = problem("zcdp", 5, 20)
    totals = [replace(each, groups=(replace(each.groups[0], uses=each.groups[0].uses[:1]),)) for each in wanted.levels]
    far = replace(start, thresholds={"L0": (10**6,), "L1": (10**6,)})
    found = allocated(replace(wanted, levels=tuple(totals)), far, gammas=())
    assert found.budgets["L0"] / found.budgets["L1"] == pytest.approx(4, rel=1e-6)


def test_a_threshold_lies_below_the_size_where_cells_are_wanted_by_some_noise_of_stage_1() -> None:
    wanted, start = problem("zcdp", 11)
    (found,) = allocated(wanted, start).thresholds["L0"]
    assert 300 < found < 1000


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("noises", [(1, 1, 1), (5, 1, 1), (0.001, 3, 1), (1, 2, 40)])
def test_shares_by_kind_are_the_optimum_of_their_problem(noises: tuple[float, ...], power: int) -> None:
    kinds = Kinds(("alone", "combination", "ethnicity"), {"ethnicity": 1}, 8)

    def error(shares: np.ndarray) -> float:
        alone, some, one = np.exp(shares)
        loss = max(alone + some, 8 * some) + one
        return float(sum(a * (loss / b) ** power for a, b in zip(noises, (alone, some, one), strict=True)))

    found, least = best_shares(kinds, noises, power)
    assert error(np.log(list(found.values()))) == pytest.approx(least, rel=1e-9)
    start = np.random.default_rng(5).normal(size=(20, 3))
    best = min(float(minimize(error, each, method="Nelder-Mead", options={"maxiter": 4000}).fun) for each in start)
    assert least <= best * (1 + 1e-6)
    wholes = Level("L", "all", (), 1, kinds, ())
    spent = dict(zip(found, per_group(wholes, Choice(0.1, {"L": 1.0}, {}, {"L": found})), strict=True))
    assert max(spent["alone"] + spent["combination"], 8 * spent["combination"]) + spent["ethnicity"] == pytest.approx(1)


def test_rising_thresholds_are_the_best_of_all_that_rise() -> None:
    costs = np.random.default_rng(7).normal(size=(7, 3))
    every = [
        sum(costs[place, column] for column, place in enumerate(each))
        for each in combinations_with_replacement(range(7), 3)
    ]
    found = _rising(costs)
    assert found == sorted(found)
    assert sum(costs[place, column] for column, place in enumerate(found)) == pytest.approx(min(every))
