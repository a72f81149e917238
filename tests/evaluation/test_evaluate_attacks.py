"""`evaluate-attacks`: bounds hold the truth, subtraction finds what it can find, and each method is what it says."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.evaluation import evaluate_attacks as attacks
from safetab_sql.evaluation.evaluate_attacks import (
    METHODS,
    Counts,
    Family,
    attacked,
    bounds,
    evaluate_attacks,
    guesses,
    rounded,
    suppressed,
    unprotected,
    with_cell_keys,
)
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from tests.cli.command import call, inputs
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import nation_of_stays, unit_of, write_stays
from tests.trust.corruption import parquet_nation

Sums = Mapping[str, Sequence[tuple[int, Sequence[int]]]]  # family -> whole, and its parts, by place


def counts(exact: Sequence[int], sums: Sums, pieces: Sequence[int] = (), keys: Sequence[float] | None = None) -> Counts:
    """Exact counts by place; those of `pieces` are published by nobody."""
    size = len(exact)
    kinds = np.array([2 if place in pieces else 0 for place in range(size)], dtype=np.int8)
    families = []
    for name, rows in sums.items():
        wholes = np.array([whole for whole, _ in rows])
        of = np.array([number for number, (_, parts) in enumerate(rows) for _ in parts])
        families.append(Family(name, wholes, np.array([part for _, parts in rows for part in parts]), of))
    uniform = np.random.default_rng(3).random(size) if keys is None else np.array(keys)
    values = np.array(exact, dtype=np.int64)
    return Counts(kinds, values, uniform, values + 3.0, np.full(size, 9.0), tuple(families))


# A district of four tracts, and a place that has three of them and a piece of the fourth: the differencing problem of
# geographies that cross. Places: district, tracts 1 to 4, place, the piece inside and the piece outside.
CROSSING: Sums = {
    "TRACT of DISTRICT": [(0, [1, 2, 3, 4])],
    "* of TRACT": [(4, [6, 7])],
    "* of PLACE": [(5, [1, 2, 3, 6])],
}


def crossing(*exact: int) -> Counts:
    return counts(exact, CROSSING, pieces=(6, 7))


def test_the_difference_of_regions_that_cross_singles_out_a_person() -> None:
    """5 + 4 + 4 + 4 = 17 in the district, 16 in the place: one person lives in the piece outside."""
    people = crossing(17, 5, 4, 4, 4, 16, 3, 1)
    lows, highs = bounds(people, unprotected(people))
    assert (lows[7], highs[7]) == (1, 1)


def test_rounding_leaves_that_piece_open() -> None:
    people = crossing(17, 5, 4, 4, 4, 16, 3, 1)
    lows, highs = bounds(people, rounded(people, 3))
    assert lows[7] == 0
    assert highs[7] > 1


def test_bounds_of_rounded_counts_find_what_follows_from_all_of_them() -> None:
    """Nine parts that are rounded up to 3 have at least 18 people, and their total says at most 18: two each."""
    people = counts([18, *[2] * 9], {"STATE of USA": [(0, range(1, 10))]})
    published = rounded(people, 3)
    published.highs[0] = 18
    assert [each[1] for each in bounds(people, published)] == [2, 2]


def test_one_suppressed_count_is_never_the_difference_of_published_ones() -> None:
    people = counts([30, 2, 8, 20], {"STATE of USA": [(0, [1, 2, 3])]})
    published = suppressed(people)
    assert np.isnan(published.values).tolist() == [False, True, True, False]
    lows, highs = bounds(people, published)
    assert [lows[1:3].tolist(), highs[1:3].tolist()] == [[1, 1], [9, 9]]


def test_suppressed_counts_that_their_sum_would_give_away_take_a_third_along() -> None:
    """Two that add up to 2 are 1 each: with a third, of 6, each may be 1 to 6."""
    people = counts([38, 1, 1, 6, 30], {"STATE of USA": [(0, [1, 2, 3, 4])]})
    assert np.isnan(suppressed(people).values).tolist() == [False, True, True, True, False]


def test_a_suppressed_count_without_a_neighbour_takes_its_whole_along() -> None:
    people = counts([2, 2, 0], {"STATE of USA": [(0, [1, 2])]})
    assert np.isnan(suppressed(people).values).tolist() == [True, True, False]


def test_suppression_that_looks_at_one_hierarchy_is_undone_by_another() -> None:
    """The tracts of 3 and 9 are withheld; the place, which has all others and no piece of these, gives the sum away."""
    people = counts(
        [42, 3, 9, 30, 33],
        {"TRACT of DISTRICT": [(0, [1, 2, 3])], "* of PLACE": [(4, [1, 3])]},
    )
    lows, highs = bounds(people, suppressed(people))
    assert (lows[1], highs[1]) == (3, 3)


def test_noise_leaves_every_count_open() -> None:
    people = crossing(17, 5, 4, 4, 4, 16, 3, 1)
    lows, highs = bounds(people, METHODS["this release"](people))
    assert (highs - lows).min() > 10**6


def test_the_guess_is_the_least_squares_fit() -> None:
    """20 measured as 23 and parts of 6 and 14 as 9 and 17, all with one variance: each gives up a third of 3."""
    people = counts([20, 6, 14], {"STATE of USA": [(0, [1, 2])]})
    lows, highs = np.zeros(3), np.full(3, 10.0**12)
    assert guesses(people, METHODS["this release"](people), lows, highs).tolist() == [24, 8, 16]


# --- methods ---


def test_counts_are_rounded_to_the_nearest_multiple() -> None:
    people = counts(range(9), {})
    assert rounded(people, 3).values.tolist() == [0, 0, 3, 3, 3, 6, 6, 6, 9]
    assert rounded(people, 5).values.tolist() == [0, 0, 0, 5, 5, 5, 5, 5, 10]


def test_cell_keys_give_what_ssbcellkey_gives() -> None:
    """Counts, keys and answers of `Pconvert` of SSBcellKey, run in R: its example of regions and years, and a grid."""
    example = [24, 21, 3, 12, 12, 10, 11, 2, 1, 3, 7, 5, 6, 3, 8, 13]
    keys = [0.896746, 0.812078, 0.084668, 0.891888, 0.004858, 0.050417, 0.761660, 0.841471]
    keys += [0.243198, 0.909297, 0.141120, 0.041076, 0.720585, 0.084668, 0.950373, 0.861705]
    answers = [26, 23, 1, 14, 10, 8, 12, 4, 0, 5, 5, 3, 7, 1, 10, 15]
    grid = [0.05, 0.2, 0.37, 0.371, 0.5, 0.73, 0.9, 0.95]
    rows = [
        [0] * 8,
        [0, 0, 0, 1, 1, 1, 2, 3],
        [0, 0, 1, 1, 2, 3, 4, 4],
        [1, 1, 2, 2, 3, 4, 5, 5],
        [2, 2, 3, 3, 4, 5, 6, 6],
    ]
    people = counts([*example, *np.repeat(range(5), 8)], {}, keys=[*keys, *grid * 5])
    assert with_cell_keys(people).values.tolist() == [*answers, *(value for row in rows for value in row)]


def test_cell_keys_are_right_on_average() -> None:
    """The mean of 100,000 changes, within five standard errors: a false alarm in 2 million runs."""
    size = 10**5
    for count in (1, 2, 9):
        people = counts([count] * size, {})
        assert abs(with_cell_keys(people).values.mean() - count) < 5 * 2**0.5 / size**0.5


HIERARCHIES = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=4), min_size=1, max_size=4)


@given(HIERARCHIES)
def test_the_truth_lies_within_the_bounds_whatever_the_method(parts: list[list[int]]) -> None:
    """Parts of regions of a whole, and a crossing region that has the first part of each."""
    regions = [sum(own) for own in parts]
    exact, sums = [sum(regions), *regions], [(0, list(range(1, len(regions) + 1)))]
    below: list[tuple[int, list[int]]] = []
    for number, own in enumerate(parts, start=1):
        below.append((number, list(range(len(exact), len(exact) + len(own)))))
        exact += own
    crossing = [places[0] for _, places in below]
    exact.append(sum(exact[place] for place in crossing))
    people = counts(exact, {"A of B": sums, "C of A": below, "* of D": [(len(exact) - 1, crossing)]})
    for method in METHODS.values():
        lows, highs = bounds(people, method(people))
        assert (lows <= people.exact).all()
        assert (people.exact <= highs).all()


def test_the_rows_count_what_was_found() -> None:
    (totals, _, pieces), (sums,) = next(attacked(crossing(17, 5, 4, 4, 4, 16, 3, 1)))
    assert (totals["counts"], totals["small_counts"], totals["reconstructed"]) == (6, 3, 3)
    assert (pieces["persons_singled_out"], pieces["persons_alone"], pieces["share_withheld"]) == (1, 1, None)
    assert sums == {
        "method": "no protection",
        "whole": "TRACT of DISTRICT",
        "sums": 1,
        "mean_error": 0.0,
        "root_mean_square_error": 0.0,
    }


# --- the command ---


def test_the_command_writes_marked_tables_and_a_page_for_the_custodian_alone(tmp_path: Path) -> None:
    nation = parquet_nation(tmp_path / "nation")
    done = call("evaluate-attacks", *inputs(nation), "--out", tmp_path / "attacks", "--threads", "1")
    assert done.code == 0, done.stderr
    files = {path.name: path for path in (tmp_path / "attacks").iterdir()}
    assert files.keys() == set(attacks.CONTENTS)
    assert {path.stat().st_mode & 0o777 for path in files.values()} == {0o600}
    rows = pq.read_table(files["attacks.parquet"]).to_pylist()
    exact, ours = ([row for row in rows if row["method"] == name] for name in ("no protection", "this release"))
    assert all(row["reconstructed"] == row["small_counts"] for row in exact[:2])
    assert sum(row["persons_singled_out"] for row in ours) == 0
    sums = [row for row in pq.read_table(files["sums.parquet"]).to_pylist() if row["method"] == "no protection"]
    assert {row["root_mean_square_error"] for row in sums} == {0.0}
    assert {"STATE of USA", "TRACT of COUNTY", "cells"} <= {row["whole"] for row in sums}
    page = files["attacks.html"].read_text(encoding="utf-8")
    assert all(name in page for name in METHODS)
    assert "confidential: made from exact counts" in page
    assert done.stdout.splitlines()[2].startswith("no protection")


def test_regions_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    inputs_of_stays = write_stays(nation_of_stays(30, 8), tmp_path, unit_of(Bound(3, is_once=True, most_groups=2)))
    with pytest.raises(InputError, match="is persons: then regions do not add up"):
        evaluate_attacks(inputs_of_stays, tmp_path / "attacks", resources=Resources(threads=1))
    assert not (tmp_path / "attacks").exists()
