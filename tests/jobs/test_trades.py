"""What `plan` says of fewer codes and other gammas at the same loss."""

from dataclasses import replace

import pytest

from safetab_sql.jobs.plan import codes_text, gamma_text, plan
from safetab_sql.kit.sqlfiles import packaged_folder


@pytest.fixture(scope="module")
def seen():
    configs = packaged_folder("configs")
    return plan(configs / "example.toml", code_lists=configs / "example-lists")


def test_fewer_codes_put_a_person_into_fewer_groups(seen):
    assert {codes: set(s) for codes, s in seen.stabilities.items()} == {8: {9}, 5: {6}, 3: {4}, 1: {3}}


def test_margins_fall_with_the_root_of_the_stability_under_zcdp(seen):
    """49 * sqrt(6 / 9) = 40, 49 * sqrt(4 / 9) = 32.7; COUNTY-1 of 2020."""
    rows = {line.split()[0]: line for line in codes_text(seen).splitlines()}
    assert rows["COUNTY-1"].split() == ["COUNTY-1", "s", "9", "±49", "s", "6", "±40", "s", "4", "±33", "s", "3", "±28"]


def test_levels_of_several_ladders_have_the_stability_that_is_stated_for_each():
    configs = packaged_folder("configs")
    of_households = plan(configs / "dhcb-2020.toml", code_lists=configs / "example-lists")
    now = of_households.stabilities[8]
    assert [each.ladder for each in of_households.plans[:1] + of_households.plans[-1:]] == ["T3", "T4"]
    assert now == tuple(each.catalog.stability for each in of_households.plans)
    assert "T4 USA-2" in codes_text(of_households)


def test_a_larger_gamma_narrows_stage_1_and_widens_counts(seen):
    rows = {line.split()[0]: line for line in gamma_text(seen).splitlines()}
    assert rows["COUNTY-2"].endswith("37.6 / ±11   23.8 / ±11  16.8 / ±11  11.9 / ±12   7.5 / ±15")


def test_levels_of_totals_alone_have_no_gamma_to_choose(seen):
    assert gamma_text(replace(seen, plans=())) == ""
