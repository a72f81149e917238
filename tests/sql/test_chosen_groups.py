"""chosen_groups: the population groups that get a table."""

import pytest

# Level 1 has regions 30 and 31 and three iterations (groups 10 to 15), level 2 region 30 and two (groups 16 and 17).
GIVEN = {
    "level_sizes": """
        level_id | regions | iterations | first_population_group_id
        ---------+---------+------------+--------------------------
               1 |       2 |          3 |                        10
               2 |       1 |          2 |                        16
    """,
    "level_regions": """
        level_id | region_key | first_population_group_id
        ---------+------------+--------------------------
               1 |         30 |                        10
               1 |         31 |                        13
               2 |         30 |                        16
    """,
    "level_iterations": """
        level_id | iteration_id | iteration_position
        ---------+--------------+-------------------
               1 |           50 |                  0
               1 |           51 |                  1
               1 |           52 |                  2
               2 |           60 |                  0
               2 |           61 |                  1
    """,
}


def chosen_groups(run_sql, *rows):
    stat_levels = "level_id | population_group_id | statistic_id\n-\n" + "\n".join(rows)
    return run_sql("chosen_groups", given={**GIVEN, "stat_levels": stat_levels})


@pytest.mark.parametrize(
    ("group", "region", "iteration"),
    [
        ("1 | 10", 30, 50),
        ("1 | 11", 30, 51),
        ("1 | 12", 30, 52),
        ("1 | 13", 31, 50),
        ("1 | 15", 31, 52),
        ("2 | 16", 30, 60),
        ("2 | 17", 30, 61),
    ],
    ids=[
        "first iteration of the first region",
        "an iteration between",
        "last iteration of the first region",
        "first iteration of the last region",
        "last iteration of the last region",
        "first group of the next level",
        "last group of all",
    ],
)
def test_the_number_of_a_group_is_taken_apart_into_its_region_and_iteration(run_sql, group, region, iteration):
    assert [row[1:3] for row in chosen_groups(run_sql, f"{group} | 1")] == [(region, iteration)]


def test_a_group_is_chosen_once_whatever_tables_it_gets(run_sql):
    """The ground truth asks for all of them, and a run may have several ladders."""
    assert chosen_groups(run_sql, "1 | 14 | 1", "1 | 14 | 2", "1 | 14 | 3") == [(14, 31, 51)]
