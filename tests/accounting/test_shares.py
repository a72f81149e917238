"""Shares by kind of iteration: what groups spend, that the whole loses no more, and whose loss they raise."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from safetab_sql.accounting.ledger import (
    approximate_totals,
    budgets_by_level,
    group_calls,
    run_ledger,
    run_statement,
    share_notes,
    uncomposed,
)
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.catalog import Catalog, LevelCatalog
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.settings.parameters import Parameters, by_kind
from tests.audit.stability import audit_stability
from tests.nations import sample_nation, write_nation
from tests.sql.parameters import parameters

BUDGET, DELTA = Fraction("0.159"), Fraction(1, 10**10)
SIZES = {"alone": 1, "combination": 8, "ethnicity": 1}


def with_shares(alone: int, combination: int, ethnicity: int) -> Parameters:
    settings = parameters("COUNTY-2")
    (ladder,) = settings.ladders
    shares = zip(SIZES, map(Fraction, (alone, combination, ethnicity)), strict=True)
    level = replace(ladder.levels[0], budget=BUDGET, shares=tuple(shares))
    return replace(settings, ladders=(replace(ladder, levels=(level,)),))


def plans_of(settings: Parameters, shared: int = 1) -> tuple[LevelPlan, ...]:
    levels = [
        LevelCatalog(
            number,
            own.level,
            1,
            2,
            2 * number,
            {1: np.array([False, False])},
            SIZES[own.level.kind or ""],
            True,
            shared,
        )
        for number, own in enumerate(by_kind(settings.levels[0]))
    ]
    return level_plans(Catalog(tuple(levels), ()), settings)


@pytest.mark.parametrize(
    ("shares", "per_group", "worst"),
    [
        ((7, 1, 1), (7, 1, 1), {"alone": 1, "combination": 1, "ethnicity": 1}),
        ((1, 1, 1), (1, 1, 1), {"combination": 8, "ethnicity": 1}),
        ((42, 6, 24), (Fraction(21, 4), Fraction(3, 4), 3), {"alone": 1, "combination": 1, "ethnicity": 1}),
    ],
    ids=["7:1:1", "equal", "5.25:0.75:3"],
)
def test_each_group_gets_its_share_of_what_the_largest_loss_leaves(shares, per_group, worst) -> None:
    plans = plans_of(with_shares(*shares))
    spent = [plan.calls.total_only.budget for plan in plans]
    assert spent == [Fraction(ninths) * BUDGET / 9 for ninths in per_group]
    assert dict(plans[0].whole.worst) == worst


def test_the_loss_of_the_run_is_the_budget_of_the_level_as_with_equal_shares() -> None:
    settings = with_shares(7, 1, 1)
    entries = run_ledger(settings, plans_of(settings))
    equal = run_ledger(settings, plans_of(with_shares(1, 1, 1)))
    assert (entries.loss.of_person, equal.loss.of_person) == (BUDGET, BUDGET)
    assert approximate_totals(entries, DELTA) == approximate_totals(equal, DELTA)
    spent = sum(call.groups * call.budgets.total_only for call in group_calls(entries)["us"])
    assert spent == BUDGET


def test_pure_dp_with_shares_states_the_sum_of_losses_and_nothing_that_needs_the_calls_of_everybody() -> None:
    """Somebody in an alone iteration loses the budget in three calls, others lose it in nine, so conversions differ."""
    settings = replace(with_shares(7, 1, 1), privacy_definition="puredp")
    plans = plans_of(settings)
    assert [plan.calls.total_only.budget for plan in plans] == [Fraction(ninths) * BUDGET / 9 for ninths in (7, 1, 1)]
    first, *others = approximate_totals(run_ledger(settings, plans), DELTA)["us"]
    assert (first.exact, first.delta) == (BUDGET, 0)
    assert {(total.epsilon, total.caveat) for total in others} == {
        (None, uncomposed(run_ledger(settings, plans_of(settings))))
    }


def test_the_ledger_says_whose_loss_rises() -> None:
    settings = with_shares(7, 1, 1)
    entries = run_ledger(settings, plans_of(settings))
    (note,) = share_notes(entries)
    assert "loses up to 0.159; with equal shares, up to 0.053." in note
    levels = run_statement(entries, delta=DELTA).levels
    assert budgets_by_level(levels) == {"COUNTY-2": BUDGET}
    assert {level.region_type for level in levels} == {"COUNTY"}


def test_lists_whose_alone_iterations_lie_in_several_in_combination_are_refused() -> None:
    with pytest.raises(InputError, match="all codes of an alone iteration in one iteration in combination"):
        plans_of(with_shares(7, 1, 1), shared=2)


def test_parameters_with_shares_go_through_the_manifest_unchanged() -> None:
    settings = with_shares(7, 1, 1)
    assert parameters_from_json(parameters_json(settings), Path("manifest.json")).levels == settings.levels


@pytest.mark.slow
def test_the_stability_audit_passes_and_sees_all_kinds_of_a_level(tmp_path: Path) -> None:
    levels = {"COUNTY-2": {"budget": 1, "thresholds": [20, 60, 150]}}
    inputs = write_nation(sample_nation(100).with_parameters(levels=levels, run_pr=False), tmp_path)
    with Path(inputs.parameters).open("a", encoding="utf-8") as file:
        file.write("shares = { alone = 7, in_combination = 1, ethnicity = 1 }\n")
    found = audit_stability(inputs, 8, resources=Resources(threads=1))
    assert ([level.name for level in found.levels], found.violations) == (
        ["COUNTY-2 alone", "COUNTY-2 combination", "COUNTY-2 ethnicity"],
        (),
    )
