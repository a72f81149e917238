"""The mechanisms put every count where it belongs, whatever the size of the blocks they work in.

The laws have budgets so large that their noise is never seen, so every noisy count is an exact one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws.noise import DiscreteGaussian
from safetab_sql.mechanisms import tabulate
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.settings.ladders import PopulationGroupLevel
from tests.oracle import stat_level
from tests.plans import PlannedLevel, level_totals, plan_with
from tests.properties.drawn import examples

QUIET = DiscreteGaussian(Fraction(10**6))
BLOCKS = [1, 7, 2**21]


@dataclass(frozen=True)
class Level:
    """A level to tabulate. people: by population group id, of this and other levels."""

    first: int
    regions: int
    is_total_only: list[bool]
    people: dict[int, int]
    thresholds: tuple[int, int, int]
    suppression_threshold: int | None

    def groups(self) -> dict[int, bool]:
        """Every group of the level, and whether it gets a total only."""
        return dict(enumerate(self.is_total_only * self.regions, start=self.first))


@st.composite
def levels(draw: Callable[..., Any]) -> Level:
    first, regions = draw(st.integers(0, 20)), draw(st.integers(0, 6))
    is_total_only = draw(st.lists(st.booleans(), min_size=1, max_size=5) | st.just([False] * 3))
    last = first + regions * len(is_total_only) + 9
    return Level(
        first=first,
        regions=regions,
        is_total_only=is_total_only,
        people=draw(st.dictionaries(st.integers(0, last), st.integers(1, 9))),
        thresholds=tuple(sorted(draw(st.tuples(*[st.integers(-1, 9)] * 3)))),
        suppression_threshold=draw(st.none() | st.integers(-1, 5)),
    )


@st.composite
def cell_counts(draw: Callable[..., Any]) -> tuple[list[int], dict[tuple[int, int], int], int]:
    """Group ids, people by group (these and others) and cell position, number of cells."""
    cells = draw(st.sampled_from([8, 18, 46]))
    groups = sorted(draw(st.sets(st.integers(0, 30), max_size=12)))
    people = draw(st.dictionaries(st.tuples(st.integers(0, 30), st.integers(0, cells - 1)), st.integers(1, 9)))
    return groups, people, cells


def _level_totals(level: Level, block: int = tabulate.BLOCK) -> list[tabulate.NoisyTotals]:
    catalog = PlannedLevel(
        level_id=1,
        level=PopulationGroupLevel("PLACE", "2"),
        thresholds=level.thresholds,
        regions=level.regions,
        iterations=len(level.is_total_only),
        first_population_group_id=level.first,
        total_only={1: np.array(level.is_total_only, dtype=np.bool_)},
        stability=1,
        is_exact=True,
    )
    ids = np.array(sorted(level.people), dtype=np.int64)
    counts = np.array([level.people[group] for group in sorted(level.people)], dtype=np.int64)
    plan = plan_with(catalog, [QUIET] * 3, level.suppression_threshold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate, "BLOCK", block)

        def between(first: int, end: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
            here = (ids >= first) & (ids < end)
            return ids[here], counts[here]

        return list(level_totals(between, plan, system_bits))


def _kept(total: int, level: Level) -> bool:
    return level.suppression_threshold is None or total > level.suppression_threshold


@pytest.mark.parametrize("block", BLOCKS)
@examples(60)
@given(level=levels())
@pytest.mark.each_time("[7]")
def test_every_group_has_its_stat_level_or_its_own_total_unless_that_will_be_suppressed(block, level):
    parts = _level_totals(level, block)

    def found(ids: str, values: str) -> list[tuple[int, int]]:
        return sorted(pair for part in parts for pair in zip(getattr(part, ids), getattr(part, values), strict=True))

    totals = {group: level.people.get(group, 0) for group in level.groups()}
    alone = [group for group, is_total_only in level.groups().items() if is_total_only]
    earned = {group: stat_level(total, level.thresholds) for group, total in totals.items() if group not in alone}
    assert found("chosen_ids", "chosen_stat_levels") == [each for each in earned.items() if each[1] > 0]
    for name, groups in (("stat_level_0", [each for each in earned if earned[each] == 0]), ("total_only", alone)):
        kept = [pair for pair in found(f"{name}_ids", f"{name}_counts") if _kept(pair[1], level)]
        assert kept == [(group, totals[group]) for group in groups if _kept(totals[group], level)]


@pytest.mark.parametrize("suppression_threshold", [None, 3])
def test_a_level_without_iterations_has_no_totals(suppression_threshold):
    parts = _level_totals(Level(5, 3, [], {1: 2, 9: 4}, (1, 2, 3), suppression_threshold))
    assert not any(part.stat_level_0_ids.size or part.chosen_ids.size or part.total_only_ids.size for part in parts)


@pytest.mark.parametrize("block", [1, 100, 2**21])  # of 100 cells: some groups, and others between them
@examples(40)
@given(counted=cell_counts())
@pytest.mark.each_time("[100]")
def test_every_cell_of_a_chosen_group_gets_its_own_count(block, counted):
    groups, people, cells = counted
    keys = sorted(people)
    counted_cells = (
        np.array([group for group, _ in keys], dtype=np.int64),
        np.array([cell for _, cell in keys], dtype=np.int64),
        np.array([people[key] for key in keys], dtype=np.int64),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate, "BLOCK", block)
        chosen = np.array(groups, dtype=np.int64)
        parts = list(tabulate.tabulate_cells(chosen, counted_cells, cells, QUIET, system_bits))
    found = [(group, list(counts)) for part in parts for group, counts in zip(*part, strict=True)]
    assert found == [(group, [people.get((group, cell), 0) for cell in range(cells)]) for group in groups]
