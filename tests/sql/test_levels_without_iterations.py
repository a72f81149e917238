"""levels_without_iterations: levels with a budget that no iteration of the lists has."""

import pytest

ROWS = "iteration_code | iteration_level\n-\n10 | group\n20 | cluster"


@pytest.fixture
def lacking(run_sql):
    def rows(level, *, is_census=False):
        levels = {"level_region_types": ["PROVINCE", "DISTRICT"], "level_iteration_levels": [level, "group"]}
        known_levels = ["1", "2"] if is_census else []
        return run_sql("levels_without_iterations", {"iteration_rows": ROWS}, known_levels=known_levels, **levels)

    return rows


def test_a_misspelt_level_is_returned_beside_the_levels_that_there_are(lacking):
    assert lacking("gruop") == [("PROVINCE-gruop", "cluster, group")]


def test_levels_of_the_lists_are_fine(lacking):
    assert lacking("cluster") == []


def test_a_part_of_the_lists_of_the_census_is_fine(lacking):
    assert lacking("2", is_census=True) == []
