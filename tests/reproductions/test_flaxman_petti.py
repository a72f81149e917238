"""The experiments of the authors of the empirical privacy loss, beside what they print."""

import numpy as np
import pytest

from docs.reproductions.flaxman_petti.experiments import (
    Comparison,
    _evenly,
    _in_one,
    _nearest_not_negative,
    _whole,
    consistency,
    invariants,
    table_sa1,
)
from docs.reproductions.flaxman_petti.figures import figures
from docs.reproductions.flaxman_petti.page import consistency_section, invariants_section, page
from docs.reproductions.flaxman_petti.printed_losses import BY_BANDWIDTH, BY_EPSILON, BY_PERCENTILE, INVARIANTS
from safetab_sql.evaluation.epl import Estimator
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reproductions" / "flaxman_petti.md").read_text(encoding="utf-8")


def test_the_sections_of_the_page_that_are_quick_to_compute_are_current():
    """Write it again with `make reproductions`."""
    assert consistency_section() in PAGE
    assert invariants_section() in PAGE


def test_the_figures_show_the_losses_that_their_titles_state():
    drawn = figures()
    assert list(drawn) == ["sa1", "sa2", "sa3", "sa4"]
    for name in ("sa2", "sa3", "sa4"):
        rows = drawn[name]["data"]["values"]
        largest = max(abs(row["loss"]) for row in rows if row["loss"] is not None)
        assert f"EPL {largest:.2f}," in drawn[name]["title"]
        assert sum(row["density"] for row in rows) == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_the_page_is_current():
    assert page() == PAGE


def test_the_page_says_what_does_not_reproduce():
    assert "hold 0 of 13 of our means with noise of loss epsilon, and 13 with noise of\nhalf" in PAGE
    assert "5 rows of their panel (c) are equal to rows of their panel (b)" in PAGE


@pytest.fixture(scope="module")
def sa1() -> dict[str, list[Comparison]]:
    return table_sa1(Estimator())


def test_the_printed_panels_b_and_c_share_five_rows_to_the_last_digit():
    assert [(row.mean, row.lower, row.upper) for row in BY_BANDWIDTH[:5]] == [
        (row.mean, row.lower, row.upper) for row in BY_PERCENTILE
    ]


@pytest.mark.slow
def test_panel_a_reproduces_with_noise_of_half_the_loss_and_with_no_other(sa1):
    held = [
        tuple(printed.lower <= ours.epl <= printed.upper for ours in (row.whole, row.half))
        for printed, row in zip(BY_EPSILON, sa1["epsilon"], strict=True)
    ]
    assert set(held) == {(False, True)}


@pytest.mark.slow
def test_the_estimate_comes_down_to_the_true_loss_where_there_are_many_districts(sa1):
    assert [round(row.whole.epl / float(row.what), 1) for row in sa1["many districts"]] == [1.1, 1.1, 1.0]


def test_every_way_to_make_counts_consistent_shows_less_than_the_sum_of_the_losses():
    assert max(row.whole.epl for row in consistency(Estimator())) < 1


def test_county_totals_alone_raise_the_loss_little_and_without_negative_counts_to_what_is_printed():
    alone, totals, positive, both = (row.whole.epl for row in invariants(Estimator()))
    assert totals < 1.2 * alone
    assert 0.25 < alone < positive < both
    assert both == pytest.approx(INVARIANTS, abs=0.1)


def test_what_a_total_adds_is_met_by_the_strata_whether_it_is_spread_or_not():
    generator = np.random.default_rng(1)
    missing = generator.integers(-20, 20, 500)
    spread, in_one = _evenly(missing, 7, generator), _in_one(missing, 7, generator)
    assert (spread.sum(axis=1) == missing).all()
    assert (np.ptp(spread, axis=1) <= 1).all()
    assert (in_one.sum(axis=1) == missing).all()
    assert ((in_one != 0).sum(axis=1) <= 1).all()


def test_the_nearest_counts_that_are_not_negative_are_all_lowered_alike_or_zero():
    counts = np.random.default_rng(1).integers(-9, 30, (6, 5))
    found = _nearest_not_negative(counts, 100)
    lowered = (counts - found)[found > 0]
    assert found.sum() == pytest.approx(100)
    assert np.ptp(lowered) == pytest.approx(0)
    assert (counts[found == 0] <= lowered[0]).all()


def test_counts_are_made_whole_without_a_change_of_their_total():
    counts = np.array([[0.5, 1.25], [2.75, -0.5]])
    whole = _whole(counts, 4)
    assert whole.sum() == 4
    assert (np.abs(whole - counts) < 1).all()
