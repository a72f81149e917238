"""The experiments of the authors of the empirical privacy loss, beside what they print."""

import pytest

from docs.reproductions.flaxman_petti.experiments import Comparison, table_sa1
from docs.reproductions.flaxman_petti.figures import figures
from docs.reproductions.flaxman_petti.page import quick_blocks
from docs.reproductions.flaxman_petti.printed_losses import BY_BANDWIDTH, BY_EPSILON, BY_PERCENTILE
from docs.reproductions.markdown import filled
from safetab_sql.evaluation.epl import Estimator
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reproductions" / "flaxman_petti.md").read_text(encoding="utf-8")


def test_the_sections_of_the_page_that_are_quick_to_compute_are_current():
    """Write it again with `make reproductions`."""
    assert filled(PAGE, quick_blocks()) == PAGE


def test_a_page_that_lacks_what_is_computed_is_no_page():
    with pytest.raises(KeyError, match="other"):
        filled("<!-- one -->\n1\n\ntext", {"one": "2", "other": "3"})


def test_the_page_says_the_loss_of_figure_sa2():
    assert ("EPL 0.31" in figures()["sa2"]["title"], "in SA2, we 0.31" in PAGE) == (True, True)


def test_five_rows_of_their_panel_c_are_rows_of_their_panel_b():
    printed = [[(row.mean, row.lower, row.upper) for row in panel] for panel in (BY_BANDWIDTH, BY_PERCENTILE)]
    assert printed[0][:5] == printed[1]


@pytest.fixture(scope="module")
def sa1() -> dict[str, list[Comparison]]:
    return table_sa1(Estimator())


@pytest.mark.slow
def test_panel_a_reproduces_with_noise_of_half_the_loss_and_with_no_other(sa1):
    held = [
        tuple(printed.lower <= ours.epl <= printed.upper for ours in (row.whole, row.half))
        for printed, row in zip(BY_EPSILON, sa1["epsilon"], strict=True)
    ]
    assert set(held) == {(False, True)}


@pytest.mark.slow
def test_the_estimate_comes_down_to_the_true_loss_where_there_are_many_districts(sa1):
    assert [round(row.whole.epl / float(row.what), 1) for row in sa1["many_districts"]] == [1.1, 1.1, 1.0]
