"""The figures of papers beside ours: Kifer, Haney, Clark and Dajani, Flaxman and Petti, allocation; and their pages."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from docs.reproductions.__main__ import FOLDER, PAGES, current
from docs.reproductions.clark_dajani import Tree, bottom_up, least_squares, measured, never_negative, summed
from docs.reproductions.flaxman_petti.experiments import Comparison, table_sa1
from docs.reproductions.flaxman_petti.figures import figures
from docs.reproductions.flaxman_petti.page import quick_blocks
from docs.reproductions.flaxman_petti.printed_losses import BY_BANDWIDTH, BY_EPSILON, BY_PERCENTILE
from docs.reproductions.haney import DELTA, GAMMA, PRINTED, STABILITY, paper_calls
from docs.reproductions.kifer.examples import blocks
from docs.reproductions.kifer.losses import laplace_loss_parts, laplace_power, randomised_response
from docs.reproductions.kifer.redistricting import FILE
from docs.reproductions.markdown import filled
from safetab_sql.accounting.accountants import formula_totals
from safetab_sql.evaluation.epl import Estimator
from safetab_sql.kit.errors import InputError
from safetab_sql.semantics.composition import geometric
from safetab_sql.semantics.profiles import Allocation, allocation_profile, load_allocation
from safetab_sql.semantics.summary import Summary, summary
from safetab_sql.semantics.targets import exact_level_budget, table_call_budget
from tests.conftest import REPOSITORY
from tests.semantics.pairs import reversed_pair


@pytest.fixture(scope="module")
def computed() -> str:
    return "\n".join(blocks().values())


@pytest.mark.parametrize(
    "said",
    [
        "| outputs a, b, c | 0.01 | 0.01 |\n| a and b merged | 0.61 | 0.01 |",
        "| X and Y | 2 | 8 | 1.414 | 1 |\n| X + Y and X - Y | 2 | 4 | 2 | 1 |",
        *("| 0.01 | 0.4869 | 0.4862 to 0.4869 | 0.6982 |", "| 0.05 | 0.7417 | 0.7411 to 0.7418 | 0.9467 |"),
        "| 0.10 | 0.8442 | 0.8438 to 0.8443 | 0.9624 |",
        "| count + N(0, 1) | 0.09236 | 0.2595 | 0.3891 | 0.6828 | 0.8413 |",
        "| a fair coin picks one, and is published | 2 |",
        "| randomised response, epsilon log 2 | 0.2 |\n| a fair coin picks one | 0.25 |",
        "| b and c merged | 0.01 | 0.01 |",
    ],
)
@pytest.mark.slow
def test_the_page_says_what_the_source_says(computed, said):
    assert said in computed


def test_geometric_noise_and_the_other_order_of_neighbours_lose_as_randomised_response_does():
    answer = randomised_response(Fraction(1))
    for pair in (geometric(Fraction(1), shift=1), reversed_pair(answer)):
        assert np.allclose([pair.losses, pair.first], [answer.losses, answer.first], rtol=1e-14, atol=0)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_losses_of_laplace_noise_are_those_of_its_density(epsilon):
    """The outputs on a grid: the loss of each cell of width 1/1000, and its chance."""
    edges = np.arange(-60.0, 60.0, 0.001)
    chances = np.diff(stats.laplace.cdf(edges, loc=6, scale=1 / epsilon))
    middles = (edges[1:] + edges[:-1]) / 2
    losses = epsilon * (abs(middles - 5) - abs(middles - 6))
    top, between, bottom = laplace_loss_parts(epsilon)
    assert chances[losses > epsilon - 1e-9].sum() == pytest.approx(top, abs=1e-3)
    assert chances[losses < 1e-9 - epsilon].sum() == pytest.approx(bottom, abs=1e-3)
    assert top + between + bottom == pytest.approx(1)
    wanted = stats.laplace.sf(stats.laplace.isf(0.3, scale=1 / epsilon) - 1, scale=1 / epsilon)
    assert laplace_power(epsilon, 0.3) == pytest.approx(wanted)


def test_the_figures_in_the_text_are_computed_ones():
    exact = {
        definition: sum(exact_level_budget(definition, row.moe, STABILITY, GAMMA) for row in PRINTED)
        for definition in ("zcdp", "puredp")
    }
    assert (f"{float(exact['zcdp']):.3f}", f"{float(exact['puredp']):.2f}") == ("1.215", "16.12")
    assert f"{float(STABILITY * table_call_budget('puredp', 11) / GAMMA):.1f}" == "22.4"
    _, on_grid, closed = formula_totals("zcdp", paper_calls("zcdp"), DELTA)
    geometric = formula_totals("puredp", paper_calls("puredp"), DELTA)[1].epsilon
    assert [round(100 * (1 - one.epsilon / geometric)) for one in (closed, on_grid)] == [10, 14]
    printed = formula_totals("puredp", paper_calls("puredp"), 10 * DELTA)[3].epsilon
    assert 13.15 < printed <= 13.16


PARENTS = (np.array([0, 0]), np.array([0, 0, 0, 1]))
LEAVES = np.array([[5, 0], [40, 3], [9, 9], [200, 1]])
STATES = summed(LEAVES.astype(float), PARENTS[1]).astype(np.int64)
TREE = Tree(PARENTS, (STATES.sum(axis=0, keepdims=True), STATES, LEAVES))


def test_least_squares_are_those_of_all_measurements_together():
    noisy = measured(TREE, 1.0, np.random.default_rng(1))
    leaves = np.eye(4)
    states = np.array([[1, 1, 1, 0], [0, 0, 0, 1]])
    design = np.vstack([states.sum(axis=0), states, leaves])
    wanted = np.linalg.lstsq(design, np.vstack(noisy), rcond=None)[0]
    assert least_squares(TREE, noisy)[2] == pytest.approx(wanted)


@pytest.mark.parametrize("method", [bottom_up, never_negative, least_squares], ids=lambda method: method.__name__)
def test_consistent_counts_add_up_level_by_level(method):
    generator = np.random.default_rng(2)
    found = method(TREE, 0.5, generator) if method is bottom_up else method(TREE, measured(TREE, 0.5, generator))
    for parents, whole, parts in zip(TREE.parents, found, found[1:], strict=False):
        assert summed(parts, parents) == pytest.approx(whole)
    assert method is not never_negative or min(counts.min() for counts in found) >= 0


PAGE = (REPOSITORY / "docs" / "reproductions" / "flaxman_petti.md").read_text(encoding="utf-8")


def test_the_page_is_current_and_says_what_is_computed():
    """Write it again with `make reproductions`."""
    assert filled(PAGE, quick_blocks()) == PAGE
    with pytest.raises(KeyError, match="other"):
        filled("<!-- one -->\n1\n\ntext", {"one": "2", "other": "3"})
    assert ("EPL 0.31" in figures()["sa2"]["title"], "in SA2, we 0.31" in PAGE) == (True, True)
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


SOURCE = REPOSITORY.parent / "shared" / "seeds"


@pytest.fixture(scope="module")
def allocation() -> Allocation:
    return load_allocation(FILE)


def test_the_redistricting_budget_is_spent_wholly_in_the_shares_that_the_source_prints(allocation):
    assert (len(allocation.measurements), sum(each.budget for each in allocation.measurements)) == (
        71,
        Fraction("2.63"),
    )
    rhos = {name: each.rho for name, each in allocation.universes.items()}
    assert rhos == {"persons": Fraction("2.56"), "housing units": Fraction("0.07")}
    texts = sorted(SOURCE.glob("002_*.txt"))
    if not texts:
        pytest.skip("the source of the shares is not beside this repository")
    printed = {line.strip() for line in texts[0].read_text(encoding="utf-8").splitlines()}
    rows = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith('"') and "/4097" in line]
    found = [line.partition("=")[2].replace('"', "").strip(" []").split(", ") for line in rows]
    printed_rows = [line.split("\t")[1:] for line in printed if "/4097\t" in line]
    assert sorted(found) == sorted(printed_rows)


@pytest.fixture(scope="module")
def found(allocation) -> Summary:
    return summary(allocation_profile(allocation))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"165/4099"]', '"166/4099"]', "the shares of levels add up to 4100/4099"),
        ('["0", "3773/4097"', '["1/4097", "3773/4097"', "the shares of queries at US add up to 4098/4097"),
        (', "165/4099"]', "]", "levels: not one share for each level"),
        ('"3773/4097"', '"3773/0"', "share for each level, such as"),
        ('= ["CENRACE"]', '= ["RACE"]', "race: nothing depends on RACE"),
    ],
)
def test_an_allocation_that_is_none_is_refused(tmp_path, old, new, message):
    spoilt = tmp_path / "spoilt.toml"
    spoilt.write_text(FILE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_allocation(spoilt)


SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", [name if name == "gardner.md" else pytest.param(name, marks=SLOW) for name in PAGES])
def test_a_page_is_current(name):
    """Write it again with `make reproductions`."""
    page, wanted = current(name)
    assert page == wanted


def test_the_index_names_every_page():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert [name for name in PAGES if f"({name})" not in index] == []
    assert {file.name for file in FOLDER.glob("*.md")} == {*PAGES, "challenge.md", "index.md"}
