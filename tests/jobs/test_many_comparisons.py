"""Many comparisons at once, and ranks: what is said of all of them holds of all of them."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.statistics import statistics
from safetab_sql.kit.errors import InputError
from safetab_sql.statistics.evaluator import adjusted_level, adjusted_p_values
from tests.cli.command import call
from tests.jobs.change_pairs import DEFINITIONS, Count, found_of
from tests.jobs.rank_sets import LEVEL, jointly_held, ranks_of
from tests.jobs.test_change import HEAD, now, then
from tests.jobs.test_statistics import GROUP, asked
from tests.published.conftest import group, rows
from tests.statistics import FALSE_ALARM

__all__ = ["now", "then"]


def test_p_values_of_holm_are_those_of_an_example():
    found = adjusted_p_values(np.array([0.01, 0.04, 0.03, 0.005, np.nan]), "holm")
    assert found[:4] == pytest.approx([0.04, 0.09, 0.09, 0.025])
    assert np.isnan(found[4])


def test_p_values_of_benjamini_and_hochberg_are_those_of_scipy():
    p_values = np.random.default_rng(3).random(50) ** 2
    assert adjusted_p_values(p_values, "bh") == pytest.approx(stats.false_discovery_control(p_values))


def test_a_comparison_without_a_p_value_counts():
    """Else noise, which decides what is suppressed, would decide how many there are."""
    known, unknown = (adjusted_p_values(np.array([0.01, other]), "holm")[0] for other in (0.9, np.nan))
    assert known == unknown == 0.02


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_true_comparison_is_rejected_and_all_intervals_hold_at_once(definition):
    """2,000 families of ten pairs without a change: false alarm 1e-6, twice."""
    families = 2_000
    found = found_of(
        "difference", Count(definition, 90, 4), Count(definition, 90, 9), 10 * families, np.random.default_rng(5)
    )
    p_values = found.intervals.p_values.reshape(families, 10)
    rejected = sum((adjusted_p_values(row, "holm") <= 0.05).any() for row in p_values)
    assert rejected <= stats.binom.isf(FALSE_ALARM, families, 0.05)
    assert (p_values <= 0.05).any(axis=1).sum() > stats.binom.isf(FALSE_ALARM, families, 0.05)  # unadjusted
    level = adjusted_level(p_values[0], "holm", LEVEL)
    wide = found_of(
        "difference", Count(definition, 90, 4), Count(definition, 90, 9), 10 * families, np.random.default_rng(5), level
    )
    missed = (~wide.held(0).reshape(families, 10).all(axis=1)).sum()
    assert missed <= stats.binom.isf(FALSE_ALARM, families, 0.05)


def test_the_intervals_of_bh_are_for_comparisons_that_are_found():
    adjusted = np.array([0.01, 0.02, 0.3, np.nan])
    assert adjusted_level(adjusted, "bh", LEVEL) == 1 - (1 - LEVEL) * 2 / 4
    assert adjusted_level(adjusted, "holm", LEVEL) == 1 - (1 - LEVEL) / 4


def lines_of(folder: Path, kind: str, count: int) -> list[tuple[str, ...]]:
    names = sorted(group(row) for row in rows(folder, "t1") if row["REGION_TYPE"] == "STATE")
    return [(kind, "2", "1", *name) for name in names[:count]]


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_answers_have_adjusted_p_values_and_intervals(then, now, tmp_path, adjust):
    wanted = asked(
        tmp_path / "wanted.csv", *lines_of(then, "growth", 5), ("count", "1", "", "USA", "1", "1"), head=HEAD
    )
    made = statistics((then, now), wanted, tmp_path / "out.parquet", adjust=adjust)
    *found, count = made.to_pylist()
    assert (count["P_ADJUSTED"], count["LOW_ADJUSTED"]) == (None, None)
    p_values = np.array([np.nan if row["P_VALUE"] is None else row["P_VALUE"] for row in found])
    assert [row["P_ADJUSTED"] for row in found if row["P_VALUE"] is not None] == pytest.approx(
        [each for each in adjusted_p_values(p_values, adjust) if not np.isnan(each)]
    )
    stated = [row for row in found if row["LOW_ADJUSTED"] is not None]
    assert len(stated) == (5 if adjust == "holm" else sum((row["P_ADJUSTED"] or 1) <= 0.05 for row in found))
    assert all(row["LOW_ADJUSTED"] <= row["LOW"] < row["HIGH"] <= row["HIGH_ADJUSTED"] for row in stated)


def test_the_command_adjusts(then, now, tmp_path):
    wanted = asked(tmp_path / "wanted.csv", *lines_of(then, "difference", 3), head=HEAD)
    done = call("statistics", then, now, "--wanted", wanted, "--out", tmp_path / "out.csv", "--adjust", "holm")
    assert (done.code, done.stderr) == (0, "")
    assert "P_ADJUSTED" in (tmp_path / "out.csv").read_text()


def near(definition: str) -> list[Count]:
    """Totals alone around the limit, tables, two alike, and one far above."""
    trues = ((20, 0), (27, 0), (34, 0), (60, 0), (60, 4), (90, 4), (120, 9), (400, 9))
    return [Count(definition, true, cells) for true, cells in trues]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.each_time("zcdp")
def test_all_ranks_hold_at_once(definition):
    """400 sets of eight counts: false alarm 1e-6."""
    counts = near(definition)
    found, _ = ranks_of(counts, 400, np.random.default_rng(21))
    assert (~jointly_held(found, counts)).sum() <= stats.binom.isf(FALSE_ALARM, 400, 0.05)
    last = found.highs.reshape(-1, len(counts))[:, -1]
    assert (last == 1).all()  # the largest is known to be the largest


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_ranks_by_noisy_counts_alone_are_noticed(definition):
    counts = [Count(definition, 1_000 + 2 * place, 4) for place in range(8)]
    found, _ = ranks_of(counts, 200, np.random.default_rng(22))
    noisy = found.estimates.reshape(-1, 8)
    assert (noisy == np.arange(8, 0, -1)).all(axis=1).mean() < 0.5
    assert jointly_held(found, counts).all()


def test_states_are_ranked_among_one_another(then, tmp_path):
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "STATE")
    code = next(name[2] for name in names if sum(each[2] == name[2] for each in names) > 1)
    own = [name for name in names if name[2] == code]
    counts = {group(row): row["COUNT"] for row in rows(then, "t1")}
    wanted = asked(tmp_path / "wanted.csv", *(("rank", *name) for name in own), head=("KIND", *GROUP))
    made = statistics(then, wanted, tmp_path / "out.parquet").to_pylist()
    order = sorted(own, key=lambda name: -counts[name])
    assert [row["ESTIMATE"] for row in made] == [
        1 + sum(counts[other] > counts[name] for other in order) for name in own
    ]
    assert all(1 <= row["LOW"] <= row["ESTIMATE"] <= row["HIGH"] <= len(own) for row in made)


def test_sets_are_ranked_by_themselves_and_a_region_without_a_row_may_have_any_rank(then, tmp_path):
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "USA")[:3]
    lines = [("rank", *name, among) for name, among in zip(names, ("a", "b", "b"), strict=True)]
    unknown = ("rank", "STATE", "99", names[0][2], "b")
    wanted = asked(tmp_path / "wanted.csv", *lines, unknown, head=("KIND", *GROUP, "AMONG"))
    alone, *both, none = statistics(then, wanted, tmp_path / "out.parquet").to_pylist()
    assert (alone["LOW"], alone["HIGH"]) == (1, 1)
    assert max(row["HIGH"] for row in both) == 3
    assert (none["LOW"], none["NOTE"][:11]) == (None, "no such row")


def test_reconciled_counts_are_neither_ranked_nor_adjusted(then, tmp_path):
    reconcile(then, tmp_path / "reconciled")
    wanted = asked(tmp_path / "wanted.csv", ("rank", "USA", "1", "1"), head=("KIND", *GROUP))
    with pytest.raises(InputError, match="reconciled counts have no margins for --adjust and for ranks"):
        statistics(tmp_path / "reconciled", wanted, tmp_path / "out.csv")


def test_more_counts_than_laws_are_exact_for_are_not_ranked(then, tmp_path):
    wanted = asked(tmp_path / "wanted.csv", *[("rank", "USA", "1", "1")] * 3_200, head=("KIND", *GROUP))
    with pytest.raises(InputError, match="3,200 counts are ranked together, in 5,118,400 pairs; at most 5,000,000"):
        statistics(then, wanted, tmp_path / "out.csv")
